import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../src/domain/clock.ts';
import { noteAnswer } from '../../src/base/outage.ts';
import { JobdError, storeUnusable } from '../../src/domain/errors.ts';
import { background, startLoop, type Rest } from '../../src/engine/loop.ts';
import { each } from '../support/each.ts';
import { fakeClock } from '../support/fakes/clock.ts';
import type { LogLine } from '../support/running/engine.ts';
import { until } from '../support/until.ts';

/** Starts a loop that ends with the test, and counts its steps. It rests until the clock passes. */
function start(t: TestContext, step: () => Promise<Rest>) {
  const logged: (LogLine & { failures: number; pauseMs: number })[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let begun = 0;
  let ended = 0;
  const counted = async (): Promise<Rest> => {
    begun += 1;
    try {
      return await step();
    } finally {
      ended += 1;
    }
  };
  const clock = fakeClock(0, { timers: 'fake' });
  const loop = startLoop('work', counted, { log, clock });
  t.after(() => loop[Symbol.asyncDispose]());
  const failures = () => logged.filter(({ level }) => level === 50);
  /** Resolves when it rests after this many steps. Returns how long it still will. */
  const restAfter = async (steps: number): Promise<number> => {
    await until(`step ${steps}`, () => ended >= steps && clock.leftMs().length > 0);
    assert.equal(begun, steps);
    return clock.leftMs()[0] ?? 0;
  };
  return { loop, clock, logged, failures, restAfter, counts: () => ({ begun, ended }) };
}

/** Some turns of the event loop: what was to happen at once has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

test('a loop steps again at once while there is more work, and then pauses', async (t) => {
  let left = 5;
  const { restAfter } = start(t, async () => ((left -= 1) > 0 ? 0 : Infinity));
  await restAfter(5);
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
  let steps = 0;
  const { restAfter } = start(t, async () => {
    order.push('step');
    steps += 1;
    // The first one is on the test's own stack, later ones where loops normally run.
    if (steps > 1 && steps < 5) client.write('x');
    return steps < 5 ? 0 : Infinity;
  });
  await restAfter(5);
  const [, ...later] = order;
  assert.deepEqual(later, ['step', 'answered', 'step', 'answered', 'step', 'answered', 'step']);
});

test('a pause ends after its time, or when the loop is woken', async (t) => {
  const rests = [20, 900, Infinity];
  const { loop, clock, restAfter } = start(t, async () => rests.shift() ?? Infinity);
  assert.equal(await restAfter(1), 20);
  clock.pass(19);
  assert.equal(await restAfter(1), 1);
  clock.pass(1);
  assert.equal(await restAfter(2), 900);
  loop.wake();
  await restAfter(3);
});

test('no pause is longer than a second, whatever the step returns', async (t) => {
  const rests = [Infinity, 10_000];
  const { clock, restAfter } = start(t, async () => rests.shift() ?? 0);
  assert.equal(await restAfter(1), 1_000);
  clock.pass(1_000);
  assert.equal(await restAfter(2), 1_000);
});

test('a wake during a step is not lost', async (t) => {
  const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
  const { loop, restAfter } = start(t, async () => {
    await mayEnd;
    return Infinity;
  });
  loop.wake();
  resolve();
  await restAfter(2);
});

test('many concurrent wakes cause one step', async (t) => {
  const { loop, restAfter } = start(t, async () => Infinity);
  await restAfter(1);
  for (let wakes = 0; wakes < 100; wakes += 1) loop.wake();
  await restAfter(2);
});

test('a step in the background keeps its rest whatever wakes it, but for one without work', async (t) => {
  const rests = [5_000, Infinity];
  const clock = fakeClock();
  const step = background(
    async () => rests.shift() ?? 0,
    clock,
    () => false,
  );
  const { loop, clock: passing, restAfter, counts } = start(t, step);
  assert.equal(await restAfter(1), 5_000);
  loop.wake();
  await turns();
  assert.equal(counts().begun, 1);
  passing.pass(5_000);
  assert.equal(await restAfter(2), 1_000);
  loop.wake();
  await until('the next step', () => counts().begun > 2);
});

test('under pressure a step in the background gets a fiftieth of the time', async () => {
  const clock = fakeClock();
  const step = (tookMs: number, restMs: number) =>
    background(
      async () => {
        clock.pass(tookMs);
        return restMs;
      },
      clock,
      () => true,
    )();
  assert.deepEqual(await step(10, 0), { keptMs: 490 });
  assert.deepEqual(await step(1, 250), { keptMs: 250 });
  assert.deepEqual(await step(60_000, 0), { keptMs: 2_000 });
  assert.equal(await step(10, Infinity), Infinity);
});

test('a failed step is logged, and retried after growing pauses', async (t) => {
  let failing = 3;
  const { loop, clock, logged, restAfter } = start(t, async () => {
    if ((failing -= 1) >= 0) throw new Error('no');
    return Infinity;
  });
  for (const [index, pauseMs] of [100, 200, 400].entries()) {
    assert.equal(await restAfter(index + 1), pauseMs);
    assert.equal(loop.failure, 'no');
    loop.wake();
    await turns();
    assert.equal(await restAfter(index + 1), pauseMs, 'no wake ends it');
    clock.pass(pauseMs);
  }
  await restAfter(4);
  assert.equal(loop.failure, null);
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
  const { failures, clock, restAfter } = start(t, async () => {
    const failing = fails.shift();
    if (failing === true) throw new Error('no');
    return failing === false ? 0 : Infinity;
  });
  for (const [steps, restMs] of [
    [1, 100],
    [2, 200],
    [4, 100],
  ] as const) {
    assert.equal(await restAfter(steps), restMs);
    clock.pass(restMs);
  }
  await restAfter(6);
  assert.deepEqual(each(failures(), 'pauseMs'), [100, 200, 100]);
});

test('a stopping loop finishes its current step and starts no other', async (t) => {
  const { promise: mayEnd, resolve } = Promise.withResolvers<void>();
  const { loop, counts } = start(t, async () => {
    await mayEnd;
    return 0;
  });
  let stopped = false;
  const stopping = loop[Symbol.asyncDispose]();
  const seen = Promise.resolve(stopping).then(() => (stopped = true));
  await turns();
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
  let asks = false;
  const tries = new Map<string, number>();
  const names = ['claim', 'record', 'watch'];
  for (const name of names) {
    const step = async () => {
      tries.set(name, (tries.get(name) ?? 0) + 1);
      if (reason !== null) throw storeUnusable(reason);
      if (asks) noteAnswer();
      return Infinity;
    };
    const loop = startLoop(name, step, { log, clock: systemClock });
    t.after(() => loop[Symbol.asyncDispose]());
  }
  const fewest = (): number => Math.min(...names.map((name) => tries.get(name) ?? 0));
  await until('each to fail twice', () => fewest() >= 2);
  reason = 'the database system is starting up';
  const seen = fewest();
  await until('each to fail again', () => fewest() > seen + 1);
  reason = null;
  const before = fewest();
  await until('each to ask nothing', () => fewest() > before);
  await turns();
  assert.deepEqual(
    logged.filter(({ level }) => level === 30),
    [],
    'no answer says that it is back',
  );
  asks = true;
  const said = (): unknown[] =>
    logged.map(({ level, msg, loop, error }) => [level, msg, loop, error]);
  await until('the end of the outage', () => logged.some(({ level }) => level === 30));
  const away = 'the database cannot be used, will try again';
  const [first, second] = logged;
  assert.deepEqual(said(), [
    [50, away, first?.['loop'], 'the database cannot be used now: ECONNREFUSED'],
    [
      50,
      away,
      second?.['loop'],
      'the database cannot be used now: the database system is starting up',
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
    `the database cannot be used now: ${reason}`,
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
    const loop = startLoop(`loop ${index}`, () => Promise.reject(error), {
      log,
      clock: systemClock,
    });
    t.after(() => loop[Symbol.asyncDispose]());
  }
  const messages = () => logged.map(({ msg }) => msg);
  await until('lines of two', () => messages().includes('loop 2 failed, will try again'));
  assert.ok(messages().includes('loop 1 failed, will try again'));
  assert.ok(!messages().includes('loop 0 failed, will try again'));
});
