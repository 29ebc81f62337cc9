import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { actOnJobs } from '../../../src/app/jobs/actions.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { afterAction, isOver } from '../../../src/domain/jobs/actions.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import { changeJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import { newId } from '../../../src/domain/id.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startClockedDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';
import { quietApp } from '../../support/running/app.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { addWorkspace } from '../../support/records/workspace.ts';
import { writerIn } from '../../support/records/principal.ts';

const path = '/jobs/actions';
const rare = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *', timezone: 'UTC' };
const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

async function add({ ask }: TestDaemon, input: object = {}): Promise<string> {
  const { status, body } = await ask('POST', '/jobs', { ...rare, ...input });
  assert.equal(status, 201, body.error);
  return body.job.id;
}

test('many jobs are run as single ones are, each of them once a minute', async (t) => {
  const sink = await startHeldSink(t);
  const { daemon, ask } = await startClockedDaemon(t);
  const ids = [await add(daemon, { url: sink.url }), await add(daemon, { url: sink.url })];
  const act = async (asked: string[]) =>
    (await ask('POST', path, { action: 'run', ids: asked })).body.results as {
      id: string;
      error: string | null;
      runId?: string;
    }[];
  const [first, none, second] = await act([ids[0] ?? '', unknownId, ids[1] ?? '']);
  assert.equal(none?.error, `there is no job with id ${unknownId}`);
  assert.equal(none.runId, undefined);
  for (const [index, row] of [first, second].entries()) {
    assert.equal(row?.error, null);
    const { run } = (await ask('GET', `/jobs/${ids[index]}/runs/${row?.runId}`)).body;
    assert.deepEqual([run.source, run.jobId], ['manual', ids[index]]);
  }
  await sink.waitFor(2);
  const executing = await act(ids);
  for (const { error } of executing) assert.match(error ?? '', /of this job is executing/);
  sink.release();
  await until('both have ended', async () => {
    const { runs } = (await ask('GET', '/runs?status=success')).body;
    return runs.length === 2;
  });
  for (const { error } of await act(ids)) assert.match(error ?? '', /once a minute/);
  const { entries } = (await ask('GET', '/audit')).body as { entries: { action: string }[] };
  assert.equal(entries.filter(({ action }) => action === 'job.run').length, 2);
});

test('many jobs are paused, resumed and deleted as single ones are', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t);
  const every90s = { cronExpr: null, scheduleType: 'period', periodSeconds: 90 };
  const ids = [await add(daemon), await add(daemon, every90s), await add(daemon, { paused: true })];
  const shown = async () => {
    const { jobs } = (await ask('GET', '/jobs')).body as { jobs: Record<string, unknown>[] };
    return jobs.toReversed().map(({ status, nextRunAt }) => [status, nextRunAt]);
  };
  const results = ids.map((id) => ({ id, error: null, isOver: false }));

  const paused = await ask('POST', path, { action: 'pause', ids });
  assert.deepEqual([paused.status, paused.body], [200, { results }]);
  assert.deepEqual(
    await shown(),
    ids.map(() => ['paused', null]),
  );

  clock.set('2026-03-02T10:05:00.500Z');
  const upper = ids.map((id) => id.toUpperCase());
  assert.deepEqual((await ask('POST', path, { action: 'resume', ids: upper })).body, { results });
  const nextYear = ['new', '2027-01-01T00:00:00.000Z'];
  const fromNow = ['new', '2026-03-02T10:06:30.000Z'];
  assert.deepEqual(await shown(), [nextYear, fromNow, nextYear]);

  clock.advance(30_000);
  await ask('POST', path, { action: 'resume', ids });
  assert.deepEqual((await shown())[1], fromNow, 'a resumed job continues counting as before');

  assert.deepEqual((await ask('POST', path, { action: 'delete', ids })).body, { results });
  assert.deepEqual(await shown(), []);
});

test('a refused job has its reason in its row, and the others are acted on', async (t) => {
  const { daemon, ask } = await startClockedDaemon(t);
  const sink = await startHeldSink(t);
  const other = await addWorkspace(daemon.dataDir);
  const theirs = (await ask('POST', '/jobs', rare, await other.newKey('write'))).body.job.id;
  const [idle, busy] = [await add(daemon), await add(daemon, { url: sink.url })];
  const { run } = (await ask('POST', `/jobs/${busy}/run`)).body;
  await sink.waitFor(1);
  const ids = [busy, unknownId, theirs, 'no id', idle];
  const { body } = await ask('POST', path, { action: 'delete', ids });
  assert.deepEqual(body.results, [
    {
      id: busy,
      error: `run ${run.id} of this job is executing: delete the job when it has ended`,
      isOver: false,
    },
    { id: unknownId, error: `there is no job with id ${unknownId}`, isOver: false },
    { id: theirs, error: `there is no job with id ${theirs}`, isOver: false },
    { id: 'no id', error: 'there is no job with id no id', isOver: false },
    { id: idle, error: null, isOver: false },
  ]);
  const left = (await ask('GET', '/jobs')).body.jobs;
  assert.deepEqual(
    left.map(({ id }: { id: string }) => id),
    [busy],
  );
  const paused = await ask('POST', path, { action: 'pause', ids: [busy] });
  assert.deepEqual(
    paused.body.results,
    [{ id: busy, error: null, isOver: false }],
    'a call in flight may finish',
  );
  sink.release();
});

