import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { outcomeOf } from '../../src/domain/runs/outcome.ts';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import { fakeTimers, type FakeTimers } from '../support/fakes/timers.ts';
import { until } from '../support/until.ts';
import {
  answer,
  eventually,
  failureOf,
  get,
  inPhase,
  kept,
  ofTarget,
  responseOf,
  startEgress,
  startTarget,
  type Target,
} from './support.ts';

const timeoutMs = 300;

/** Passes the time of a call, with `meanwhile` every now and then: the call ends with it, neither before nor after. */
async function expire<T>(
  timers: FakeTimers,
  call: Promise<T>,
  meanwhile: () => void = () => {},
): Promise<T> {
  let hasEnded = false;
  void call.then(() => (hasEnded = true));
  const stepMs = timeoutMs / 10;
  for (let passedMs = 0; passedMs < timeoutMs - stepMs; passedMs += stepMs) {
    timers.pass(stepMs);
    meanwhile();
    await nextTurn();
  }
  timers.pass(stepMs - 1);
  await nextTurn();
  assert.equal(hasEnded, false, 'it ended before its time');
  timers.pass(1);
  await nextTurn();
  assert.equal(hasEnded, true, 'it did not end in time');
  return await call;
}

test('the deadline ends a lookup that hangs', async (t) => {
  const timers = fakeTimers();
  const egress = startEgress(t, { timers, resolve: () => new Promise(() => {}) });
  const call = egress.call(get('http://example.com/', { timeoutMs }));
  assert.deepEqual(failureOf(await expire(timers, call)), {
    reason: 'timeout',
    detail: 'no answer within 0.3 s, looking up the name',
    unsent: true,
  });
});

test('the deadline ends a hanging TLS handshake, and closes the connection', async (t) => {
  const timers = fakeTimers();
  // A TCP listener that sends nothing: the connection opens, the handshake never ends.
  const target = await startTarget(t, () => {});
  const egress = startEgress(t, { timers });
  const call = egress.call(get(target.url.replace('http:', 'https:'), { timeoutMs }));
  await eventually(() => target.connections === 1);
  await inPhase(timers, 'in the TLS handshake');
  const { detail } = failureOf(await expire(timers, call));
  assert.equal(detail, 'no answer within 0.3 s, in the TLS handshake');
  await eventually(() => target.open.size === 0);
});

test('the deadline ends waiting for the answer, and closes the connection', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, () => {});
  const call = startEgress(t, { timers }).call(get(target.url, { timeoutMs }));
  await eventually(() => target.requests.length === 1);
  const { detail } = failureOf(await expire(timers, call));
  assert.equal(detail, 'no answer within 0.3 s, waiting for the answer');
  await eventually(() => target.open.size === 0);
  assert.equal(target.requests.length, 1);
});

test('one timer serves calls of all times, in whatever order they begin and end', async (t) => {
  const timers = fakeTimers();
  const egress = startEgress(t, { timers, resolve: () => new Promise(() => {}) });
  const ended: number[] = [];
  const calls = [300, 100, 200, 100, 400].map(async (ms) => {
    await egress.call(get('http://example.com/', { timeoutMs: ms }));
    ended.push(ms);
  });
  await inPhase(timers, 'looking up the name', calls.length);
  assert.equal(timers.waiting.length, 1);
  for (const [passedMs, over] of [
    [99, []],
    [1, [100, 100]],
    [100, [100, 100, 200]],
    [150, [100, 100, 200, 300]],
    [50, [100, 100, 200, 300, 400]],
  ] as const) {
    timers.pass(passedMs);
    await nextTurn();
    assert.deepEqual(ended, over);
  }
  await Promise.all(calls);
  assert.deepEqual(timers.waiting, []);
});

test('without timers of its own, egress goes by the time of this machine', async (t) => {
  const target = await startTarget(t, () => {});
  const failure = failureOf(await startEgress(t).call(get(target.url, { timeoutMs })));
  assert.equal(failure.reason, 'timeout');
});

/** Sends a byte on each connection. */
function drip(target: Target): void {
  for (const socket of target.open) socket.write('v');
}

test('slowly sent headers do not extend the deadline', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nx: '));
  const call = startEgress(t, { timers }).call(get(target.url, { timeoutMs }));
  await eventually(() => target.requests.length === 1);
  const failure = failureOf(await expire(timers, call, () => drip(target)));
  assert.equal(failure.detail, 'no answer within 0.3 s, waiting for the answer');
});

