/** Windows in which nobody is alerted (docs/behavior.md#mute-1, docs/behavior.md#mute-2). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { unmutes } from '../../../src/domain/alerts/damping.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { coverOf, periodAt, type Window } from '../../../src/domain/windows.ts';
import { gatherRuns, sendDigests } from '../../../src/engine/alerts/digests.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { deleteSpentJobs } from '../../../src/engine/upkeep/spent-jobs.ts';
import { findMuted, keepWindows } from '../../../src/store/accounts/windows.ts';
import { findDigests, findKnownDown } from '../../../src/store/alerts/digests.ts';
import { findNextStateTime } from '../../../src/store/alerts/alert-states.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import * as fc from '../../support/fast-check.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { windowOf } from '../../support/records/window.ts';
import { openTestStore } from '../../support/running/store.ts';

const minute = 60_000;
const url = 'http://127.0.0.1:1/';

function mute(from: number, until: number, more: Partial<Window> = {}): Window {
  return windowOf('mute', from, until, more);
}

/** Minutes at which something happens to one job, and the windows in which it is muted. */
const histories = fc.record({
  turns: fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 30 }),
  windows: fc.array(
    fc.record({
      from: fc.integer({ min: 0, max: 200 }),
      lasts: fc.integer({ min: 1, max: 60 }),
      of: fc.constantFrom('all', 'label', 'id', 'other'),
    }),
    { maxLength: 4 },
  ),
  endedAt: fc.option(fc.integer({ min: 1, max: 200 })),
});

test('nobody is alerted while it is muted, and what a channel was told last becomes true after it', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  let number = 0;
  const run = async ({
    turns,
    windows: drawn,
    endedAt,
  }: typeof histories extends fc.Arbitrary<infer T> ? T : never) => {
    number += 1;
    const began = number * 1_000 * minute;
    const labels = { client: 'acme' };
    const job = await setup.addJob({ labels });
    const channel = await addChannel(setup, url, { jobIds: [job.id] });
    const abouts = {
      all: {},
      label: { selector: 'client=acme' },
      id: { jobIds: [job.id] },
      other: { selector: 'client=other' },
    };
    const at = (minutes: number): number => began + minutes * minute;
    let windows = drawn.map(({ from, lasts, of }) => mute(at(from), at(from + lasts), abouts[of]));
    const mutedAt: boolean[] = [];
    await store.write((tx) => keepWindows(tx, workspaceId, windows, at(0)));
    const clock = fakeClock(at(0));
    const expander = createExpander(store, clock);
    let isDown = false;
    for (let minutes = 0; minutes <= 300; minutes++) {
      const now = at(minutes);
      clock.advance(now - clock.now());
      if (minutes === endedAt) {
        windows = windows.map((one) => ({ ...one, endedAt: isoTime(now) }));
        await store.write((tx) => keepWindows(tx, workspaceId, windows, now));
      }
      const own = windows.filter((one) => coverOf(one)(job.id, labels));
      mutedAt.push(own.some((one) => periodAt(one, now) !== null));
      if (turns.includes(minutes)) {
        isDown = !isDown;
        const type = isDown ? 'job.failed' : 'job.recovered';
        const about = {
          id: newId(now),
          type,
          workspaceId,
          subjectId: job.id,
          runId: null,
        } as const;
        const failures = isDown ? 1 : 0;
        await insertHealthChanges(store.db, [{ ...about, failures, data: {}, at: now }]);
        while ((await expander.expand([])) > 0);
      }
      const next = (await findNextStateTime(store.db)) ?? Infinity;
      assert.ok(
        next === Infinity || next <= now + 15 * minute,
        'no state is due so late that it looks like a clock that was ahead',
      );
      if (next <= now) await expander.release([]);
    }
    const told = await deliveriesOf(setup, channel);
    for (const { createdAt } of told) {
      assert.equal(mutedAt[(createdAt - began) / minute], false, `alerted at ${createdAt - began}`);
    }
    for (const [index, { event }] of told.entries()) {
      assert.equal(
        event,
        index % 2 === 0 ? 'job.failed' : 'job.recovered',
        'each alert is a change',
      );
    }
    assert.equal(told.length % 2 === 1, isDown, 'what was told last is true');
  };
  await fc.assert(fc.asyncProperty(histories, run), { numRuns: 15 });
});

