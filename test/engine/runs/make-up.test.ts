/** One run makes up for due times that were missed (docs/behavior.md#makeup-1). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTrial, subscribe } from '../../../src/app/accounts/accounts.ts';
import { actOnJobs } from '../../../src/app/jobs/actions.ts';
import { updateJob } from '../../../src/app/jobs/jobs.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import { sendDigests } from '../../../src/engine/alerts/digests.ts';
import { claimRuns } from '../../../src/engine/runs/claim.ts';
import { logDropped } from '../../../src/engine/runs/run-log.ts';
import { listRuns } from '../../../src/store/runs/runs.ts';
import { explain } from '../../../src/wings/explain/explain.ts';
import { readRecords } from '../../../src/wings/explain/records.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { addChannel } from '../../support/records/channel.ts';
import { setupChain } from '../../support/running/chain.ts';
import { dueAt } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;
const outageEnd = dueAt + 2 * hour + 20 * minute;

test('an outage is one missed run, and one more that is called for the last due time', async (t) => {
  const { add, start, clock, endedRuns, logged, readJob } = await setupChain(t);
  const sink = await startSink(t);
  const job = await add('backup', sink.url, { makeUpSeconds: 3_600 });
  const plain = await add('plain', sink.url);
  const short = await add('short', sink.url, { makeUpSeconds: 1_199 });
  clock.set(outageEnd);
  await start();
  const [missed, made, ...more] = await endedRuns(job, 2);
  assert.deepEqual(more, []);
  assert.deepEqual([missed?.status, missed?.scheduledFor], ['missed', dueAt]);
  assert.match(missed?.error ?? '', /^missed: 3 due times .*: jobd was not running$/);
  assert.deepEqual(
    [made?.status, made?.source, made?.scheduledFor, made?.dueAt, made?.causedBy],
    ['success', 'manual', outageEnd, dueAt + 2 * hour, { jobId: job.id, runId: missed?.id }],
  );
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-scheduled-for']),
    [isoTime(dueAt + 2 * hour)],
  );
  const lines = logged.filter(({ msg }) => msg === 'run missed') as { madeUpBy?: string }[];
  assert.deepEqual(lines.map(({ madeUpBy }) => madeUpBy).filter(Boolean), [made?.id]);
  const { health, nextRunAt } = await readJob(job);
  assert.deepEqual([health, nextRunAt], ['up', dueAt + 3 * hour]);
  for (const other of [plain, short]) assert.equal((await endedRuns(other, 1)).length, 1);
});

test('a due time that a clock ahead missed is not called again when it comes, if it was made up for', async (t) => {
  const { app, writer, add, start, clock, store, endedRuns, readJob } = await setupChain(t);
  const sink = await startSink(t);
  const job = await add('backup', sink.url, { makeUpSeconds: 3_600 });
  clock.set(outageEnd);
  const { wake } = await start();
  await endedRuns(job, 2);
  const [made, next] = [dueAt + 2 * hour, dueAt + 3 * hour];
  clock.set(made - 10 * minute);
  await until('what was missed to be right', async () => {
    wake();
    const [missed] = await endedRuns(job, 2);
    return missed?.error?.startsWith('missed: 2 due times');
  });
  assert.equal((await readJob(job)).nextRunAt, next);
  clock.set(made + 1_000);
  wake();
  const [, ...more] = await endedRuns(job, 2);
  assert.deepEqual(
    more.map(({ dueAt: stands }) => stands),
    [made],
  );
  assert.equal(sink.received.length, 1);
  const asked = { at: isoTime(made), zone: 'UTC', runId: null };
  const { answer } = explain(await readRecords(app, writer, job.id, asked));
  assert.match(answer, /^A run began to wait that makes up for the missed run .*: it succeeded /);
  clock.set(next);
  wake();
  await endedRuns(job, 3);
  assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
});

/** A job that missed three due times, and claims of what is due. */
async function missedJob(t: TestContext, input: Partial<JobInput> = {}) {
  const setup = await setupChain(t);
  const job = await setup.add('backup', 'http://127.0.0.1:1/', { makeUpSeconds: 3_600, ...input });
  const { store, clock } = setup;
  const lines: object[] = [];
  const log = { info: (fields: object, msg: string) => lines.push({ ...fields, msg }) } as never;
  const claim = async (now: number, take = () => true) => {
    clock.set(now);
    const slots = { bounds: () => ({ limit: 9, exceptHosts: [], exceptJobs: [] }), take };
    const moment = { now, servingSince: now, nodeId: null };
    const claimed = await store.write((tx) => claimRuns(tx, slots, moment));
    const { executions } = claimed;
    logDropped(log, claimed.dropped, executions);
    return executions.map(({ scheduledFor, dueAt: stands }) => [scheduledFor, stands]);
  };
  /** Why the run that made up for the first missed run was dropped. */
  const dropped = async () => {
    const kept = await listRuns(store.db, job.id, { limit: 100, before: null });
    return /dropped: .*$/.exec(kept.at(-1)?.detail ?? '')?.[0];
  };
  const states = async () =>
    (await setup.runsOf(job)).map(({ status, dueAt: stands }) => [status, stands]);
  return { ...setup, job, claim, states, dropped, lines };
}

