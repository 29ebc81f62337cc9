/** Missed and interrupted runs, and what stays down, for the channels that ask for them. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { cancel } from '../../../src/app/accounts/accounts.ts';
import type { Alert } from '../../../src/domain/alerts/alert.ts';
import type { Channel, ChannelInput } from '../../../src/domain/alerts/channel.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { newId } from '../../../src/domain/id.ts';
import { gatherRuns, sendDigests } from '../../../src/engine/alerts/digests.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { openLog } from '../../../src/base/log.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { rescueAll } from '../../../src/engine/runs/rescue.ts';
import { recordAttempt } from '../../support/records/attempt.ts';
import { updateChannel } from '../../../src/store/alerts/channels.ts';
import { findDueDeliveries } from '../../../src/store/alerts/delivery-queue.ts';
import { bringDigestsForward, findNextDigestTime } from '../../../src/store/alerts/digests.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { each } from '../../support/each.ts';
import { addChannel, deliveriesOf } from '../../support/records/channel.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { dueAt, dueOnce, setupEngine, type EngineTest } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;
const nowhere = 'http://127.0.0.1:1/';

/** Jobs that miss their time together. */
const outage = 200;

const asked = { alsoOn: ['missed', 'interrupted'] } satisfies Partial<ChannelInput>;

/** The alerts that wait in a channel, and what is kept of those that were sent to it, the oldest first. */
async function alertsOf({ store }: EngineTest, { id }: Channel): Promise<Alert[]> {
  const rows = await store.db
    .selectFrom('deliveries')
    .select('payload')
    .where('channel_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload === '' ? '{}' : payload) as Alert);
}

const send = ({ store, clock }: EngineTest) => store.write((tx) => sendDigests(tx, clock.now()));

test('an outage of many jobs is one alert to each channel that asks, and none to others', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  const target = await startSink(t);
  const jobs: Job[] = [];
  for (let made = 0; made < outage; made += 1) {
    jobs.push(await setup.addJob({ ...dueOnce, name: `job ${made}`, url: target.url }));
  }
  const [{ id: first } = assert.fail()] = jobs;
  const silent = await addChannel(setup, nowhere);
  const all = await addChannel(setup, nowhere, { alsoOn: ['missed'] });
  const chosen = await addChannel(setup, nowhere, { alsoOn: ['missed'], jobIds: [first] });
  await addChannel(setup, nowhere, { alsoOn: ['interrupted'] });
  await addChannel(setup, nowhere, { alsoOn: ['missed'], enabled: false });
  await addChannel(setup, nowhere, { alsoOn: ['missed'], jobIds: [] });
  clock.set(dueAt + 10 * minute);
  const engine = await setup.start();
  await until('the outage to be recorded', async () => {
    const missed = store.db.selectFrom('runs').select('id').where('status', '=', 'missed');
    return (await missed.execute()).length === outage;
  });
  assert.deepEqual(await alertsOf(setup, all), [], 'they are gathered first');
  clock.advance(30_000);
  engine.wakeNotifier();
  await until('the alerts', async () => (await alertsOf(setup, chosen)).length === 1);
  await until('the alerts', async () => (await alertsOf(setup, all)).length === 1);
  const [alert] = await alertsOf(setup, all);
  const due = new Date(dueAt).toISOString();
  assert.equal(alert?.type, 'job.missed');
  assert.partialDeepStrictEqual(alert.data.runs, { count: outage, from: due, to: due });
  assert.deepEqual(alert.data.runs?.reasons, ['jobd was not running']);
  assert.equal(alert.data.runs?.first.length, 10);
  const [one] = await deliveriesOf(setup, chosen);
  assert.deepEqual(one?.subject, { type: 'job', id: first, name: 'job 0' });
  assert.equal((await deliveriesOf(setup, all))[0]?.subject, null);
  assert.deepEqual(await alertsOf(setup, silent), []);
  const rows = await store.db.selectFrom('deliveries').select('id').execute();
  assert.equal(rows.length, 2);
});

