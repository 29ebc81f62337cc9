/** Missing pings: when a monitor goes down, and when it does not. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { unheard } from '../../support/fakes/changes.ts';
import type { Window } from '../../../src/domain/windows.ts';
import { monitorStatus, type Monitor } from '../../../src/domain/monitors/monitor.ts';
import { createMonitorReplanner } from '../../../src/engine/upkeep/replan.ts';
import { createWatch } from '../../../src/engine/alerts/monitor-watch.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { openLog } from '../../../src/base/log.ts';
import { updateMonitor, markMonitorDeleted } from '../../../src/store/monitors/monitors.ts';
import { changeMonitor } from '../../../src/domain/monitors/monitor-input.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { keepWindows } from '../../../src/store/accounts/windows.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { windowOf } from '../../support/records/window.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

/** The interval of checks, in clock time: a longer one would count as downtime of jobd. */
const lookEveryMs = 10_000;

const log = openLog('silent');

/** Times of the day used by the tests. */
function at(time: string): number {
  return Date.parse(`2026-03-02T${time}Z`);
}

async function setup(t: TestContext) {
  const testStore = await openTestStore(t);
  const { store } = testStore;
  const clock = fakeClock('2026-03-02T10:20:00Z');
  const monitors = storedMonitors(testStore, clock);
  const startWatch = (watched: Store = store) =>
    createWatch({ store: watched, clock, membership: alone(clock), log, changes: unheard });
  let check = startWatch();
  return {
    ...monitors,
    store,
    clock,
    check: () => check(),
    restart: (watched?: Store): void => {
      check = startWatch(watched);
    },
    /** Advances the clock and checks at the interval. */
    passTo: async (time: string): Promise<void> => {
      for (let now = clock.now(); now < at(time); now = clock.now()) {
        clock.set(Math.min(now + lookEveryMs, at(time)));
        // Each check pauses until the next one is due; those that find something run again at once.
        for (let checks = 0; checks < 100 && (await check()) === 0; checks += 1);
      }
    },
    /** The health changes in the outbox, with their times. */
    outbox: async (): Promise<string[]> => {
      const rows = await store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
      return rows.map((row) => `${row.type} ${new Date(row.at).toISOString().slice(11, 19)}`);
    },
    statusOf: async (monitor: Monitor) => monitorStatus(await monitors.read(monitor), clock.now()),
  };
}

test('a monitor is up, late when the ping is due, down after the grace, up with the next success', async (t) => {
  const { add, ping, outbox, passTo, statusOf } = await setup(t);
  const monitor = await add();
  await passTo('10:30:00');
  assert.equal(await statusOf(monitor), 'new', 'nothing is expected before the first ping');
  await ping(monitor);
  await passTo('10:59:59');
  assert.equal(await statusOf(monitor), 'up');
  await passTo('11:00:00');
  assert.equal(await statusOf(monitor), 'late');
  await passTo('11:04:59');
  assert.equal(await statusOf(monitor), 'late');
  assert.deepEqual(await outbox(), []);
  await passTo('11:05:00');
  assert.equal(await statusOf(monitor), 'down');
  assert.deepEqual(await outbox(), ['monitor.down 11:05:00']);
  await passTo('11:30:00');
  assert.deepEqual(await outbox(), ['monitor.down 11:05:00'], 'it is down once');
  await ping(monitor);
  assert.equal(await statusOf(monitor), 'up');
  assert.deepEqual(await outbox(), ['monitor.down 11:05:00', 'monitor.up 11:30:00']);
});

test('the pause lasts until the earliest deadline of all monitors', async (t) => {
  const { add, ping, check } = await setup(t);
  assert.equal(await check(), Infinity);
  for (const minutes of [50, 20, 40]) {
    await ping(await add({ scheduleType: 'period', periodSeconds: minutes * 60 }));
  }
  for (let count = 0; count < 20; count += 1) await add();
  assert.equal(await check(), 25 * 60_000);
});

