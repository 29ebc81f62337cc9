/** Egress in a thread keeps the guarantees of egress, and sends calls and answers in batches. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { createBatching, createIntake, batchSize } from '../../src/egress/thread.ts';
import { startEgressThread } from '../../src/egress/threads.ts';
import { answer, eventually, failureOf, get, responseOf, startTarget } from './support.ts';

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

test('the first batch starts at once, and one more in each turn, in order', async () => {
  const begun: number[] = [];
  const intake = createIntake<number>((item) => begun.push(item));
  const all = numbers(batchSize * 2 + 2);
  intake.add(all.slice(0, batchSize));
  intake.add(all.slice(batchSize));
  assert.equal(begun.length, batchSize, 'also if the first items were no more than a batch');
  await nextTurn();
  assert.equal(begun.length, batchSize * 2);
  await nextTurn();
  assert.deepEqual(begun, all);
});

test('an item that arrives in a later turn starts at once', async () => {
  const begun: number[] = [];
  const intake = createIntake<number>((item) => begun.push(item));
  for (const item of numbers(3)) {
    intake.add([item]);
    assert.equal(begun.length, item + 1);
    await nextTurn();
  }
});

test('an item added while a batch starts comes after the waiting ones', async () => {
  const begun: number[] = [];
  const intake = createIntake<number>((item) => {
    begun.push(item);
    if (item < batchSize) intake.add([item + batchSize]);
  });
  const all = numbers(batchSize * 2);
  intake.add(all.slice(0, batchSize));
  await nextTurn();
  assert.deepEqual(begun, all);
});

test('finish starts all waiting items at once, and only once', async () => {
  const begun: number[] = [];
  const intake = createIntake<number>((item) => begun.push(item));
  const all = numbers(batchSize * 3);
  intake.add(all);
  intake.finish();
  assert.deepEqual(begun, all);
  await nextTurn();
  assert.deepEqual(begun, all);
});

test('full batches are sent at once, the rest when the turn ends', async () => {
  const sent: number[][] = [];
  const collect = createBatching<number>((items) => sent.push(items));
  const all = numbers(batchSize * 2 + 1);
  for (const item of all) collect(item);
  assert.deepEqual(
    sent.map((items) => items.length),
    [batchSize, batchSize],
  );
  await nextTurn();
  assert.deepEqual(sent.flat(), all);
  await nextTurn();
  assert.equal(sent.length, 3);
});

function startThread(t: TestContext): Egress {
  const egress = startEgressThread({
    allowTargets: parseAllowTargets(['127.0.0.1/32:*']),
    connectionsPerHost: 16,
    userAgent: 'jobd/test',
  });
  t.after(() => egress[Symbol.asyncDispose]());
  return egress;
}

test('simultaneous calls each get their own answer, on kept connections', async (t) => {
  const target = await startTarget(t, (socket, request) => {
    socket.write(
      answer(/^POST (\S+)[\s\S]*\r\n\r\n([\s\S]*)$/.exec(request)?.slice(1).join(' ') ?? ''),
    );
  });
  const egress = startThread(t);
  const paths = Array.from({ length: 100 }, (_, index) => String(index));
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const call = get(target.url + path, { method: 'POST', body: `body ${path}` });
      return responseOf(await egress.call(call)).body;
    }),
  );
  assert.deepEqual(
    bodies,
    paths.map((path) => `/${path} body ${path}`),
  );
  assert.equal(target.connections, 16);
});

test("a target's misbehaviour is returned as a value, and a refused address is not dialled", async (t) => {
  const target = await startTarget(t, (socket) => socket.destroy());
  const egress = startThread(t);
  assert.equal(failureOf(await egress.call(get(target.url))).reason, 'reset');
  assert.equal(failureOf(await egress.call(get('http://127.0.0.2/'))).reason, 'blocked_address');
});

test('an abort ends the calls of its signal with its reason, and no others', async (t) => {
  let held: Socket | undefined;
  const target = await startTarget(t, (socket, request) => {
    if (request.startsWith('GET /answered')) held = socket;
  });
  const egress = startThread(t);
  const aborter = new AbortController();
  const reason = new Error('stopped');
  const aborted = egress.call(get(`${target.url}silent`), aborter.signal);
  const other = egress.call(get(`${target.url}answered`));
  await eventually(() => target.requests.length === 2);
  aborter.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
  await assert.rejects(egress.call(get(target.url), aborter.signal), (error) => error === reason);
  held?.write(answer('ok'));
  assert.equal(responseOf(await other).body, 'ok');
  assert.equal(target.requests.length, 2);
});

test('a disposal ends calls in flight and closes every connection', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startThread(t);
  const call = assert.rejects(egress.call(get(target.url)), /egress was closed/);
  await eventually(() => target.requests.length === 1);
  await egress[Symbol.asyncDispose]();
  await call;
  await eventually(() => target.open.size === 0);
});

test('a disposal ends calls that the thread has not started yet', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startThread(t);
  const calls = Array.from({ length: 200 }, () =>
    assert.rejects(egress.call(get(target.url)), /egress was closed/),
  );
  await egress[Symbol.asyncDispose]();
  await Promise.all(calls);
});