/** Gathers a missed run of a job, as a claim does. */
async function miss(
  { store, clock, workspaceId }: EngineTest,
  { id: jobId }: Pick<Job, 'id'>,
): Promise<void> {
  const now = clock.now();
  const run = { id: `run at ${now}`, jobId, workspaceId, scheduledFor: now };
  const report = { ...run, lastDueAt: now, reason: 'overload' };
  await store.write((tx) => gatherRuns(tx, 'missed', { runs: [report], now }));
}

test('the next report waits for 5 min, and for the one before to arrive', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  const { db } = store;
  const channel = await addChannel(setup, nowhere, asked);
  const job = await setup.addJob();
  const counts = async () =>
    (await alertsOf(setup, channel)).map(({ data }) => data.runs?.count ?? 0);
  await miss(setup, job);
  clock.advance(29_999);
  await miss(setup, job);
  assert.equal(await send(setup), 0);
  clock.advance(1);
  await send(setup);
  assert.deepEqual(await counts(), [2]);
  await miss(setup, job);
  clock.advance(299_999);
  await send(setup);
  assert.deepEqual(await counts(), [2]);
  clock.advance(1);
  await miss(setup, job);
  await send(setup);
  assert.deepEqual(await counts(), [2], 'it waits, so this one does not exist yet');
  const all = { limit: 9, except: [] };
  const [delivery = assert.fail()] = await findDueDeliveries(db, channel.id, clock.now(), all);
  const arrived = { startedAt: 1, durationMs: 1, httpStatus: 200, error: null, backOff: null };
  await recordAttempt(db, { delivery, at: clock.now(), ...arrived, nextAttemptAt: null });
  clock.advance(minute);
  await send(setup);
  assert.deepEqual(await counts(), [0, 2], 'of one that arrived only the ids of its runs are kept');
  assert.equal(await findNextDigestTime(db), null, 'nothing is left');
});

test('a report that waits is not replaced by a newer failure of its job', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  const channel = await addChannel(setup, nowhere, asked);
  const { id: subjectId } = await setup.addJob();
  const of = { workspaceId: setup.workspaceId, subjectId, runId: null, data: {} };
  const expander = createExpander(store, clock);
  const change = async (type: 'job.failed' | 'job.recovered') => {
    clock.advance(minute);
    const at = clock.now();
    const failures = type === 'job.failed' ? 1 : 0;
    await insertHealthChanges(store.db, [{ ...of, id: newId(at), type, failures, at }]);
    while ((await expander.expand([])) > 0);
  };
  await change('job.failed');
  await miss(setup, { id: subjectId });
  clock.advance(minute);
  await send(setup);
  await change('job.recovered');
  await change('job.failed');
  const events = (await deliveriesOf(setup, channel)).map(({ event }) => event);
  assert.deepEqual(events, ['job.missed', 'job.failed']);
});

test('times that were planned by a wrong clock are brought forward', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  await addChannel(setup, nowhere, asked);
  const now = clock.now();
  await miss(setup, await setup.addJob());
  await bringDigestsForward(store.db, now);
  assert.equal(await findNextDigestTime(store.db), now + 30_000, 'it stays');
  await store.db
    .updateTable('digests')
    .set({ due_at: now + 24 * hour })
    .execute();
  await bringDigestsForward(store.db, now);
  assert.equal(await findNextDigestTime(store.db), now + 5 * minute);
});

test('nothing is reported to a channel that no longer asks, or of a job that is deleted', async (t) => {
  const setup = await setupEngine(t);
  const { clock, store } = setup;
  const channel = await addChannel(setup, nowhere, asked);
  const job = await setup.addJob();
  await miss(setup, job);
  await updateChannel(store.db, { ...channel, alsoOn: ['interrupted'] }, null);
  clock.advance(minute);
  assert.equal(await send(setup), 1);
  await updateChannel(store.db, channel, null);
  await miss(setup, job);
  await markJobDeleted(store.db, job.id, clock.now());
  clock.advance(minute);
  assert.equal(await send(setup), 1);
  assert.deepEqual(await alertsOf(setup, channel), []);
  assert.equal(await findNextDigestTime(store.db), null);
});

