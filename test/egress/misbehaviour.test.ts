/** Whatever a target does, its run ends in time with the right error, and nothing leaks. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/domain/clock.ts';
import { newId } from '../../src/domain/id.ts';
import { errorOf } from '../../src/domain/runs/reason.ts';
import { dispatch } from '../../src/engine/runs/dispatch.ts';
import { unidentified } from '../support/fakes/unidentified.ts';
import type { Phase } from '../../src/egress/deadline.ts';
import { alone } from '../../src/engine/nodes/membership.ts';
import type { Execution } from '../../src/engine/runs/execution.ts';
import { openLog } from '../../src/base/log.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
import type { HostileTarget } from './hostile/row.ts';
import { hostileTargets } from './hostile/targets.ts';
import { fakeTimers } from '../support/fakes/timers.ts';
import { testVault } from '../support/fakes/vault.ts';
import { eventually, inPhase, startEgress, startTarget, type Target } from './support.ts';

const timeoutSeconds = 5;
const log = openLog('silent');

function start(t: TestContext, row: HostileTarget): Promise<Target> {
  const tls = { key: serverKey, cert: goodCertificate };
  return startTarget(t, row.behave ?? (() => {}), {
    ...(row.https === 'tls' ? { tls } : {}),
    ...(row.greet === undefined ? {} : { greet: row.greet }),
  });
}

// Most of their time is the second before the retry.
describe('a target that', { concurrency: true }, () => {
  for (const row of hostileTargets) {
    const { does, isRetried = false, hangs, method = 'GET' } = row;
    const attempts = isRetried ? 2 : 1;
    test(`${does}: ${row.error?.source ?? row.status}`, { timeout: 60_000 }, async (t) => {
      const target = await start(t, row);
      const timers = fakeTimers();
      const egress = startEgress(t, { ca: authority, timers });
      const now = systemClock.now();
      const run: Execution = {
        runId: newId(now),
        jobId: newId(now),
        jobName: 'hostile',
        workspaceId: newId(now),
        workspace: null,
        host: '127.0.0.1',
        scheduledFor: now,
        dueAt: now,
        startedAt: now,
        health: 'new',
        failures: 0,
        isFollowed: false,
        request: {
          url: row.https === 'raw' ? target.url.replace('http:', 'https:') : target.url,
          method,
          timeoutSeconds,
          retries: 1,
          reportWithinSeconds: null,
          sign: null,
          audience: null,
        },
        sealed: null,
      };
      const { signal } = new AbortController();
      const dispatched = dispatch(run, {
        egress,
        vault: testVault,
        callers: unidentified,
        clock: systemClock,
        log,
        traceContext: false,
        reportUrlOf: () => '',
        spans: null,
        keepAttempt: async () => true,
        membership: alone(systemClock),
        signal,
        heldUp: new Map(),
      });
      // No time passes for a call that ends by itself.
      const hanging = hangs === undefined ? [] : Array<Phase>(attempts).fill(hangs);
      for (const phase of hanging) {
        await inPhase(timers, phase);
        timers.pass(timeoutSeconds * 1_000);
      }
      const { ended } = await dispatched;
      const error = errorOf(ended);
      assert.equal(ended.status, row.status, error ?? '');
      if (row.error === null) assert.equal(error, null);
      else assert.match(error ?? '', row.error);
      assert.equal(ended.httpStatus, row.httpStatus);
      if (row.body !== undefined) assert.equal(ended.responseBody, row.body);
      if (row.truncated !== undefined) assert.equal(ended.truncated, row.truncated);
      assert.equal(ended.attempts, attempts);
      await egress[Symbol.asyncDispose]();
      await eventually(() => target.open.size === 0);
      const requests = row.requests ?? (row.https === 'raw' ? { atMost: 0 } : null);
      if (requests === null) assert.equal(target.requests.length, attempts);
      else assert.ok(target.requests.length <= requests.atMost);
    });
  }
});