test('missed runs of muted jobs are not gathered, and no reminder names them', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, url, { alsoOn: ['missed'] });
  const muted = await setup.addJob({ labels: { client: 'acme' } });
  const other = await setup.addJob({});
  for (const { id } of [muted, other]) {
    await store.db.updateTable('jobs').set({ health: 'down' }).where('id', '=', id).execute();
    const known = { health: 'down', changed_at: 1, alerts: 1, quiet_until: 0 } as const;
    const pair = { subject_id: id, channel_id: channel.id };
    await store.db
      .insertInto('alert_states')
      .values({ ...pair, ...known })
      .execute();
  }
  const idsOfDown = async (now: number): Promise<string[]> => {
    const known = [muted, other].map(({ id }) => ({ id, workspaceId }));
    const except = [...(await findMuted(store.db, known, now)).keys()];
    const found = await findKnownDown(store.db, channel, { jobs: true, except });
    return (found?.first ?? []).map(({ id }) => id).toSorted();
  };
  const both = [muted.id, other.id].toSorted();
  for (const about of [{ selector: 'client=acme' }, { jobIds: [muted.id] }]) {
    const window = mute(10 * minute, 20 * minute, about);
    await store.write((tx) => keepWindows(tx, workspaceId, [window], 1));
    assert.deepEqual(await idsOfDown(9 * minute), both);
    assert.deepEqual(await idsOfDown(10 * minute), [other.id]);
    assert.deepEqual(await idsOfDown(20 * minute), both);
  }
  await store.write((tx) => keepWindows(tx, workspaceId, [mute(10 * minute, 20 * minute)], 1));
  assert.deepEqual(await idsOfDown(15 * minute), []);

  const gathered = async (now: number): Promise<string[]> => {
    const runs = [muted, other].map(({ id: jobId }) => {
      return { id: newId(1), jobId, workspaceId, scheduledFor: 5, lastDueAt: 5, reason: 'why' };
    });
    await store.write((tx) => gatherRuns(tx, 'missed', { runs, now }));
    const [digest] = await findDigests(store.db, 'job.missed', [channel.id]);
    return (digest?.gathered?.first ?? []).map(({ jobId }) => jobId);
  };
  assert.deepEqual(await gathered(15 * minute), []);
  assert.deepEqual(await gathered(25 * minute), [muted.id, other.id]);
});

/** A job whose failure is held back by a window of 4 hours, or is not without one. */
async function heldBack(t: TestContext, channelInput: object, isMuted = true) {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const began = 1_000 * minute;
  const channel = await addChannel(setup, url, channelInput);
  const job = await setup.addJob({});
  const keep = async (windows: Window[]) =>
    await store.write((tx) => keepWindows(tx, workspaceId, windows, began));
  if (isMuted) await keep([mute(began, began + 240 * minute)]);
  const clock = fakeClock(began);
  const expander = createExpander(store, clock);
  const about = { workspaceId, subjectId: job.id, runId: null, failures: 1, data: {}, at: began };
  await insertHealthChanges(store.db, [{ id: newId(began), type: 'job.failed', ...about }]);
  while ((await expander.expand([])) > 0);
  return {
    store,
    channel,
    job,
    clock,
    began,
    keep,
    changeJob: async (values: object) =>
      await store.db.updateTable('jobs').set(values).where('id', '=', job.id).execute(),
    changeChannel: async (values: object) =>
      await store.db.updateTable('channels').set(values).where('id', '=', channel.id).execute(),
    told: async () => (await deliveriesOf(setup, channel)).map(({ event }) => event),
    pass: async (minutes: number) => {
      clock.advance(minutes * minute);
      await expander.release([]);
    },
  };
}