test('runs of a dead process are gathered with their record, or not at all', async (t) => {
  const setup = await setupEngine(t);
  const { store, clock } = setup;
  const channel = await addChannel(setup, nowhere, asked);
  const job = await setup.addJob({ name: 'backup' });
  await beginRuns(store.db, startingRun(job.id, clock.now()));
  const broken = {
    ...store,
    write: <T>(work: (tx: typeof store.db) => Promise<T>): Promise<T> =>
      store.write(async (tx) => {
        await work(tx);
        throw new Error('the disk is full');
      }),
  };
  const rescue = (in_: typeof store): Promise<number> =>
    rescueAll({ store: in_, clock, log: openLog('silent'), meter: uncounted, changes: unheard });
  await assert.rejects(rescue(broken), /the disk is full/);
  assert.equal(await findNextDigestTime(store.db), null);
  assert.equal(await rescue(store), 1);
  assert.equal(await rescue(store), 0);
  clock.advance(30_000);
  await send(setup);
  const [alert] = await alertsOf(setup, channel);
  assert.equal(alert?.type, 'job.interrupted');
  assert.equal(alert.data.runs?.count, 1);
  assert.match(alert.data.runs?.reasons.join() ?? '', /^the process that executed it ended/);
});

test('an interrupted run that is recorded twice is gathered once', async (t) => {
  const setup = await setupEngine(t);
  const { store, clock, workspaceId } = setup;
  const channel = await addChannel(setup, nowhere, asked);
  const job = await setup.addJob();
  const run = startingRun(job.id, clock.now());
  await beginRuns(store.db, run);
  const claimed = {
    workspaceId,
    health: 'new',
    failures: 0,
    scheduledFor: run.scheduledFor,
  } as const;
  const ended = endedRun({ ...run, runId: run.id }, 'interrupted', { finishedAt: clock.now() });
  const batch = { executions: [{ claimed, ended }], attempts: [] };
  const record = async () =>
    (await store.write((tx) => recordBatch(tx, batch, { receipts: false }))).ended.length;
  assert.deepEqual([await record(), await record()], [1, 0]);
  clock.advance(minute);
  await send(setup);
  const [alert] = await alertsOf(setup, channel);
  assert.equal(alert?.data.runs?.count, 1);
});

test('a run that a stop interrupts is gathered', async (t) => {
  const setup = await setupEngine(t);
  const target = await startSink(t, () => {});
  const channel = await addChannel(setup, nowhere, asked);
  await setup.addJob({ ...dueOnce, name: 'backup', url: target.url });
  setup.clock.set(dueAt);
  const engine = await setup.start({ drainMs: 0 });
  await until('the call', () => target.received.length === 1);
  await engine[Symbol.asyncDispose]();
  setup.clock.advance(minute);
  await send(setup);
  const [alert] = await alertsOf(setup, channel);
  assert.equal(alert?.type, 'job.interrupted');
  assert.equal(alert.data.runs?.first[0]?.job.name, 'backup');
});

/** A job that fails each hour until it is told otherwise, and a channel with reminders a minute after every second hour. */
async function failing(t: TestContext) {
  const setup = await setupEngine(t);
  let status = 500;
  const target = await startSink(t, (response) => response.writeHead(status).end());
  const receiver = await startSink(t);
  const job = await setup.addJob({ ...dueOnce, name: 'backup', url: target.url });
  const channel = await addChannel(setup, receiver.url, { remindEverySeconds: 7_260 });
  let runs = 0;
  return {
    setup,
    job,
    channel,
    receiver,
    mend: (): void => void (status = 200),
    runNext: async (wake: () => void): Promise<void> => {
      setup.clock.set(dueAt + runs * hour);
      runs += 1;
      wake();
      await setup.endedRuns(job, runs);
    },
    heard: (): Alert[] => receiver.received.map(({ body }) => JSON.parse(body) as Alert),
  };
}