const waits = [
  ['missed', undefined],
  ['queued', dueAt + 2 * hour],
];

test('it waits for a slot as long as it must, and is called once', async (t) => {
  const { claim, states } = await missedJob(t);
  assert.deepEqual(await claim(outageEnd), []);
  assert.deepEqual(await claim(outageEnd + 30 * minute, () => false), []);
  assert.deepEqual(await states(), waits);
  assert.deepEqual(await claim(outageEnd + 31 * minute), [[outageEnd, dueAt + 2 * hour]]);
  assert.deepEqual(await claim(outageEnd + 31 * minute), []);
});

test('it is dropped if a later due time begins first', async (t) => {
  const { claim, states, dropped, lines, runsOf, job } = await missedJob(t);
  await claim(outageEnd);
  let asked = 0;
  const next = dueAt + 3 * hour;
  assert.equal(await dropped(), undefined);
  assert.deepEqual(await claim(next, () => (asked += 1) > 1), [[next, next]]);
  assert.equal(await dropped(), 'dropped: a later due time of the job began first');
  const [missed, later] = await runsOf(job);
  const about = { missedRunId: missed?.id, dueAt: isoTime(dueAt + 2 * hour) };
  const names = { job: 'backup', jobId: job.id, runId: later?.id };
  assert.deepEqual(lines, [{ ...names, ...about, msg: 'make-up dropped' }]);
  assert.deepEqual(
    (await states()).map(([status]) => status),
    ['missed', 'running'],
  );
});

test('it leaves a due time as missed that is missed by the claim that could start it', async (t) => {
  const { add, claim, store, states, readJob, job } = await missedJob(t);
  await claim(outageEnd);
  // It waits for longer, so it is claimed first.
  const other = await add('other', 'http://127.0.0.1:1/');
  const jobs = store.db.updateTable('jobs').where('id', '=', other.id);
  await jobs.set({ next_run_at: outageEnd - 1 }).execute();
  const late = dueAt + 3 * hour + 2 * minute;
  const planned = async () => {
    const row = store.db.selectFrom('jobs').select('claimed_up_to').where('id', '=', job.id);
    const { claimed_up_to: claimedUpTo } = await row.executeTakeFirstOrThrow();
    return [(await readJob(job)).nextRunAt, claimedUpTo];
  };
  await claim(late);
  assert.deepEqual(await planned(), [dueAt + 4 * hour, dueAt + 3 * hour]);
  assert.deepEqual(await claim(late), [[outageEnd, dueAt + 2 * hour]]);
  assert.deepEqual(await planned(), [dueAt + 4 * hour, dueAt + 3 * hour]);
  assert.deepEqual(
    (await states()).map(([status]) => status),
    ['missed', 'running', 'missed'],
  );
});

test('a pause or the end of make-ups drops it, any other change leaves it', async (t) => {
  const { claim, states, dropped, app, writer, job } = await missedJob(t);
  await claim(outageEnd);
  await updateJob(app, writer, job.id, { name: 'other' });
  assert.deepEqual(await states(), waits);
  await updateJob(app, writer, job.id, { action: 'pause' });
  assert.deepEqual(await states(), waits.slice(0, 1));
  assert.equal(await dropped(), 'dropped: the job was paused');

  const ended = await missedJob(t);
  await ended.claim(outageEnd);
  await updateJob(ended.app, ended.writer, ended.job.id, { makeUpSeconds: 60 });
  assert.deepEqual(await ended.states(), waits);
  await updateJob(ended.app, ended.writer, ended.job.id, { makeUpSeconds: null });
  assert.deepEqual(await ended.states(), waits.slice(0, 1));
  assert.equal(await ended.dropped(), 'dropped: the job makes up for nothing since then');

  const bulk = await missedJob(t);
  await bulk.claim(outageEnd);
  await actOnJobs(bulk.app, bulk.writer, { action: 'pause', ids: [bulk.job.id] });
  assert.deepEqual(await bulk.states(), waits.slice(0, 1));
  assert.equal(await bulk.dropped(), 'dropped: the job was paused');
});

test('a pause of a job that is over drops it, and leaves the job as it is', async (t) => {
  const { claim, states, dropped, update, job } = await missedJob(t, { runAt: isoTime(dueAt) });
  await claim(dueAt + 20 * minute);
  assert.deepEqual(await states(), [waits[0], ['queued', dueAt]]);
  assert.equal((await update(job, { action: 'pause' })).paused, false);
  assert.deepEqual(await states(), waits.slice(0, 1));
  assert.equal(await dropped(), 'dropped: the job was paused');
});

