/** When a connection is used again (docs/behavior.md#call-11). */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { fakeTimers } from '../support/fakes/timers.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
import { answer, eventually, get, responseOf, startEgress, startTarget } from './support.ts';

const promise = (seconds: number): string => `keep-alive: timeout=${seconds}, max=100\r\n`;
const tls = { key: serverKey, cert: goodCertificate };

test('a connection without a promise is closed as soon as the answer is read', async (t) => {
  for (const options of [{}, { tls }]) {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')), options);
    const egress = startEgress(t, { ca: authority });
    for (let calls = 1; calls <= 3; calls += 1) {
      assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
      await eventually(() => target.open.size === 0);
      assert.equal(target.connections, calls);
    }
  }
});

test('many calls at once make a connection each, and no more, also under TLS', async (t) => {
  for (const options of [{}, { tls }]) {
    const target = await startTarget(
      t,
      (socket) => socket.write(answer('ok', '200 OK', promise(60))),
      options,
    );
    const egress = startEgress(t, { ca: authority });
    const callers = 32;
    const callInTurn = async (): Promise<void> => {
      for (let call = 0; call < 20; call += 1) {
        assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
      }
    };
    await Promise.all(Array.from({ length: callers }, callInTurn));
    assert.ok(target.connections <= callers, `${target.connections} connections`);
  }
});

/** Answers the first request of a connection, and stays silent or resets it at the next one. */
function once(then: (socket: Socket) => void): (socket: Socket) => void {
  const served = new WeakSet<Socket>();
  return (socket) => {
    if (served.has(socket)) then(socket);
    else socket.write(answer('ok'));
    served.add(socket);
  };
}

test(
  'a target that serves one request per connection and leaves it open is called each time',
  { timeout: 60_000 },
  async (t) => {
    for (const then of [() => {}, (socket: Socket) => socket.resetAndDestroy()]) {
      const target = await startTarget(t, once(then));
      const timers = fakeTimers();
      const egress = startEgress(t, { timers });
      for (const pauseMs of [0, 10, 300, 2_000, 60_000, 120_000]) {
        timers.pass(pauseMs);
        assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
      }
    }
  },
);

test('a target that can serve one connection at a time is free for others after an answer', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  const egress = startEgress(t);
  responseOf(await egress.call(get(target.url)));
  await eventually(() => target.open.size === 0);
});

test('a promise holds until two seconds before its end', async (t) => {
  const rows: [seconds: number, pauseMs: number, isReused: boolean][] = [
    [5, 0, true],
    [5, 2_999, true],
    [5, 3_000, false],
    [2, 0, false],
    [1, 0, false],
    [0, 0, false],
    [60, 57_999, true],
    [60, 58_000, false],
    [3_600, 57_999, true],
    [3_600, 58_000, false],
    [999_999_999, 58_000, false],
  ];
  for (const [seconds, pauseMs, isReused] of rows) {
    const timers = fakeTimers();
    const target = await startTarget(t, (socket) =>
      socket.write(answer('ok', '200 OK', promise(seconds))),
    );
    const egress = startEgress(t, { timers });
    await egress.call(get(target.url));
    timers.stall(pauseMs);
    await egress.call(get(target.url));
    assert.equal(target.connections, isReused ? 1 : 2, `${seconds} s, after ${pauseMs} ms`);
  }
});

test('a connection is closed in time, also if nobody asks for it', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', promise(5))));
  const egress = startEgress(t, { timers });
  await egress.call(get(target.url));
  timers.pass(2_000);
  assert.equal(target.open.size, 1);
  timers.pass(1_000);
  await eventually(() => target.open.size === 0);
  assert.deepEqual(timers.waiting, [], 'nothing is looked after any more');
});

