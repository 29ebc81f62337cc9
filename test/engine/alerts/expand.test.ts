/**
 * Outbox expansion: small transactions, workspaces in turn, and only the last states are kept for a
 * channel.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { HealthChange } from '../../../src/domain/alerts/health-change.ts';
import { newId } from '../../../src/domain/id.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { recordAttempt } from '../../support/records/attempt.ts';
import { findDueDeliveries } from '../../../src/store/alerts/delivery-queue.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { keepHistory, removeUpTo } from '../../support/checks/history.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';

const url = 'http://127.0.0.1:1/';
/** Longer than the alert window. */
const afterWindowMs = 30_000;

/** Adds failures of new jobs to the outbox. */
async function addFailures(setup: TestStore, workspaceId: string, count: number): Promise<void> {
  const changes: HealthChange[] = [];
  for (let made = 0; made < count; made += 1) {
    const { id: subjectId } = await setup.addJob();
    const about = {
      id: newId(1),
      type: 'job.failed',
      workspaceId,
      subjectId,
      runId: null,
    } as const;
    changes.push({ ...about, failures: 1, data: {}, at: 1 });
  }
  await insertHealthChanges(setup.store.db, changes);
}

const countOf = async ({ store }: TestStore): Promise<number> =>
  (await store.db.selectFrom('deliveries').select('id').execute()).length;

test('health changes of many channels become deliveries in small transactions, each once, even after a restart', async (t) => {
  const setup = await openTestStore(t);
  for (let made = 0; made < 30; made += 1) await addChannel(setup, url);
  await addFailures(setup, setup.workspaceId, 60);
  const clock = fakeClock(5);
  let expander = createExpander(setup.store, clock);
  let before = 0;
  for (let step = 0; (await expander.expand([])) > 0; step += 1) {
    const after = await countOf(setup);
    assert.ok(after - before <= 200, `${after - before} at once`);
    before = after;
    if (step === 3) expander = createExpander(setup.store, clock);
  }
  assert.equal(before, 60 * 30);
  assert.deepEqual(await setup.store.db.selectFrom('outbox').select('id').execute(), []);
});

test('a workspace with many health changes and channels delays another one by at most one turn', async (t) => {
  const setup = await openTestStore(t);
  const { db } = setup.store;
  for (let made = 0; made < 30; made += 1) await addChannel(setup, url);
  await addFailures(setup, setup.workspaceId, 60);
  const row = await db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
  for (const id of ['0', 'z']) {
    await db
      .insertInto('workspaces')
      .values({ ...row, id, name: `workspace ${id}` })
      .execute();
    const channel = await addChannel({ ...setup, workspaceId: id }, url);
    const expander = createExpander(setup.store, fakeClock(5));
    await expander.expand([]);
    await addFailures(setup, id, 1);
    await expander.expand([]);
    if ((await deliveriesOf(setup, channel)).length === 0) await expander.expand([]);
    assert.equal((await deliveriesOf(setup, channel)).length, 1, id);
  }
});

/** A job and a channel, and functions to change the job's health after the alert window. */
async function changing(t: TestContext) {
  const setup = await openTestStore(t);
  const channel = await addChannel(setup, url);
  const { id: subjectId } = await setup.addJob();
  const clock = fakeClock(1);
  let expander = createExpander(setup.store, clock);
  const due = async () =>
    await findDueDeliveries(setup.store.db, channel.id, clock.now(), { limit: 9, except: [] });
  return {
    due,
    restart: (): void => void (expander = createExpander(setup.store, clock)),
    change: async (type: 'job.failed' | 'job.recovered', underWay: readonly string[] = []) => {
      clock.advance(afterWindowMs);
      const now = clock.now();
      const of = { type, workspaceId: setup.workspaceId, subjectId, runId: null };
      const failures = type === 'job.failed' ? 1 : 0;
      await insertHealthChanges(setup.store.db, [
        { id: newId(now), ...of, failures, data: {}, at: now },
      ]);
      while ((await expander.expand(underWay)) > 0);
    },
    fail: async () => {
      const [delivery = assert.fail()] = await due();
      const now = clock.now();
      const tried = { at: now, startedAt: now, durationMs: 1, httpStatus: 500, error: 'http: 500' };
      const again = { backOff: null, nextAttemptAt: now + 1 };
      assert.ok(await recordAttempt(setup.store.db, { delivery, ...tried, ...again }));
    },
    waiting: async () =>
      (await deliveriesOf(setup, channel)).map(({ event, createdAt, attempts }) =>
        [event, (createdAt - 1) / afterWindowMs, attempts].join(' '),
      ),
  };
}