test('a plan and the end of a trial allow what they allow for single jobs', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  const fast = { ...rare, cronExpr: '* * * * *', paused: true };
  const ids = [];
  for (const input of [fast, { ...rare, paused: true }]) {
    ids.push((await account.ask('POST', '/jobs', input)).body.job.id);
  }
  const [first, second] = ids;
  await account.setPlan('free');
  const { body } = await account.ask('POST', path, { action: 'resume', ids });
  const error = 'cronExpr must leave at least 300 s between due times on the plan free, got 60 s';
  assert.deepEqual(body.results, [
    { id: first, error, isOver: false },
    { id: second, error: null, isOver: false },
  ]);
  clock.advance(15 * 86_400_000);
  for (const action of ['pause', 'resume']) {
    const answer = await account.ask('POST', path, { action, ids });
    assertRefused(answer, 402, /^the trial ended at/, action);
  }
  const deleted = await account.ask('POST', path, { action: 'delete', ids });
  assert.deepEqual([deleted.status, deleted.body.results.length], [200, 2]);
});

test('what was done before the store failed is reported as done', async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const ids: string[] = [];
  for (let count = 0; count < 50; count += 1) ids.push((await addJob()).id);
  let left = 2;
  const failing: Store = {
    ...store,
    write: async (work) => {
      left -= 1;
      if (left < 0) throw new JobdError('unavailable', 'the disk is full');
      return await store.write(work);
    },
  };
  const principal = writerIn(workspaceId);
  const app = quietApp({ store: failing, clock: fakeClock() });
  const results = await actOnJobs(app, principal, { action: 'pause', ids });
  assert.deepEqual(
    results.map(({ id, refusal }) => [id, refusal?.message]),
    ids.map((id, index) => [id, index < 40 ? undefined : 'the disk is full']),
  );
  const rows = await store.db.selectFrom('jobs').select('id').where('paused', '=', 1).execute();
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), ids.slice(0, 40).toSorted());
  await assert.rejects(actOnJobs(app, principal, { action: 'pause', ids }), {
    code: 'unavailable',
  });
});

const refused: [what: string, input: unknown, words: RegExp][] = [
  ['nothing', {}, /^action is required$/],
  ['no ids', { action: 'pause', ids: [] }, /^ids must not be empty$/],
  ['an id that is no text', { action: 'pause', ids: [5] }, /^ids.0 must be a string, got 5$/],
  [
    'a long id',
    { action: 'pause', ids: ['x'.repeat(37)] },
    /^ids.0 must be at most 36 characters, got 37$/,
  ],
  [
    'another action',
    { action: 'start', ids: [unknownId] },
    /^action must be one of pause, resume, run, delete, got "start"$/,
  ],
  [
    'an id twice',
    { action: 'pause', ids: ['a', unknownId, unknownId.toUpperCase()] },
    new RegExp(`^ids.2 must differ from ids.1, both are ${unknownId}$`),
  ],
  [
    'too many ids',
    { action: 'pause', ids: Array.from({ length: 101 }, (_, index) => String(index)) },
    /^ids must have at most 100 entries, got 101$/,
  ],
  ['more than that', { action: 'pause', ids: ['a'], dryRun: true }, /^dryRun is not a known field/],
];

test('a malformed request is refused whole and changes nothing', async (t) => {
  const { daemon } = await startClockedDaemon(t);
  const id = await add(daemon);
  for (const [what, input, words] of refused) {
    const { ids = [], ...rest } = input as { ids?: unknown[] };
    const given =
      ids.length === 0 ? input : { ...rest, ids: [...ids, ...(ids.length < 9 ? [id] : [])] };
    assertRefused(await daemon.ask('POST', path, given), 400, words, what);
  }
  assert.equal((await daemon.ask('GET', `/jobs/${id}`)).body.job.paused, false);
});

test('an action changes a job as an update with this action does', () => {
  const now = Date.parse('2026-03-02T10:00:00.250Z');
  const schedules = fc.constantFrom<object>(
    { cronExpr: '*/7 * * * *' },
    { cronExpr: '30 2 * * *', timezone: 'Pacific/Apia' },
    { scheduleType: 'period', periodSeconds: 90 },
    { runAt: '2026-03-02T10:30:00Z' },
    { cronExpr: '*/7 * * * *', notAfter: '2026-03-02T10:30:00Z' },
  );
  const action = fc.constantFrom('pause' as const, 'resume' as const);
  fc.assert(
    fc.property(
      schedules,
      fc.boolean(),
      action,
      fc.nat(10_000_000),
      (given, paused, does, later) => {
        const context = { id: newId(now), workspaceId: '', now, allowTargets: loopback };
        const job = defineJob({ name: 'a', url: rare.url, paused, ...given }, context);
        // A due time that has come is not pending any more.
        const isDone = (job.nextRunAt ?? Infinity) < now + later && later % 2 === 0;
        const kept = isDone ? { ...job, nextRunAt: nextDue(scheduleOf(job), now + later) } : job;
        const [at, allowTargets] = [now + later, []];
        const over = isOver(kept, at);
        if (over && paused && does === 'resume') {
          assert.throws(() => changeJob(kept, { action: does }, { now: at, allowTargets }));
          return assert.throws(() => afterAction(kept, does, at));
        }
        const updated = changeJob(kept, { action: does }, { now: at, allowTargets });
        // A paused job has no anchor that counts: it gets one when it is resumed.
        assert.deepEqual(afterAction(kept, does, at), updated);
        const isPending = kept.nextRunAt !== null && kept.nextRunAt <= at;
        if (!paused && updated.paused && !isPending) afterAction(updated, 'resume', at);
      },
    ),
  );
});