test('a ping due while jobd was stopped gets its grace from the next start', async (t) => {
  const { add, ping, clock, passTo, statusOf, restart } = await setup(t);
  const monitor = await add();
  const silent = await add();
  for (const each of [monitor, silent]) await ping(each);
  clock.set(at('13:10:00'));
  restart();
  await passTo('13:14:59');
  for (const each of [monitor, silent]) assert.equal(await statusOf(each), 'late');
  await ping(monitor);
  await passTo('13:15:00');
  assert.deepEqual([await statusOf(monitor), await statusOf(silent)], ['up', 'down']);
});

test('a ping due while the machine slept or the clock was set gets its full grace', async (t) => {
  const { add, ping, clock, passTo, statusOf, check } = await setup(t);
  const monitor = await add();
  await ping(monitor);
  await passTo('10:50:00');
  clock.set(at('12:10:00'));
  await check();
  await passTo('12:14:59');
  assert.equal(await statusOf(monitor), 'late');
  await passTo('12:15:00');
  assert.equal(await statusOf(monitor), 'down');
});

test('a ping due before the clock was set back gets its full grace from then on', async (t) => {
  const { add, ping, clock, passTo, statusOf, check } = await setup(t);
  const monitor = await add();
  await ping(monitor);
  await passTo('11:04:00');
  clock.set(at('11:02:00'));
  await check();
  await passTo('11:06:59');
  assert.equal(await statusOf(monitor), 'late');
  await passTo('11:07:00');
  assert.equal(await statusOf(monitor), 'down');
});

test('a monitor is down in time although jobd was started by a clock that was a year ahead', async (t) => {
  const { add, ping, check, clock, restart, outbox, passTo } = await setup(t);
  const monitor = await add();
  clock.advance(365 * 86_400_000);
  restart();
  await check();
  clock.set(at('10:20:00'));
  await check();
  await ping(monitor);
  await passTo('12:00:00');
  assert.deepEqual(await outbox(), ['monitor.down 11:05:00']);
});

test('while the store cannot be written no ping can be recorded: the grace starts when it can', async (t) => {
  const { add, ping, store, clock, statusOf, restart, check, passTo } = await setup(t);
  const monitor = await add();
  await ping(monitor);
  let isFull = true;
  const write: Store['write'] = async (work) => {
    if (isFull) throw new Error('the disk is full');
    return await store.write(work);
  };
  restart({ ...store, write });
  await passTo('11:04:59');
  for (let now = at('11:05:00'); now <= at('11:20:00'); now += lookEveryMs) {
    clock.set(now);
    await assert.rejects(check(), /full/);
  }
  isFull = false;
  await check();
  assert.equal(await statusOf(monitor), 'late');
  await passTo('11:24:59');
  assert.equal(await statusOf(monitor), 'late');
  await passTo('11:25:00');
  assert.equal(await statusOf(monitor), 'down');
});

test('a paused or deleted monitor never goes down; a resumed one can again', async (t) => {
  const { add, ping, store, clock, passTo, statusOf, read } = await setup(t);
  const [paused, deleted] = [await add(), await add()];
  for (const monitor of [paused, deleted]) await ping(monitor);
  const change = async (action: 'pause' | 'resume') =>
    updateMonitor(store.db, changeMonitor(await read(paused), { action }, clock.now()));
  await change('pause');
  await markMonitorDeleted(store.db, deleted.id, clock.now());
  await passTo('12:30:00');
  assert.equal(await statusOf(paused), 'paused');
  assert.equal((await read(paused)).health, 'up');
  const rows = await store.db.selectFrom('monitors').select(['id', 'health']).execute();
  assert.equal(rows.find(({ id }) => id === deleted.id)?.health, 'up');
  await change('resume');
  await passTo('13:04:59');
  assert.equal(await statusOf(paused), 'late');
  await passTo('13:05:00');
  assert.equal(await statusOf(paused), 'down');
});