test('a change that follows another one comes after it, whatever the clock of its node said', async (t) => {
  const setup = await openTestStore(t);
  await addChannel(setup, url);
  const { id: subjectId } = await setup.addJob();
  const of = { workspaceId: setup.workspaceId, subjectId, runId: null, data: {} };
  const types = ['job.failed', 'job.recovered', 'job.failed'] as const;
  // Ids begin with times.
  const ids = types.map(() => newId(1)).toReversed();
  for (const [index, type] of types.entries()) {
    const change = { id: ids[index] ?? '', type, failures: type === 'job.failed' ? 1 : 0, at: 1 };
    await insertHealthChanges(setup.store.db, [{ ...of, ...change }]);
  }
  const expander = createExpander(setup.store, fakeClock(120_000));
  while ((await expander.expand([])) > 0);
  assert.deepEqual(
    await setup.store.db.selectFrom('alert_states').select(['health', 'held']).execute(),
    [{ health: 'down', held: null }],
  );
});

test('of untried alerts of a channel only the last failure and its recovery are kept', async (t) => {
  const { change, waiting, due } = await changing(t);
  await change('job.failed');
  const [first] = await due();
  await change('job.recovered');
  assert.deepEqual(await waiting(), ['job.failed 1 0', 'job.recovered 2 0']);
  await change('job.failed');
  assert.deepEqual(await waiting(), ['job.failed 3 0'], 'no recovery without its failure');
  const [last] = await due();
  assert.ok(first && last && first.id !== last.id, 'an id belongs to one alert');
  for (let more = 0; more < 3; more += 1) {
    await change('job.recovered');
    await change('job.failed');
  }
  await change('job.recovered');
  assert.deepEqual(await waiting(), ['job.failed 9 0', 'job.recovered 10 0']);
});

test('alerts that were or may have been sent are kept, in order', async (t) => {
  const tried = await changing(t);
  await tried.change('job.failed');
  await tried.fail();
  for (const type of ['job.recovered', 'job.failed'] as const) await tried.change(type);
  const all = ['job.failed 1 1', 'job.recovered 2 0', 'job.failed 3 0'];
  assert.deepEqual(await tried.waiting(), all);
  await tried.change('job.recovered');
  assert.deepEqual(await tried.waiting(), ['job.failed 1 1', 'job.recovered 4 0']);
  const open = await changing(t);
  await open.change('job.failed');
  const underWay = (await open.due()).map(({ id }) => id);
  for (const type of ['job.recovered', 'job.failed'] as const) await open.change(type, underWay);
  assert.deepEqual(await open.waiting(), ['job.failed 1 0', 'job.recovered 2 0', 'job.failed 3 0']);
  // By a process that died before it recorded the attempt.
  const restarted = await changing(t);
  await restarted.change('job.failed');
  restarted.restart();
  for (const type of ['job.recovered', 'job.failed', 'job.recovered'] as const) {
    await restarted.change(type);
  }
  assert.deepEqual(await restarted.waiting(), ['job.failed 1 0', 'job.recovered 4 0']);
});

test('an alert that is held back is sent, though its run was removed meanwhile', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, url);
  const { id: subjectId } = await setup.addJob();
  const [failed = '', succeeded = ''] = await keepHistory(store, subjectId, [
    { status: 'failed', at: 1 },
    { status: 'success', at: 2 },
  ]);
  const expand = async (change: Pick<HealthChange, 'type' | 'runId' | 'failures' | 'at'>) => {
    const about = { id: newId(change.at), workspaceId, subjectId, data: null };
    await insertHealthChanges(store.db, [{ ...about, ...change }]);
    await expandAll(setup, change.at);
  };
  await expand({ type: 'job.failed', runId: failed, failures: 1, at: 1 });
  await expand({ type: 'job.recovered', runId: succeeded, failures: 0, at: 2 });
  const events = async () => (await deliveriesOf(setup, channel)).map(({ event }) => event);
  assert.deepEqual(await events(), ['job.failed']);
  const all = { jobId: subjectId, scheduledFor: 2, source: 'scheduled' } as const;
  assert.equal(await store.write((tx) => removeUpTo(tx, all)), 2);
  const later = fakeClock();
  assert.equal(await createExpander(store, later).release([]), 1);
  assert.deepEqual(await events(), ['job.failed', 'job.recovered']);
});
