/** Ping floods: every ping counts, few are stored as rows. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { createPingKeeper, type ReceivedPing } from '../../../src/app/monitors/pings.ts';
import { unheard } from '../../support/fakes/changes.ts';
import type { Monitor, MonitorChange } from '../../../src/domain/monitors/monitor.ts';
import { keptAtPace, pingPace, pingsKept } from '../../../src/domain/monitors/ping.ts';
import type { PingKind } from '../../../src/domain/monitors/ping.ts';
import { listPings } from '../../../src/store/monitors/pings.ts';
import { each } from '../../support/each.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { refuseRows } from '../../support/running/refusal.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { openTestStore } from '../../support/running/store.ts';

/** The clock stands still while a test sends. */
async function setup(t: TestContext) {
  const testStore = await openTestStore(t);
  const { store } = testStore;
  const clock = fakeClock();
  const { add, read } = storedMonitors(testStore, clock);
  const changes: MonitorChange[] = [];
  let commits = 0;
  const counted: typeof store = {
    ...store,
    write(work) {
      commits += 1;
      return store.write(work);
    },
  };
  const keep = createPingKeeper(
    { store: counted, clock, events: unheard },
    (news) => void changes.push(...news),
  );
  const send = async ({ id }: Monitor, kind: PingKind, body: string): Promise<boolean> => {
    const ping: ReceivedPing = {
      monitorId: id,
      kind,
      exitCode: null,
      method: 'POST',
      body,
      truncated: false,
    };
    return await keep(ping);
  };
  return {
    store,
    add,
    read,
    send,
    changes,
    commits: () => commits,
    outbox: async () => {
      const rows = await store.db.selectFrom('outbox').select('type').orderBy('id').execute();
      return rows.map(({ type }) => type);
    },
    list: (monitor: Monitor) => listPings(store.db, monitor.id, { limit: 2_000, before: null }),
    pass: (ms: number) => clock.advanceBoth(ms),
  };
}

test('of a flood of pings the first ones and the last one are stored, and the last one decides the state', async (t) => {
  const { add, read, send, list, changes, commits } = await setup(t);
  const monitor = await add();
  const flood = Array.from({ length: 2_000 }, (_, number) =>
    send(monitor, number % 2 === 0 ? 'success' : 'fail', `${number}`),
  );
  assert.deepEqual(new Set(await Promise.all(flood)), new Set([true]));
  const bodies = (await list(monitor)).map(({ body }) => body);
  assert.equal(bodies.length, pingPace.burst + 1);
  assert.deepEqual(bodies.slice(0, 3), ['1999', '299', '298']);
  assert.equal((await read(monitor)).health, 'down');
  assert.equal(changes.at(-1)?.to, 'down');
  assert.ok(changes.length <= pingPace.burst + 2, `${changes.length} changes`);
  assert.ok(commits() <= 3, `${commits()} commits`);
});

test('folded pings change the state in their order, and a start among them counts', async (t) => {
  const { add, read, send, list, pass } = await setup(t);
  const monitor = await add();
  const full = Array.from({ length: pingPace.burst }, () => send(monitor, 'success', 'full'));
  const folded = [send(monitor, 'start', 'folded')];
  pass(40);
  folded.push(send(monitor, 'success', 'last'));
  await Promise.all([...full, ...folded]);
  assert.equal((await read(monitor)).lastDurationMs, 40);
  const [newest, second] = await list(monitor);
  assert.deepEqual([newest?.body, newest?.durationMs], ['last', 40]);
  assert.equal(second?.body, 'full');
});

test('a failure among folded successes raises an alert and is stored with its body', async (t) => {
  const { add, send, list, changes, outbox, pass } = await setup(t);
  const monitor = await add();
  const sent = Array.from({ length: pingPace.burst + 50 }, () => send(monitor, 'success', ''));
  for (const body of ['first', 'second']) {
    sent.push(send(monitor, 'fail', body));
    pass(1);
    sent.push(send(monitor, 'start', ''), send(monitor, 'success', 'last'));
  }
  await Promise.all(sent);
  assert.deepEqual(await outbox(), ['monitor.down', 'monitor.up']);
  const found = changes.map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(found, ['new up', 'up down', 'down up'], 'one of each kind');
  const rows = (await list(monitor)).map(({ kind, body, number }) => [kind, body, number]);
  assert.equal(rows.length, pingPace.burst + 2);
  assert.deepEqual(rows.slice(0, 2), [
    ['success', 'last', pingPace.burst + 2],
    ['fail', 'second', pingPace.burst + 1],
  ]);
});

test('a few pings a second are all stored for any length of time, and a flood does not affect other monitors', async (t) => {
  const { add, send, list, pass } = await setup(t);
  const [steady, flooded] = [await add(), await add()];
  const flood: Promise<boolean>[] = [];
  for (let number = 0; number < 900; number += 1) {
    pass(pingPace.everyMs);
    flood.push(send(flooded, 'success', ''), send(flooded, 'fail', ''));
    await send(steady, number % 2 === 0 ? 'start' : 'success', '');
  }
  await Promise.all(flood);
  assert.equal((await list(steady)).length, 900);
});

test('a burst is stored, then one ping for each interval that passed', () => {
  let restedAt: number | undefined;
  const kept = (now: number): boolean => {
    const after = keptAtPace(restedAt, now);
    restedAt = after ?? restedAt;
    return after !== null;
  };
  const count = (now: number): number =>
    Array.from({ length: 1_000 }, () => kept(now)).filter(Boolean).length;
  const { burst, everyMs } = pingPace;
  assert.equal(count(5), burst);
  assert.equal(count(5 + everyMs - 1), 0);
  assert.equal(count(5 + everyMs), 1);
  assert.equal(count(5 + 11 * everyMs), 10);
  assert.equal(count(5 + 1_000 * everyMs), burst, 'and no more after a long rest');
});

test('a ping that the database refuses does not refuse those that came with it', async (t) => {
  const { store, add, send, list } = await setup(t);
  const [bad, ...others] = [await add(), await add(), await add()] as const;
  await refuseRows(store.db, 'pings', `new.monitor_id = '${bad.id}'`);
  const refused = assert.rejects(send(bad, 'success', 'bad'), /refusal/);
  await Promise.all(others.map((one) => send(one, 'success', 'good')));
  await refused;
  for (const one of others) assert.deepEqual(each(await list(one), 'body'), ['good']);
  assert.deepEqual(await list(bad), []);
});

// The trigger is written in the words of SQLite.
sqliteTest('a ping is acknowledged only if the old pings were removed with it', async (t) => {
  const { store, add, send, list } = await setup(t);
  const monitor = await add();
  assert.equal(await send(monitor, 'success', 'first'), true);
  await store.db.updateTable('monitors').set({ ping_count: pingsKept }).execute();
  await sql`create trigger keeps_pings before delete on pings
    begin select raise(abort, 'the disk is broken'); end`.execute(store.db);
  await assert.rejects(send(monitor, 'success', 'second'), /the disk is broken/);
  assert.deepEqual(each(await list(monitor), 'body'), ['first']);
  await sql`drop trigger keeps_pings`.execute(store.db);
  assert.equal(await send(monitor, 'success', 'third'), true);
  assert.deepEqual(each(await list(monitor), 'number', 'body'), [[pingsKept + 1, 'third']]);
});
