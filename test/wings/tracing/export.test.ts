/** Spans reach a collector in the background, and a collector harms nothing (docs/monitoring.md#spans). */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { CallSpan } from '../../../src/domain/runs/call-span.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { startSpans } from '../../../src/wings/tracing/export.ts';
import { openLog } from '../../../src/base/log.ts';
import { fakeClock, steadyClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { loopback } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const span: CallSpan = {
  traceId: '0199a0b1c2d37456889900aabbccddee',
  spanId: '00f067aa0ba902b7',
  runId: '0199a0b1-c2d3-7456-8899-00aabbccddee',
  jobId: 'id',
  job: 'backup',
  dueAt: 0,
  attempt: 1,
  method: 'GET',
  url: 'https://example.com/',
  startedAt: 0,
  durationMs: 1,
  result: null,
};

interface Sent {
  traceId: string;
  spanId: string;
}

/** The spans of a request. */
function spansIn(body: string): Sent[] {
  return JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;
}

/** An exporter and its collector, whose answer may change. */
async function exporting(t: TestContext, answer: (response: ServerResponse) => void, ratio = 1) {
  const collector = await startSink(t, (response) => answer(response));
  const egress = createEgress({ allowTargets: loopback, connectionsPerHost: 1, userAgent: 'test' });
  t.after(() => egress[Symbol.asyncDispose]());
  const wall = fakeClock();
  const left = { sent: 0, dropped: 0 };
  const spans = startSpans({
    settings: {
      url: `${collector.url}/v1/traces`,
      headers: { authorization: 'Bearer token' },
      resource: { 'service.name': 'jobd' },
      ratio,
    },
    version: '1.2.3',
    egress,
    clock: steadyClock(wall),
    log: openLog('silent'),
    meter: { spansLeft: (result, count) => void (left[result] += count) },
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await spans[Symbol.asyncDispose]();
    isStopped = true;
  };
  t.after(stop);
  const note = (count: number) => {
    for (let index = 0; index < count; index += 1) spans.note(span);
  };
  return { collector, spans, wall, left, note, stop };
}

test('spans are sent in batches of 512, the rest after 5 s, and the last ones by a stop', async (t) => {
  const { collector, wall, left, note, stop } = await exporting(t, (response) =>
    response.writeHead(200).end('{}'),
  );
  note(513);
  await until('a full batch', () => left.sent === 512);
  wall.advance(5_000);
  await until('the rest', () => left.sent === 513);
  assert.deepEqual(
    collector.received.map(({ body }) => spansIn(body).length),
    [512, 1],
  );
  const [first = assert.fail()] = collector.received;
  assert.equal(first.path, '/v1/traces');
  assert.equal(first.method, 'POST');
  assert.equal(first.headers['content-type'], 'application/json');
  assert.equal(first.headers['authorization'], 'Bearer token');
  note(2);
  await stop();
  assert.deepEqual(left, { sent: 515, dropped: 0 });
});

test('a busy collector gets the same batch again after the pause that it asks for, and no more than 2,048 wait', async (t) => {
  let status = 429;
  const { collector, wall, left, note } = await exporting(t, (response) =>
    response.writeHead(status, { 'retry-after': '30' }).end('{}'),
  );
  note(512);
  await until('the first try', () => collector.received.length === 1);
  note(2_000);
  assert.deepEqual(left, { sent: 0, dropped: 464 });
  status = 200;
  await until('its answer was read', () => {
    wall.advance(10_000);
    return collector.received.length > 1;
  });
  assert.equal(collector.received[1]?.body, collector.received[0]?.body);
  await until('all are sent', () => {
    wall.advance(10_000);
    return left.sent === 2_048;
  });
});

test('what a collector refuses is dropped and counted, also a part of it', async (t) => {
  const answers = [() => [400, 'no'], () => [200, '{"partialSuccess":{"rejectedSpans":"2"}}']];
  const { left, note, wall } = await exporting(t, (response) => {
    const [status, body] = answers.shift()?.() ?? [200, '{}'];
    response.writeHead(Number(status)).end(body);
  });
  note(512);
  await until('a refusal', () => left.dropped === 512);
  wall.advance(5_000);
  note(5);
  await until('a part', () => left.sent === 3);
  assert.equal(left.dropped, 514);
});

test('a collector that is away, or hangs, delays a stop by seconds at most', async (t) => {
  const hanging = await exporting(t, () => {});
  hanging.note(512);
  await until('it hangs', () => hanging.collector.received.length === 1);
  await hanging.stop();
  assert.deepEqual(hanging.left, { sent: 0, dropped: 512 });
});

test('each attempt of a run is a span, whose id its call has, and its collector may be broken', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    const status = sink.received.length === 1 ? 503 : 204;
    response.writeHead(status, { 'retry-after': '0' }).end();
  });
  const job = await addJob({ ...dueOnce, url: `${sink.url}?q=secret`, retries: 1 });
  clock.set(dueAt);
  const noted: CallSpan[] = [];
  const spans = { isSampled: () => true, note: (one: CallSpan) => void noted.push(one) };
  await start({ traceContext: true, spans });
  const [run = assert.fail()] = await endedRuns(job, 1);
  assert.deepEqual(
    noted.map(({ runId, traceId, attempt, result }) => [
      runId,
      traceId,
      attempt,
      result?.kind === 'response' && result.response.httpStatus,
    ]),
    [
      [run.id, run.id.replaceAll('-', ''), 1, 503],
      [run.id, run.id.replaceAll('-', ''), 2, 204],
    ],
  );
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['traceparent']),
    noted.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
});

test('a run that is not sampled has no span, and its calls say so', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  const spans = { isSampled: () => false, note: () => assert.fail('a span') };
  await start({ traceContext: true, spans });
  await endedRuns(job, 1);
  assert.match(String(sink.received[0]?.headers['traceparent']), /-00$/);
});
