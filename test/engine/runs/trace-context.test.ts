/** The `traceparent` of calls (docs/behavior.md#call-7). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { dueAt, dueOnce, setupEngine, type LogLine } from '../../support/running/engine.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

/** The `traceparent` of each attempt of a run that succeeds with the second, its id, and the trace id in its line of the log. */
async function twoAttempts(
  t: TestContext,
  { traceContext, headers = {} }: { traceContext: boolean; headers?: Record<string, string> },
) {
  const { start, addJob, clock, endedRuns, logged } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    const status = sink.received.length === 1 ? 503 : 204;
    response.writeHead(status, { 'retry-after': '0' }).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1, headers });
  clock.set(dueAt);
  await start({ traceContext });
  const [run = assert.fail()] = await endedRuns(job, 1);
  const line = await until('its line', () =>
    (logged as (LogLine & { traceId?: string })[]).find(({ msg }) => msg === 'run ended'),
  );
  const sent = sink.received.map((request) => request.headers['traceparent']);
  return { runId: run.id, sent, traceId: line.traceId };
}

test('the attempts of a run are spans of one trace, whose id is that of the run without dashes', async (t) => {
  const { runId, sent, traceId } = await twoAttempts(t, { traceContext: true });
  assert.equal(traceId, runId.replaceAll('-', ''));
  const spans = sent.map((header) => {
    const [, trace, span] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(header)) ?? [];
    assert.equal(trace, traceId, String(header));
    return span;
  });
  assert.equal(new Set(spans).size, 2);
});

test('a job that has a traceparent of its own keeps it, and the log names no other trace', async (t) => {
  const own = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
  const headers = { TraceParent: own };
  const { sent, traceId } = await twoAttempts(t, { traceContext: true, headers });
  assert.deepEqual([sent, traceId], [[own, own], undefined]);
});

test('without --trace-context no call has a traceparent', async (t) => {
  const { sent, traceId } = await twoAttempts(t, { traceContext: false });
  assert.deepEqual([sent, traceId], [[undefined, undefined], undefined]);
});

test('jobd serve --trace-context names the trace of each run', async (t) => {
  const { ask } = await startTestDaemon(t, { flags: { traceContext: true } });
  const sink = await startSink(t);
  const input = { name: 'a', url: sink.url, scheduleType: 'cron', cronExpr: '0 0 1 1 *' };
  const { job } = (await ask('POST', '/jobs', { ...input, timezone: 'UTC' })).body;
  await ask('POST', `/jobs/${job.id}/run`);
  const { headers } = await until('its call', () => sink.received[0]);
  const runId = String(headers['x-service-run-id']);
  assert.equal(String(headers['traceparent']).split('-')[1], runId.replaceAll('-', ''));
});
