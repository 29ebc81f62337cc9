/** What jobd takes to decode an answer is no time of its target. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSpan } from '../../../src/domain/runs/call-span.ts';
import type { Egress } from '../../../src/egress/egress.ts';
import { listAttempts } from '../../../src/store/alerts/attempts.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const exchangeMs = 12;
const decodingMs = 900;

test('runs, spans and attempts of alerts last until the last byte, not until it is decoded', async (t) => {
  const setup = await setupEngine(t);
  const { start, addJob, clock, endedRuns } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/hook');
  const job = await addJob({ ...dueOnce, retries: 0 });
  const rest = { location: null, retryAfter: null, body: '', truncated: false, broken: null };
  const egress: Egress = {
    async call({ url }) {
      clock.pass(exchangeMs + decodingMs);
      const httpStatus = url.endsWith('/hook') ? 200 : 500;
      return { kind: 'response', response: { httpStatus, ...rest, decodingMs } };
    },
    prepare() {},
    useCallKeys() {},
    async [Symbol.asyncDispose]() {},
  };
  const noted: CallSpan[] = [];
  const spans = { isSampled: () => true, note: (span: CallSpan) => void noted.push(span) };
  clock.set(dueAt);
  await start({ egress, spans });
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.durationMs, run?.finishedAt], [exchangeMs, dueAt + exchangeMs]);
  assert.deepEqual([noted[0]?.startedAt, noted[0]?.durationMs], [dueAt, exchangeMs]);
  const attempt = await until('the attempt of its alert', async () => {
    const [delivery] = await deliveriesOf(setup, channel);
    return delivery && (await listAttempts(setup.store.db, delivery.id))[0];
  });
  assert.equal(attempt.durationMs, exchangeMs);
});
