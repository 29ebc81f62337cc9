/** Which of many addresses is dialled when, by a clock that stands. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Deadline, DeadlineOver, Deadlines } from '../../src/egress/deadline.ts';
import { LocalTrouble } from '../../src/egress/failure.ts';
import { inTurns, Racing, type Attempt, type NotConnected } from '../../src/egress/race.ts';
import { fakeTimers } from '../support/fakes/timers.ts';

const refused: NotConnected = {
  failure: { reason: 'refused', detail: 'nobody listens' },
  unreachable: true,
  isWayMissing: false,
};
const noWay: NotConnected = {
  failure: { reason: 'refused', detail: 'the network is unreachable' },
  unreachable: true,
  isWayMissing: true,
};
const blocked: NotConnected = {
  failure: { reason: 'blocked_address', detail: 'connected to another' },
  unreachable: false,
  isWayMissing: false,
};

type Way = 'silent' | 'good' | NotConnected | Error;

/** A network in which each address answers in its way, at once or never. */
function setup(t: TestContext, ways: Readonly<Record<string, Way>>) {
  const timers = fakeTimers();
  const dialled: string[] = [];
  const cut: string[] = [];
  const dropped: string[] = [];
  const attempt: Attempt<string> = async (address, limit) => {
    dialled.push(address);
    const way = ways[address] ?? 'silent';
    const { promise, reject } = Promise.withResolvers<never>();
    limit.onOver(() => {
      cut.push(address);
      reject(new DeadlineOver());
    });
    if (way === 'silent') return await promise;
    promise.catch(() => {});
    await setImmediate();
    if (way instanceof Error) throw way;
    return way === 'good' ? { connected: `to ${address}` } : way;
  };
  const racing = new Racing(timers);
  const connect = (timeoutMs = 8_000, addresses = Object.keys(ways)) => {
    const deadline = new Deadline({ timeoutMs }, { running: new Deadlines(timers) });
    t.after(() => deadline.stop());
    return racing.connect({ addresses, port: 80, deadline }, attempt, (one) => dropped.push(one));
  };
  /** Lets time pass in small steps, until it is over. */
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < ms / 50; step += 1) {
      timers.pass(50);
      await settled();
    }
  };
  return { timers, dialled, cut, dropped, connect, pass };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

test('families take turns, each in the order of its answer', () => {
  assert.deepEqual(inTurns(['1', '2', '3', '::1', '::2']), ['1', '::1', '2', '::2', '3']);
  assert.deepEqual(inTurns(['::1', '1']), ['1', '::1']);
  assert.deepEqual(inTurns(['::1', '::2']), ['::1', '::2']);
  assert.deepEqual(inTurns([]), []);
});

test('addresses that fail cost no time, however many they are', async (t) => {
  const dead = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`1.0.0.${index}`, refused]),
  );
  const { connect, dialled } = setup(t, { ...dead, '::1': noWay, '::2': 'good' });
  assert.deepEqual(await connect(), { connected: 'to ::2', address: '::2' });
  assert.deepEqual(dialled.slice(0, 4), ['1.0.0.0', '::1', '1.0.0.1', '::2']);
});

test('a machine without IPv4 calls a name with many IPv4 addresses by IPv6', async (t) => {
  const { connect } = setup(t, {
    '1.0.0.1': noWay,
    '1.0.0.2': noWay,
    '1.0.0.3': noWay,
    '::1': 'good',
  });
  assert.deepEqual(await connect(), { connected: 'to ::1', address: '::1' });
});

test('silent addresses cost half a second each, and are given up when another one connects', async (t) => {
  const { connect, dialled, cut, pass } = setup(t, {
    a: 'silent',
    b: 'silent',
    c: 'silent',
    d: 'good',
  });
  const connected = connect();
  await pass(1_450);
  assert.deepEqual(dialled, ['a', 'b', 'c']);
  await pass(50);
  assert.deepEqual(await connected, { connected: 'to d', address: 'd' });
  assert.deepEqual(cut, ['a', 'b', 'c']);
});

test('of little time each address gets a part', async (t) => {
  const { connect, pass } = setup(t, { a: 'silent', b: 'silent', c: 'silent', d: 'good' });
  const connected = connect(1_000);
  await pass(950);
  assert.deepEqual(await connected, { connected: 'to d', address: 'd' });
});

test('four attempts are under way at once at most, and the last ones have all the time', async (t) => {
  const names = 'abcdefgh'.split('');
  const { connect, dialled, cut, pass } = setup(
    t,
    Object.fromEntries(names.map((name) => [name, 'silent'])),
  );
  const over = assert.rejects(connect(30_000), DeadlineOver);
  await pass(10_000);
  assert.deepEqual(dialled, names);
  assert.deepEqual(cut, ['a', 'b', 'c', 'd']);
  await pass(20_000);
  await over;
  assert.deepEqual(cut, names);
});

test('an address that was silent goes last for five minutes', async (t) => {
  const { connect, dialled, pass, timers } = setup(t, { a: 'silent', b: 'good' });
  const first = connect();
  await pass(500);
  await first;
  assert.deepEqual(dialled.splice(0), ['a', 'b']);
  await connect();
  assert.deepEqual(dialled.splice(0), ['b'], 'at once');
  timers.pass(5 * 60_000 + 1);
  const later = connect();
  await pass(500);
  await later;
  assert.deepEqual(dialled, ['a', 'b']);
});

test('an address that was silent until the time was up goes last too, and is still tried', async (t) => {
  const { connect, dialled, pass } = setup(t, { a: 'silent', b: 'silent' });
  for (const _ of [1, 2]) {
    const over = assert.rejects(connect(2_000), DeadlineOver);
    await pass(2_000);
    await over;
  }
  assert.deepEqual(dialled, ['a', 'b', 'a', 'b']);
});

test('if all fail, what a target answered is told rather than a way that is missing', async (t) => {
  const { connect } = setup(t, { '1.0.0.1': noWay, '::1': refused, '1.0.0.2': noWay });
  assert.deepEqual(await connect(), { failure: refused.failure });
  const { connect: again } = setup(t, { '1.0.0.1': noWay, '::1': noWay });
  assert.deepEqual(await again(), { failure: noWay.failure });
});

test('an address that leads elsewhere ends it, and nobody else is dialled', async (t) => {
  const { connect, dialled } = setup(t, { a: blocked, b: 'good' });
  assert.deepEqual(await connect(), { failure: blocked.failure });
  assert.deepEqual(dialled, ['a']);
});

test('what this machine lacks fails the call only if no address connects', async (t) => {
  const trouble = new LocalTrouble('too many open files');
  const { connect } = setup(t, { a: trouble, b: 'good' });
  assert.deepEqual(await connect(), { connected: 'to b', address: 'b' });
  const { connect: again } = setup(t, { a: refused, b: trouble });
  await assert.rejects(again(), trouble);
  const bug = new Error('a bug');
  const { connect: broken } = setup(t, { a: bug, b: 'good' });
  await assert.rejects(broken(), bug);
});

test('what connects after the time was up is closed', async (t) => {
  const { timers, connect, dropped } = setup(t, { a: 'good' });
  const over = assert.rejects(connect(1_000), DeadlineOver);
  timers.pass(1_000);
  await over;
  await settled();
  assert.deepEqual(dropped, ['to a']);
});
