/** The loop that runs every background task. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { JobdError, storeUnusable } from '../../src/domain/errors.ts';
import { startLoop } from '../../src/engine/loop.ts';
import type { Step } from '../../src/engine/loop.ts';
import type { LogLine } from '../support/running/engine.ts';
import { until } from '../support/until.ts';

/** Starts a loop that ends with the test, and counts its steps. */
function start(t: TestContext, step: Step) {
  const logged: (LogLine & { failures: number; pauseMs: number })[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let begun = 0;
  let ended = 0;
  const counted: Step = async () => {
    begun += 1;
    try {
      return await step();
    } finally {
      ended += 1;
    }
  };
  const loop = startLoop('work', counted, log);
  t.after(() => loop[Symbol.asyncDispose]());
  const failures = () => logged.filter(({ level }) => level === 50);
  return { loop, logged, failures, counts: () => ({ begun, ended }) };
}

test('a loop steps again at once while there is more work, and then pauses', async (t) => {
  let left = 5;
  const { loop, counts } = start(t, async () => ((left -= 1) > 0 ? 0 : Infinity));
  await until('the work to be done', () => left === 0);
  await loop[Symbol.asyncDispose]();
  assert.equal(counts().ended, 5);
});

test('work sent during a step is done before the next one', async (t) => {
  const order: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', () => void order.push('answered'));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  await Promise.all([once(client, 'connect'), once(server, 'connection')]);
  const { counts } = start(t, async () => {
    order.push('step');
    // The first one is on the test's own stack, later ones where loops normally run.
    const { begun } = counts();
    if (begun > 1 && begun < 5) client.write('x');
    return begun < 5 ? 0 : Infinity;
  });
  await until('the last step', () => counts().ended === 5);
  const [, ...later] = order;
  assert.deepEqual(later, ['step', 'answered', 'step', 'answered', 'step', 'answered', 'step']);
});

test('a pause ends after its time, or when the loop is woken', async (t) => {
  const rests = [20, 10_000, Infinity];
  const { loop, counts } = start(t, async () => rests.shift() ?? Infinity);
  await until('the second step', () => counts().ended === 2);
  const began = performance.now();
  loop.wake();
  await until('the third step', () => counts().ended === 3);
  assert.ok(performance.now() - began < 900, 'it did not rest to the end');
});

test('no pause is longer than a second, whatever the step returns', async (t) => {
  const { counts } = start(t, async () => Infinity);
  await until('another step', () => counts().ended >= 2);
});

test('a wake during a step is not lost', async (t) => {
  const { promise: advanceBoth, resolve } = Promise.withResolvers<void>();
  const { loop, counts } = start(t, async () => {
    await advanceBoth;
    return Infinity;
  });
  loop.wake();
  const began = performance.now();
  resolve();
  await until('the step after', () => counts().ended === 2);
  assert.ok(performance.now() - began < 900, 'it did not rest first');
});

test('many concurrent wakes cause one step', async (t) => {
  const { loop, counts } = start(t, async () => Infinity);
  await until('the first rest', () => counts().ended === 1);
  for (let wakes = 0; wakes < 100; wakes += 1) loop.wake();
  await until('the step', () => counts().ended >= 2);
  await loop[Symbol.asyncDispose]();
  assert.ok(counts().ended <= 3, `there were ${counts().ended} steps`);
});

test('a failed step is logged, and retried after growing pauses', async (t) => {
  let failing = 3;
  const { loop, logged, counts } = start(t, async () => {
    if ((failing -= 1) >= 0) throw new Error('no');
    return Infinity;
  });
  await until('a step that fails', () => counts().ended >= 1);
  assert.equal(loop.trouble, 'work fails: no');
  await until('a step that succeeds', () => counts().ended >= 4);
  await until('that it is said', () => loop.trouble === null);
  assert.deepEqual(
    logged.map(({ level, msg, err, failures, pauseMs }) => [
      level,
      msg,
      err?.message,
      failures,
      pauseMs,
    ]),
    [
      [50, 'work failed, will try again', 'no', 1, 100],
      [50, 'work failed, will try again', 'no', 2, 200],
      [50, 'work failed, will try again', 'no', 3, 400],
      [30, 'work works again', undefined, 3, undefined],
    ],
  );
});

test('after a successful step the pauses start small again', async (t) => {
  const fails = [true, true, false, true, false];
  const { failures, counts } = start(t, async () => {
    const failing = fails.shift();
    if (failing === true) throw new Error('no');
    return failing === false ? 0 : Infinity;
  });
  await until('all steps', () => counts().ended >= 6);
  assert.deepEqual(
    failures().map(({ pauseMs }) => pauseMs),
    [100, 200, 100],
  );
});

test('a stopping loop finishes its current step and starts no other', async (t) => {
  const { promise: advanceBoth, resolve } = Promise.withResolvers<void>();
  const { loop, counts } = start(t, async () => {
    await advanceBoth;
    return 0;
  });
  let stopped = false;
  const stopping = loop[Symbol.asyncDispose]();
  const seen = Promise.resolve(stopping).then(() => (stopped = true));
  await setTimeout(20);
  assert.deepEqual([stopped, counts()], [false, { begun: 1, ended: 0 }]);
  resolve();
  await seen;
  loop.wake();
  await loop[Symbol.asyncDispose]();
  assert.deepEqual(counts(), { begun: 1, ended: 1 });
});

test('of a database that cannot be used the log says each reason once, and when all loops work again', async (t) => {
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let reason: string | null = 'ECONNREFUSED';
  const tries = new Map<string, number>();
  const names = ['claim', 'record', 'watch'];
  for (const name of names) {
    const step: Step = async () => {
      tries.set(name, (tries.get(name) ?? 0) + 1);
      if (reason !== null) throw storeUnusable(reason);
      return Infinity;
    };
    const loop = startLoop(name, step, log);
    t.after(() => loop[Symbol.asyncDispose]());
  }
  const fewest = (): number => Math.min(...names.map((name) => tries.get(name) ?? 0));
  await until('each to fail twice', () => fewest() >= 2);
  reason = 'the database system is starting up';
  const seen = fewest();
  await until('each to fail again', () => fewest() > seen + 1);
  reason = null;
  const said = (): unknown[] =>
    logged.map(({ level, msg, loop, error }) => [level, msg, loop, error]);
  await until('the end of the outage', () => logged.some(({ level }) => level === 30));
  const away = 'the database cannot be used, will try again';
  const [first, second] = logged;
  assert.deepEqual(said(), [
    [50, away, first?.['loop'], 'the store cannot be used now: ECONNREFUSED'],
    [
      50,
      away,
      second?.['loop'],
      'the store cannot be used now: the database system is starting up',
    ],
    [30, 'the database can be used again', undefined, undefined],
  ]);
  assert.equal(typeof logged.at(-1)?.['outageMs'], 'number');

  reason = 'ECONNREFUSED';
  await until('the next outage', () => logged.length > 3);
  assert.deepEqual(said()[3], [
    50,
    away,
    logged[3]?.['loop'],
    `the store cannot be used now: ${reason}`,
  ]);
});

test('a failure that is not for the database is logged by each loop, also during an outage', async (t) => {
  const logged: LogLine[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const errors = [
    storeUnusable('no'),
    new JobdError('unavailable', 'the signing key cannot be opened'),
    new TypeError('a bug'),
  ];
  for (const [index, error] of errors.entries()) {
    const loop = startLoop(`loop ${index}`, () => Promise.reject(error), log);
    t.after(() => loop[Symbol.asyncDispose]());
  }
  const messages = () => logged.map(({ msg }) => msg);
  await until('lines of two', () => messages().includes('loop 2 failed, will try again'));
  assert.ok(messages().includes('loop 1 failed, will try again'));
  assert.ok(!messages().includes('loop 0 failed, will try again'));
});
