/** Whatever a target does, its run ends in time with the right error, and nothing leaks. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/domain/clock.ts';
import { newId } from '../../src/domain/id.ts';
import { dispatch } from '../../src/engine/runs/dispatch.ts';
import { unidentified } from '../support/fakes/unidentified.ts';
import { alone } from '../../src/engine/nodes/membership.ts';
import type { Execution } from '../../src/engine/runs/execution.ts';
import { openLog } from '../../src/log.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
import type { HostileTarget } from './hostile/row.ts';
import { hostileTargets } from './hostile/targets.ts';
import { testVault } from '../support/fakes/vault.ts';
import { eventually, startEgress, startTarget, type Target } from './support.ts';

/** The tolerated delay on a machine that is busy with other tests. */
const slackMs = 2000;
/** The wait before the one retry. */
const retryMs = 1000;

function start(t: TestContext, row: HostileTarget): Promise<Target> {
  const tls = { key: serverKey, cert: goodCertificate };
  return startTarget(t, row.behave ?? (() => {}), {
    ...(row.https === 'tls' ? { tls } : {}),
    ...(row.greet === undefined ? {} : { greet: row.greet }),
  });
}

describe('a target that', { concurrency: 8 }, () => {
  for (const row of hostileTargets) {
    const { does, isRetried = false, timeoutMs = 5000, method = 'GET' } = row;
    test(`${does}: ${row.error?.source ?? row.status}`, async (t) => {
      const target = await start(t, row);
      const egress = startEgress(t, { ca: authority });
      const now = systemClock.now();
      const run: Execution = {
        runId: newId(now),
        jobId: newId(now),
        jobName: 'hostile',
        workspaceId: newId(now),
        workspace: null,
        host: '127.0.0.1',
        scheduledFor: now,
        startedAt: now,
        failures: 0,
        isFollowed: false,
        request: {
          url: row.https === 'raw' ? target.url.replace('http:', 'https:') : target.url,
          method,
          timeoutSeconds: timeoutMs / 1000,
          retries: 1,
          awaitSeconds: null,
          sign: null,
          audience: null,
        },
        sealed: null,
      };
      const { signal } = new AbortController();
      const { ended } = await dispatch(run, {
        egress,
        vault: testVault,
        callers: unidentified,
        clock: systemClock,
        log: openLog('silent'),
        traceContext: false,
        completionUrlOf: () => '',
        spans: null,
        keepAttempt: async () => true,
        membership: alone(systemClock),
        signal,
        heldUp: new Map(),
      });
      assert.equal(ended.status, row.status, ended.error ?? '');
      if (row.error === null) assert.equal(ended.error, null);
      else assert.match(ended.error ?? '', row.error);
      assert.equal(ended.httpStatus, row.httpStatus);
      if (row.body !== undefined) assert.equal(ended.responseBody, row.body);
      if (row.truncated !== undefined) assert.equal(ended.truncated, row.truncated);
      const attempts = isRetried ? 2 : 1;
      assert.equal(ended.attempts, attempts);
      const most = (row.timeoutMs ?? 0) + (isRetried ? retryMs : 0) + slackMs;
      assert.ok((ended.durationMs ?? 0) < most, `ended after ${ended.durationMs} ms`);
      await egress[Symbol.asyncDispose]();
      await eventually(() => target.open.size === 0);
      const requests = row.requests ?? (row.https === 'raw' ? { atMost: 0 } : null);
      if (requests === null) assert.equal(target.requests.length, attempts);
      else assert.ok(target.requests.length <= requests.atMost);
    });
  }
});