test('hundreds of monitors that are due at once go down in small transactions', async (t) => {
  const { add, ping, store, passTo, restart } = await setup(t);
  await Promise.all(Array.from({ length: 450 }, async () => ping(await add())));
  let writes = 0;
  const write: Store['write'] = async (work) => {
    writes += 1;
    return await store.write(work);
  };
  restart({ ...store, write });
  await passTo('11:05:00');
  const rows = await store.db.selectFrom('monitors').select('health').execute();
  assert.deepEqual(new Set(rows.map(({ health }) => health)), new Set(['down']));
  assert.equal(writes, 3, '200 in each');
});

test('setting back a fast clock does not delay any monitor', async (t) => {
  const { add, ping, store, clock, read, passTo, statusOf } = await setup(t);
  const monitor = await add();
  clock.set(at('10:20:00') + 365 * 86_400_000);
  await ping(monitor);
  clock.set(at('10:20:00'));
  const replanner = createMonitorReplanner(store, clock);
  assert.equal((await replanner.step()).changed, 1);
  assert.equal((await read(monitor)).nextDueAt, at('11:00:00'));
  assert.equal((await replanner.step()).changed, 0);
  await passTo('11:05:00');
  assert.equal(await statusOf(monitor), 'down');
});

test('a running engine marks a monitor as down by itself, and logs it', async (t) => {
  const engineTest = await setupEngine(t);
  const { clock, start, logged } = engineTest;
  const { add, ping, read } = storedMonitors(engineTest, clock);
  const monitor = await add({ graceSeconds: 0 });
  await ping(monitor);
  await start();
  clock.set('2026-03-02T11:00:00Z');
  await until('the monitor to be down', async () => (await read(monitor)).health === 'down');
  const line = logged.find(({ msg }) => msg === 'monitor changed');
  const names = { monitor: monitor.name, monitorId: monitor.id };
  const change = { from: 'up', to: 'down', dueAt: '2026-03-02T11:00:00.000Z' };
  assert.deepEqual({ ...line }, { ...line, level: 40, ...names, ...change });
});

test('a ping that is due in a hold has its grace after it, also if that is ended early; others are missed', async (t) => {
  const { add, ping, outbox, passTo, store, clock, check } = await setup(t);
  const held = await add();
  const free = await add();
  const hold = windowOf('hold', at('10:55:00'), at('12:00:00'), { monitorIds: [held.id] });
  const keep = async (window: Window) =>
    await store.write((tx) => keepWindows(tx, held.workspaceId, [window], clock.now()));
  await keep(hold);
  await passTo('10:30:00');
  await ping(held);
  await ping(free);
  await passTo('11:30:00');
  assert.deepEqual(await outbox(), ['monitor.down 11:05:00'], 'that of the other one');
  await keep({ ...hold, endedAt: new Date(at('11:30:00')).toISOString() });
  await check();
  await passTo('11:34:59');
  assert.equal((await outbox()).length, 1);
  await passTo('11:35:00');
  assert.deepEqual((await outbox()).toSorted(), ['monitor.down 11:05:00', 'monitor.down 11:35:00']);
});

test('a hold that is deleted leaves the monitors that waited for its end their grace, and others theirs', async (t) => {
  const { add, ping, outbox, passTo, store, clock, check } = await setup(t);
  const held = await add();
  const hold = windowOf('hold', at('10:55:00'), at('12:00:00'));
  const keep = async (...windows: Window[]) =>
    await store.write((tx) => keepWindows(tx, held.workspaceId, windows, clock.now()));
  await keep(hold);
  await passTo('10:30:00');
  await ping(held);
  await passTo('11:30:00');
  await keep();
  await check();
  await passTo('11:32:00');
  await keep();
  await passTo('11:34:59');
  assert.deepEqual(await outbox(), []);
  await passTo('11:35:00');
  assert.deepEqual(await outbox(), ['monitor.down 11:35:00'], 'later changes put nothing off');
});