test('a slowly sent body ends in time, as a failed answer that keeps its status', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nv'));
  const call = startEgress(t, { timers }).call(get(target.url, { timeoutMs }));
  await inPhase(timers, 'reading the body');
  const result = await expire(timers, call, () => drip(target));
  const response = responseOf(result);
  assert.equal(response.httpStatus, 200);
  assert.match(response.body, /^v+$/);
  assert.equal(response.broken?.reason, 'timeout');
  const outcome = outcomeOf(ofTarget(result));
  assert.equal(outcome.status, 'failed');
  assert.equal(outcome.detail, 'the response body was not finished within 0.3 s');
});

test('a full preview with an unfinished body is a success at the deadline', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(4096)}`);
  });
  const call = startEgress(t, { timers }).call(get(target.url, { timeoutMs }));
  await inPhase(timers, 'reading the body');
  const result = await expire(timers, call);
  assert.deepEqual(outcomeOf(ofTarget(result)).status, 'success');
  assert.equal(responseOf(result).truncated, true);
});

test('the deadline counts while a call waits for a free connection', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, () => {});
  const egress = startEgress(t, { timers, connectionsPerHost: 1 });
  const holding = egress.call(get(target.url, { timeoutMs: 2000 }));
  await eventually(() => target.requests.length === 1);
  const call = egress.call(get(target.url, { timeoutMs }));
  await inPhase(timers, 'waiting for a free connection');
  assert.match(failureOf(await expire(timers, call)).detail, /waiting for a free connection/);
  assert.equal(target.connections, 1);
  timers.pass(2000);
  assert.equal(failureOf(await holding).reason, 'timeout');
});

test('an abort ends a call in any phase with its own reason', async (t) => {
  const reason = new Error('stopping');
  const silent = await startTarget(t, () => {});
  const halfway = await startTarget(t, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'));
  const egress = startEgress(t, {
    resolve: (host) =>
      host === 'never.example.com'
        ? new Promise(() => {})
        : { kind: 'addresses', addresses: ['127.0.0.1'] },
  });
  const stop = new AbortController();
  const urls = [
    silent.url,
    halfway.url,
    silent.url.replace('http:', 'https:'),
    'http://never.example.com/',
  ];
  const calls = urls.map((url) => egress.call(get(url), stop.signal));
  await eventually(() => silent.connections === 2 && halfway.requests.length === 1);
  stop.abort(reason);
  for (const call of calls) await assert.rejects(call, (error) => error === reason);
  await assert.rejects(egress.call(get(silent.url), stop.signal), (error) => error === reason);
  await eventually(() => silent.open.size === 0 && halfway.open.size === 0);
});

test('an abort after the end of a call has no effect', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const egress = startEgress(t);
  const stop = new AbortController();
  assert.equal(responseOf(await egress.call(get(target.url), stop.signal)).body, 'ok');
  stop.abort();
  assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
  assert.equal(target.connections, 1);
});

/** A listener on `host` whose queue is full: the kernel drops every further handshake. */
async function startSilentListener(t: TestContext, host: string, port: number): Promise<number> {
  const script = `
    const server = require('node:net').createServer().listen(
      { host: '${host}', port: ${port}, backlog: 1 },
      () => {
        require('node:fs').writeSync(1, String(server.address().port));
        // Nothing is accepted from here on.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      },
    );`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const listeningOn = Number(line.toString());
  // A queue for one takes two.
  let answered = 0;
  for (let count = 0; count < 8; count++) {
    const socket = connect({ host, port: listeningOn }, () => answered++);
    t.after(() => socket.destroy());
    socket.on('error', () => {});
  }
  await until('a full queue', () => answered === 2);
  return listeningOn;
}

test('the deadline ends a connect that nobody answers', async (t) => {
  const timers = fakeTimers();
  const port = await startSilentListener(t, '127.0.0.1', 0);
  const call = startEgress(t, { timers }).call(get(`http://127.0.0.1:${port}/`, { timeoutMs }));
  assert.deepEqual(failureOf(await expire(timers, call)), {
    reason: 'timeout',
    detail: 'no answer within 0.3 s, connecting',
    unsent: true,
  });
});

test('an address that does not answer for half a second leaves the rest of the time to the next one', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    host: '127.0.0.3',
  });
  await startSilentListener(t, '127.0.0.2', target.port);
  const egress = startEgress(t, {
    timers,
    allowTargets: parseAllowTargets(['127.0.0.0/8:*']),
    resolve: () => ({ kind: 'addresses', addresses: ['127.0.0.2', '127.0.0.3'] }),
  });
  const call = egress.call(get(`http://two.example.com:${target.port}/`, { timeoutMs: 2000 }));
  await inPhase(timers, 'connecting');
  timers.pass(499);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.equal(target.connections, 0);
  timers.pass(1);
  assert.equal(responseOf(await call).body, 'ok');
});