test('a run of the job that waits already takes its place', async (t) => {
  const { claim, states, ask, job } = await missedJob(t);
  await ask(job);
  let asked = 0;
  assert.deepEqual(await claim(outageEnd, () => (asked += 1) > 1), []);
  const statuses = (await states()).map(([status]) => status);
  assert.deepEqual(new Set(statuses), new Set(['missed', 'queued']));
});

test('due times that pass while the job itself is at work are not made up for', async (t) => {
  const { claim, states, store, job } = await missedJob(t);
  const longRun = { last_run_at: dueAt - minute, last_duration_ms: outageEnd - dueAt };
  await store.db.updateTable('jobs').set(longRun).where('id', '=', job.id).execute();
  await claim(outageEnd);
  assert.deepEqual(await states(), waits.slice(0, 1));
});

test('an alert of missed runs says that one makes up for them, where one does', async (t) => {
  const setup = await missedJob(t);
  const channel = await addChannel(setup, 'http://127.0.0.1:1/', { alsoOn: ['missed'] });
  const waiting = await setup.add('waiting', 'http://127.0.0.1:1/', { makeUpSeconds: 3_600 });
  await setup.ask(waiting);
  let asked = 0;
  // No slot for the run that waits; both jobs miss their due times.
  await setup.claim(outageEnd, () => (asked += 1) > 1);
  await setup.store.write((tx) => sendDigests(tx, outageEnd + minute));
  const alerts = setup.store.db.selectFrom('deliveries').select('payload');
  const { payload } = await alerts.where('channel_id', '=', channel.id).executeTakeFirstOrThrow();
  assert.match(payload, /"jobd was not running; one run makes up for it"/);
  assert.match(payload, /"jobd was not running"/);
});

test('its end counts as that of any run: for health, alerts, onResult and jobs that run after it', async (t) => {
  const setup = await setupChain(t);
  const { add, start, clock, endedRuns, readJob } = setup;
  let fails = true;
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(fails && path === '/job' ? 500 : 200).end();
  });
  await addChannel(setup, `${sink.url}/alert`);
  const job = await add('backup', `${sink.url}/job`, {
    makeUpSeconds: 3_600,
    onResult: `${sink.url}/result`,
  });
  const after = { jobId: job.id, on: 'failed' } as const;
  const onFailed = await add('failed', `${sink.url}/then`, { after });
  const onSuccess = await add('succeeded', `${sink.url}/then`, { after: { jobId: job.id } });
  const received = (wanted: string) =>
    sink.received.flatMap(({ path, body }) => (path === wanted ? [body] : []));
  clock.set(outageEnd);
  const { wake } = await start();
  for (const [index, then] of [onFailed, onSuccess].entries()) {
    fails = index === 0;
    clock.set(outageEnd + index * 2 * hour);
    wake();
    const [follower] = await endedRuns(then, 1);
    const made = (await endedRuns(job, 2 * index + 2)).at(-1);
    assert.equal(made?.dueAt, dueAt + 2 * hour * (index + 1));
    assert.deepEqual(follower?.causedBy, { jobId: job.id, runId: made.id });
    assert.equal(follower.dueAt, made.dueAt);
    assert.equal((await readJob(job)).health, fails ? 'down' : 'up');
    const alert = await until('the alert', () => received('/alert')[index]);
    assert.match(alert, fails ? /"job\.failed"/ : /"job\.recovered"/);
    await until('the result', () => received('/result').some((body) => body.includes(made.id)));
  }
});

test('nothing is made up for after an expiry, and of what was due before a renewal', async (t) => {
  for (const isRenewed of [false, true]) {
    const { claim, states, ...setup } = await missedJob(t);
    await setTrial(setup, 'default', outageEnd - hour);
    setup.clock.set(outageEnd - minute);
    if (isRenewed) await subscribe(setup, 'default', null);
    assert.deepEqual(await claim(outageEnd), []);
    assert.deepEqual(await states(), []);
  }
});

test('a job that runs after another one keeps it without effect, and is given none', async (t) => {
  const { claim, states, add, update, job } = await missedJob(t);
  const other = await add('other', 'http://127.0.0.1:1/');
  const after = { jobId: other.id };
  assert.equal((await update(job, { after })).makeUpSeconds, 3_600);
  const refused = { code: 'invalid_input', message: /^makeUpSeconds / };
  await assert.rejects(update(job, { makeUpSeconds: 60 }), refused);
  await assert.rejects(add('new', job.url, { after, makeUpSeconds: 60 }), refused);
  assert.deepEqual(await claim(outageEnd), []);
  assert.deepEqual(await states(), []);
  await update(job, { after: null });
  assert.deepEqual(await claim(outageEnd + 2 * hour), []);
  assert.deepEqual(await states(), [waits[0], ['queued', dueAt + 4 * hour]]);
});
