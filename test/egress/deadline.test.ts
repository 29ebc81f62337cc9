import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { outcomeOf } from '../../src/domain/runs/outcome.ts';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import {
  answer,
  eventually,
  failureOf,
  get,
  ofTarget,
  responseOf,
  startEgress,
  startTarget,
} from './support.ts';

const timeoutMs = 300;

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

function assertOnTime(ms: number): void {
  // Timers count from the last event loop turn, so on a busy machine one may fire early.
  assert.ok(ms >= timeoutMs / 2, `ended after ${ms} ms, before its time`);
  assert.ok(ms < timeoutMs + 1500, `ended only after ${ms} ms`);
}

test('the deadline ends a lookup that hangs', async (t) => {
  const egress = startEgress(t, { resolve: () => new Promise(() => {}) });
  const { result, ms } = await timed(egress.call(get('http://example.com/', { timeoutMs })));
  assert.deepEqual(failureOf(result), {
    reason: 'timeout',
    detail: 'no answer within 0.3 s, looking up the name',
    unsent: true,
  });
  assertOnTime(ms);
});

test('the deadline ends a hanging TLS handshake, and closes the connection', async (t) => {
  // A TCP listener that sends nothing: the connection opens, the handshake never ends.
  const target = await startTarget(t, () => {});
  const egress = startEgress(t);
  const url = target.url.replace('http:', 'https:');
  const { result, ms } = await timed(egress.call(get(url, { timeoutMs })));
  assert.match(failureOf(result).detail, /no answer within 0\.3 s, in the TLS handshake/);
  assertOnTime(ms);
  await eventually(() => target.open.size === 0);
});

test('the deadline ends waiting for the answer, and closes the connection', async (t) => {
  const target = await startTarget(t, () => {});
  const { result, ms } = await timed(startEgress(t).call(get(target.url, { timeoutMs })));
  assert.match(failureOf(result).detail, /no answer within 0\.3 s, waiting for the answer/);
  assertOnTime(ms);
  await eventually(() => target.open.size === 0);
  assert.equal(target.requests.length, 1);
});

test('slowly sent headers do not extend the deadline', async (t) => {
  const target = await startTarget(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    const drip = setInterval(() => socket.write('v'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  const { result, ms } = await timed(startEgress(t).call(get(target.url, { timeoutMs })));
  assert.equal(failureOf(result).reason, 'timeout');
  assertOnTime(ms);
});

test('a slowly sent body ends in time, as a failed answer that keeps its status', async (t) => {
  const target = await startTarget(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('v'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  const { result, ms } = await timed(startEgress(t).call(get(target.url, { timeoutMs })));
  const response = responseOf(result);
  assert.equal(response.httpStatus, 200);
  assert.match(response.body, /^v+$/);
  assert.equal(response.broken?.reason, 'timeout');
  assertOnTime(ms);
  const outcome = outcomeOf(ofTarget(result));
  assert.equal(outcome.status, 'failed');
  assert.equal(outcome.error, 'timeout: the response body was not finished within 0.3 s');
});

test('a full preview with an unfinished body is a success at the deadline', async (t) => {
  const target = await startTarget(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(4096)}`);
  });
  const result = await startEgress(t).call(get(target.url, { timeoutMs }));
  assert.deepEqual(outcomeOf(ofTarget(result)).status, 'success');
  assert.equal(responseOf(result).truncated, true);
});

test('the deadline counts while a call waits for a free connection', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startEgress(t, { connectionsPerHost: 1 });
  const holding = egress.call(get(target.url, { timeoutMs: 2000 }));
  await eventually(() => target.requests.length === 1);
  const { result, ms } = await timed(egress.call(get(target.url, { timeoutMs })));
  assert.match(failureOf(result).detail, /waiting for a free connection/);
  assertOnTime(ms);
  assert.equal(target.connections, 1);
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
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  const egress = startEgress(t);
  const stop = new AbortController();
  assert.equal(responseOf(await egress.call(get(target.url), stop.signal)).body, 'ok');
  stop.abort();
  assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
  assert.equal(target.connections, 1);
});

test('a call ends within 250 ms of its deadline, in any phase', async (t) => {
  const silent = await startTarget(t, () => {});
  const dripping = await startTarget(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('v'), 5);
    socket.on('close', () => clearInterval(drip));
  });
  const egress = startEgress(t, {
    resolve: (host) =>
      host === 'never.example.com'
        ? new Promise(() => {})
        : { kind: 'addresses', addresses: ['127.0.0.1'] },
  });
  const urls = [
    'http://never.example.com/',
    silent.url.replace('http:', 'https:'),
    silent.url,
    dripping.url,
  ];
  for (const url of urls) {
    const off: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { ms } = await timed(egress.call(get(url, { timeoutMs })));
      off.push(Math.abs(ms - timeoutMs));
    }
    // The median of five: a busy machine may delay the test itself now and then.
    const middle = off.toSorted((a, b) => a - b)[2] ?? 0;
    assert.ok(middle <= 250, `${url}: off by ${middle} ms`);
  }
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
  // Connects until one attempt gets no answer for a while: the queue is full.
  for (let count = 0; count < 64; count++) {
    const socket = connect({ host, port: listeningOn });
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    const answered = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise((resolve) => setTimeout(resolve, 300)).then(() => false),
    ]);
    if (!answered) return listeningOn;
  }
  throw new Error('the queue never filled');
}

test('the deadline ends a connect that nobody answers', async (t) => {
  const port = await startSilentListener(t, '127.0.0.1', 0);
  const { result, ms } = await timed(
    startEgress(t).call(get(`http://127.0.0.1:${port}/`, { timeoutMs })),
  );
  assert.deepEqual(failureOf(result), {
    reason: 'timeout',
    detail: 'no answer within 0.3 s, connecting',
    unsent: true,
  });
  assertOnTime(ms);
});

test('an address that does not answer leaves time for the next one', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    host: '127.0.0.3',
  });
  await startSilentListener(t, '127.0.0.2', target.port);
  const egress = startEgress(t, {
    allowTargets: parseAllowTargets(['127.0.0.0/8:*']),
    resolve: () => ({ kind: 'addresses', addresses: ['127.0.0.2', '127.0.0.3'] }),
  });
  const call = get(`http://two.example.com:${target.port}/`, { timeoutMs: 2000 });
  assert.equal(responseOf(await egress.call(call)).body, 'ok');
});