test('a channel is reminded of what stays down, also after a restart, until it recovers', async (t) => {
  const { setup, job, mend, runNext, heard } = await failing(t);
  const { clock } = setup;
  const first = await setup.start();
  await runNext(first.wake);
  await until('the failure', () => heard().length === 1);
  await runNext(first.wake);
  assert.equal(heard().length, 1, 'not after an hour');
  await first[Symbol.asyncDispose]();
  const { wake, wakeNotifier } = await setup.start();
  await runNext(wake);
  clock.advance(minute);
  wakeNotifier();
  await until('the reminder', () => heard().length === 2);
  const [, reminder] = heard();
  assert.equal(reminder?.type, 'reminder');
  const { count, first: down } = reminder.data.down ?? assert.fail();
  assert.equal(count, 1);
  assert.partialDeepStrictEqual(down, [
    { type: 'job', id: job.id, name: 'backup', failures: 3, reason: 'http: 500' },
  ]);
  const since = Date.parse(down[0]?.since ?? '') - dueAt;
  assert.ok(since >= 0 && since < minute, 'since the first failure');
  mend();
  await runNext(wake);
  await until('the recovery', () => heard().length === 3);
  clock.advance(5 * hour);
  await send(setup);
  assert.equal(await findNextDigestTime(setup.store.db), null, 'nothing is planned any more');
  assert.deepEqual(each(heard(), 'type'), ['job.failed', 'reminder', 'job.recovered']);
});

test('there are no reminders of what is paused, deleted, not served or not paid for', async (t) => {
  const { setup, job, channel, runNext, heard } = await failing(t);
  const { clock, store } = setup;
  const { db } = store;
  const engine = await setup.start();
  await runNext(engine.wake);
  await until('the failure', () => heard().length === 1);
  await engine[Symbol.asyncDispose]();
  const reminders = async () => {
    clock.advance(3 * hour);
    await send(setup);
    await db
      .updateTable('deliveries')
      .set({ status: 'delivered', next_attempt_at: null })
      .execute();
    return (await alertsOf(setup, channel)).length - 1;
  };
  assert.equal(await reminders(), 1);
  const pause = (paused: number) =>
    db.updateTable('jobs').set({ paused, next_run_at: null }).where('id', '=', job.id).execute();
  await pause(1);
  assert.equal(await reminders(), 1, 'paused');
  await pause(0);
  assert.equal(await reminders(), 2, 'resumed, and still down');
  await updateChannel(db, { ...channel, jobIds: [] }, null);
  assert.equal(await reminders(), 2, 'not served');
  await updateChannel(db, { ...channel, enabled: false }, null);
  assert.equal(await reminders(), 2, 'disabled');
  assert.equal(await findNextDigestTime(db), null);
  await updateChannel(db, channel, null);
  await db.updateTable('digests').set({ due_at: clock.now() }).execute();
  assert.equal(await reminders(), 3, 'enabled');
  await cancel({ store, clock }, 'default');
  assert.equal(await reminders(), 3, 'not paid for');
  await db.updateTable('accounts').set({ expires_at: null }).execute();
  assert.equal(await reminders(), 4, 'paid for');
  await markJobDeleted(db, job.id, clock.now());
  assert.equal(await reminders(), 4, 'deleted');
});

test('one reminder names all that is down, and no second one is made while it waits', async (t) => {
  const { setup, channel, runNext, receiver } = await failing(t);
  const { clock, store } = setup;
  const monitors = storedMonitors(setup, clock);
  const monitor = await monitors.add({ name: 'sync' });
  const engine = await setup.start();
  await runNext(engine.wake);
  await monitors.ping(monitor, 'fail');
  engine.wakeNotifier();
  await until('both alerts', () => receiver.received.length === 2);
  await engine[Symbol.asyncDispose]();
  clock.advance(3 * hour);
  await send(setup);
  clock.advance(3 * hour);
  await send(setup);
  const [, , reminder, ...more] = await alertsOf(setup, channel);
  assert.deepEqual(more, []);
  assert.deepEqual(each(reminder?.data.down?.first ?? [], 'type', 'name', 'failures', 'reason'), [
    ['job', 'backup', 1, 'http: 500'],
    ['monitor', 'sync', null, 'its task reported a failure'],
  ]);
  const planned = await findNextDigestTime(store.db);
  assert.equal(planned, clock.now() + minute, 'it is tried again soon');
});