test('while eight connections are open, one is used again at once', async (t) => {
  const timers = fakeTimers();
  let held: Socket[] = [];
  const target = await startTarget(t, (socket, request) => {
    if (request.startsWith('GET /held')) held.push(socket);
    else socket.write(answer('ok'));
  });
  const egress = startEgress(t, { timers });
  const hold = async (count: number): Promise<unknown> => {
    const calls = Array.from({ length: count }, () => egress.call(get(`${target.url}held`)));
    await eventually(() => held.length === count);
    return Promise.all(calls);
  };
  const letGo = (): void => {
    for (const socket of held) socket.write(answer('ok'));
    held = [];
  };
  const seven = hold(7);
  await eventually(() => held.length === 7);
  for (let calls = 1; calls <= 3; calls += 1) await egress.call(get(target.url));
  assert.equal(target.connections, 8, 'the eighth is used again and again');
  timers.stall(999);
  await egress.call(get(target.url));
  assert.equal(target.connections, 8);
  timers.stall(1_000);
  await egress.call(get(target.url));
  assert.equal(target.connections, 9, 'a second is too long');
  letGo();
  await seven;
  timers.pass(3_000);
  await eventually(() => target.open.size === 0);
});

test('a storm does not use a connection again that the server will close at once', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', promise(0))));
  const egress = startEgress(t);
  const calls = Array.from({ length: 100 }, () => egress.call(get(target.url)));
  for (const result of await Promise.all(calls)) assert.equal(responseOf(result).body, 'ok');
  assert.equal(target.connections, 100);
});

test('the end of a storm leaves no connection behind', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  const egress = startEgress(t, { timers });
  const calls = Array.from({ length: 100 }, () => egress.call(get(target.url)));
  for (const result of await Promise.all(calls)) assert.equal(responseOf(result).body, 'ok');
  assert.ok(target.connections < 50, `${target.connections} connections`);
  timers.pass(3_000);
  await eventually(() => target.open.size === 0);
});

test('a connection whose request was not read to its end is not used again', async (t) => {
  const timers = fakeTimers();
  const early = answer('too large', '413 X', promise(60));
  const target = await startTarget(t, () => {}, {
    greet: (socket) => {
      socket.once('data', () => socket.pause().write(early));
    },
  });
  const egress = startEgress(t, { timers });
  const body = 'a'.repeat(8_000_000);
  for (const connections of [1, 2]) {
    const result = await egress.call(get(target.url, { method: 'POST', body }));
    assert.equal(responseOf(result).httpStatus, 413);
    assert.equal(target.connections, connections);
  }
});

test('bytes that nobody asked for close a connection before they answer anything', async (t) => {
  const strays = ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray', '\r\n', '\0', '0\r\n\r\n'];
  for (const stray of strays) {
    let served = 0;
    const target = await startTarget(t, (socket) => {
      served += 1;
      socket.write(answer(`answer ${served}`, '200 OK', promise(60)));
    });
    const egress = startEgress(t);
    assert.equal(responseOf(await egress.call(get(target.url))).body, 'answer 1');
    for (const socket of target.open) socket.write(stray);
    await eventually(() => target.open.size === 0);
    assert.equal(responseOf(await egress.call(get(target.url))).body, 'answer 2');
  }
});

test('what could be two answers for another reader is never followed by a request', async (t) => {
  const smuggled = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray';
  const head = `HTTP/1.1 200 OK\r\n${promise(60)}`;
  const odd = [
    `${head}content-length: ${smuggled.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}content-length: 0, 0\r\n\r\n`,
    `${head}content-length : 0\r\n\r\n`,
    `${head}x: y\n\r\n`.replace('x: y', 'content-length: 0'),
    `${head}transfer-encoding: identity\r\ncontent-length: 0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\n0;x\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\n0\n\r\n`,
    `HTTP/1.1 204 No Content\r\n${promise(60)}content-length: ${smuggled.length}\r\n\r\n`,
  ];
  for (const first of odd) {
    const target = await startTarget(t, (socket) => socket.write(first));
    const egress = startEgress(t);
    for (const connections of [1, 2]) {
      const { httpStatus, broken } = responseOf(await egress.call(get(target.url)));
      assert.ok(httpStatus < 300 && broken === null, first);
      assert.equal(target.connections, connections, first);
    }
  }
});