test('a failure that is held back keeps its job, and is told after the window', async (t) => {
  const { store, clock, began, changeJob, told, pass } = await heldBack(t, {});
  const spent = { next_run_at: null, last_run_at: began, last_duration_ms: 1 };
  await changeJob({ ...spent, delete_after_seconds: 600, delete_at: began + 10 * minute });
  await pass(60);
  const now = clock.now();
  assert.deepEqual(await store.write((tx) => deleteSpentJobs(tx, now, 10)), []);
  await pass(181);
  assert.deepEqual(await told(), ['job.failed']);
});

test('what is held back is looked at again at once only where a change may end that, a thousand at most', async (t) => {
  const hour = 60 * minute;
  const on = mute(0, 2 * hour);
  const next = (more: Partial<Window>): Window[] => [{ ...on, ...more }];
  const hold = windowOf('hold', 0, 2 * hour);
  const rows: [before: Window[], after: Window[], isUnmuted: boolean, why: string][] = [
    [[on], next({ name: 'other' }), false, 'another name'],
    [[on], next({ until: isoTime(3 * hour) }), false, 'it ends later'],
    [[on], next({ until: isoTime(hour + 6 * minute) }), false, 'it ends before the next look'],
    [[on], next({ until: isoTime(hour + 4 * minute) }), true, 'it ends soon'],
    [[on], next({ endedAt: isoTime(hour) }), true, 'it was ended'],
    [[on], [], true, 'it was deleted'],
    [[on], next({ selector: 'a=b' }), true, 'it is about others'],
    [[on], next({ effect: 'hold' }), true, 'it mutes no more'],
    [[], [on], false, 'it is new'],
    [[hold], [], false, 'it held'],
    [[mute(2 * hour, 3 * hour)], [], false, 'it was to come'],
  ];
  for (const [before, after, isUnmuted, why] of rows) {
    assert.equal(unmutes(before, after, hour), isUnmuted, why);
  }

  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, url);
  const known = { channel_id: channel.id, health: 'up', held: '{}', due_at: 9 * hour } as const;
  const states = Array.from({ length: 1_001 }, (_, index) => {
    return { ...known, subject_id: String(index), changed_at: 1, alerts: 1, quiet_until: 0 };
  });
  for (const some of [states.slice(0, 500), states.slice(500)]) {
    await store.db.insertInto('alert_states').values(some).execute();
  }
  const keep = async (windows: Window[]) =>
    await store.write((tx) => keepWindows(tx, workspaceId, windows, hour));
  const dueNow = async (): Promise<number> =>
    (await store.db.selectFrom('alert_states').select('due_at').execute()).filter(
      ({ due_at: at }) => at === hour,
    ).length;
  await keep([on]);
  await keep(next({ name: 'other' }));
  assert.equal(await dueNow(), 0);
  await keep([]);
  assert.equal(await dueNow(), 1_000);
});

test('a failure that is held back survives changes of its channel', async (t) => {
  for (const during of [{ after_failures: 3 }, { enabled: 0 }]) {
    const { changeChannel, told, pass } = await heldBack(t, {});
    await changeChannel(during);
    for (let turn = 0; turn < 3; turn++) await pass(5);
    await changeChannel({ enabled: 1 });
    await pass(230);
    assert.deepEqual(await told(), ['job.failed'], JSON.stringify(during));
  }
});

test('a reminder that falls into a window comes when it ends', async (t) => {
  const { store, keep, began, changeJob, told } = await heldBack(
    t,
    { remindEverySeconds: 86_400 },
    false,
  );
  await changeJob({ health: 'down' });
  await store.db
    .updateTable('deliveries')
    .set({ status: 'delivered', next_attempt_at: null })
    .execute();
  const nextDay = began + 1_440 * minute;
  await keep([mute(nextDay - 5 * minute, nextDay + 120 * minute)]);
  for (const minutes of [0, 119]) {
    await store.write((tx) => sendDigests(tx, nextDay + minutes * minute));
    assert.deepEqual(await told(), ['job.failed']);
  }
  await store.write((tx) => sendDigests(tx, nextDay + 120 * minute));
  assert.deepEqual(await told(), ['job.failed', 'reminder']);
});
