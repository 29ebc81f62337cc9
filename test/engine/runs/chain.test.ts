/** Chained jobs (docs/behavior.md#chained-jobs), from the end of one run to the call of the next. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actOnJobs } from '../../../src/app/jobs/actions.ts';
import { copyJob, deleteJob, getDueTimes } from '../../../src/app/jobs/jobs.ts';
import { getChain } from '../../../src/app/jobs/afterwards.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import { longestChain } from '../../../src/domain/jobs/after-words.ts';
import { newId } from '../../../src/domain/id.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { insertChainedRuns } from '../../../src/store/jobs/chains.ts';
import { each } from '../../support/each.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink, type Sink } from '../../support/fakes/sink.ts';
import { dueAt } from '../../support/running/engine.ts';
import { setupChain } from '../../support/running/chain.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;

const pathsOf = ({ received }: Sink): string[] => received.map(({ path }) => path);

test('a job runs once after each success of another, and has no due times of its own', async (t) => {
  const { add, start, clock, endedRuns, readJob, ...chain } = await setupChain(t);
  const target = await startSink(t);
  const first = await add('import', `${target.url}/import`);
  const then = await add('report', `${target.url}/report`, { after: { jobId: first.id } });
  assert.deepEqual([then.nextRunAt, then.after], [null, { jobId: first.id, on: 'success' }]);
  const { wake } = await start();
  for (const round of [0, 1]) {
    clock.set(dueAt + round * hour);
    wake();
    const [cause] = (await endedRuns(first, round + 1)).slice(-1);
    const [run] = (await endedRuns(then, round + 1)).slice(-1);
    assert.equal(run?.status, 'success');
    assert.deepEqual(run.causedBy, { jobId: first.id, runId: cause?.id });
    assert.deepEqual([run.source, cause?.causedBy], ['manual', undefined]);
    assert.deepEqual([cause?.dueAt, run.dueAt], [undefined, cause?.scheduledFor]);
  }
  assert.deepEqual(
    target.received.map(({ headers }) => headers['x-service-scheduled-for']),
    [dueAt, dueAt, dueAt + hour, dueAt + hour].map(isoTime),
  );
  assert.deepEqual(pathsOf(target), ['/import', '/report', '/import', '/report']);
  assert.equal((await readJob(then)).nextRunAt, null);
  const { notes } = await getDueTimes(chain.app, chain.writer, then.id, 3);
  assert.deepEqual(notes, ['the job runs after another one: it has no due times of its own']);
});

test('a condition on failure or on any end is kept; an interrupted run has only ended', async (t) => {
  const { add, start, clock, endedRuns, runsOf, ask } = await setupChain(t);
  let fails = true;
  const target = await startSink(t, (response, { path }) => {
    if (path === '/hangs') return;
    response.writeHead(fails && path === '/first' ? 500 : 200).end();
  });
  const first = await add('first', `${target.url}/first`);
  const names = ['success', 'failed', 'finished'] as const;
  const [onSuccess, onFailed, onFinished] = await Promise.all(
    names.map((on) => add(on, `${target.url}/${on}`, { after: { jobId: first.id, on } })),
  );
  assert.ok(onSuccess && onFailed && onFinished);
  const hangs = await add('hangs', `${target.url}/hangs`, { timeoutSeconds: 60 });
  const last = { jobId: hangs.id };
  const afterStop = await add('cleans', `${target.url}/cleans`, {
    after: { ...last, on: 'finished' },
  });
  const neither = await add('neither', `${target.url}/neither`, { after: last });
  const engine = await start({ drainMs: 100 });
  clock.set(dueAt);
  engine.wake();
  await endedRuns(onFailed, 1);
  await endedRuns(onFinished, 1);
  assert.equal((await runsOf(onSuccess)).length, 0);
  fails = false;
  clock.advance(60_000);
  await ask(first);
  engine.wake();
  await endedRuns(onSuccess, 1);
  await endedRuns(onFinished, 2);
  assert.equal((await runsOf(onFailed)).length, 1);
  await until('the call that hangs', () => pathsOf(target).includes('/hangs'));
  await engine[Symbol.asyncDispose]();
  assert.deepEqual(each(await runsOf(hangs), 'status'), ['interrupted']);
  assert.deepEqual(
    each(await runsOf(afterStop), 'status'),
    ['queued'],
    'it is recorded with the end of the run, and waits for the next start',
  );
  assert.equal((await runsOf(neither)).length, 0);
  await start();
  await endedRuns(afterStop, 1);
});

test('a job that executes is started once more at most, however often the other one ends', async (t) => {
  const { add, start, clock, endedRuns, runsOf, ask } = await setupChain(t);
  const held: (() => void)[] = [];
  const target = await startSink(t, (response, { path }) => {
    if (path === '/slow') held.push(() => response.end());
    else response.end();
  });
  const first = await add('first', `${target.url}/first`);
  const slow = await add('slow', `${target.url}/slow`, { after: { jobId: first.id } });
  const { wake } = await start();
  clock.set(dueAt);
  wake();
  await until('the follower to execute', () => held.length === 1);
  for (const count of [2, 3]) {
    clock.advance(1_000);
    await ask(first);
    wake();
    await endedRuns(first, count);
  }
  const statuses = (await runsOf(slow)).map(({ status }) => status);
  assert.deepEqual(statuses, ['running', 'queued'], 'one waits for both');
  held[0]?.();
  await until('the second run', () => held.length === 2);
  held[1]?.();
  await endedRuns(slow, 2);
  assert.equal((await runsOf(slow)).length, 2);
});

test('a run starts when it was asked for at the earliest, though the clock of its node is behind', async (t) => {
  const { add, start, clock, ask, endedRuns } = await setupChain(t);
  const target = await startSink(t);
  const job = await add('job', target.url);
  clock.set(dueAt - 200);
  await ask(job);
  // The clocks of nodes agree to some milliseconds.
  clock.set(dueAt - 300);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.scheduledFor, run?.startedAt], [dueAt - 200, dueAt - 200]);
});

test('a paused job follows nothing, and loses the run that waits; resumed, it follows again', async (t) => {
  const { add, update, start, clock, endedRuns, runsOf, readJob } = await setupChain(t);
  const held: (() => void)[] = [];
  const target = await startSink(t, (response, { path }) => {
    if (path === '/then' && held.length === 0) held.push(() => response.end());
    else response.end();
  });
  const first = await add('first', `${target.url}/first`);
  const then = await add('then', `${target.url}/then`, { after: { jobId: first.id } });
  const { wake } = await start();
  const runFirst = async (count: number): Promise<void> => {
    clock.set(dueAt + (count - 1) * hour);
    wake();
    await endedRuns(first, count);
  };
  await runFirst(1);
  await until('the follower to execute', () => held.length === 1);
  await runFirst(2);
  assert.equal((await runsOf(then)).length, 2);
  await update(then, { action: 'pause' });
  assert.equal((await runsOf(then)).length, 1, 'what waited behind the run is dropped');
  held[0]?.();
  await endedRuns(then, 1);
  await runFirst(3);
  assert.equal((await runsOf(then)).length, 1);
  await update(then, { action: 'resume' });
  assert.equal((await readJob(then)).nextRunAt, null, 'a resumed job still has no due times');
  await runFirst(4);
  await endedRuns(then, 2);
});

test('without `after` a job is on its schedule again', async (t) => {
  const { add, update } = await setupChain(t);
  const first = await add('first', 'http://127.0.0.1:1/');
  const then = await add('then', 'http://127.0.0.1:1/', { after: { jobId: first.id } });
  const free = await update(then, { after: null });
  assert.deepEqual([free.after, free.nextRunAt], [null, dueAt]);
  const again = await update(free, { after: { jobId: first.id, on: 'failed' } });
  assert.deepEqual([again.after, again.nextRunAt], [{ jobId: first.id, on: 'failed' }, null]);
});

test('a circle, a chain too long, and a job of nobody are refused with a sentence', async (t) => {
  const { add, update } = await setupChain(t);
  const jobs = [await add('job 1', 'http://127.0.0.1:1/')];
  for (let number = 2; number <= longestChain; number += 1) {
    const after = { jobId: jobs.at(-1)?.id ?? '' };
    jobs.push(await add(`job ${number}`, 'http://127.0.0.1:1/', { after }));
  }
  const [one, two, three] = jobs;
  const last = jobs.at(-1);
  assert.ok(one && two && three && last);
  await assert.rejects(update(one, { after: { jobId: one.id } }), /must be another job/);
  await assert.rejects(update(one, { after: { jobId: three.id } }), {
    message: 'after must not close a circle: job 1, then job 2, then job 3, then job 1',
  });
  const tooLong = { message: 'after makes a chain too long: at most 20 jobs in a row' };
  await assert.rejects(add('more', 'http://127.0.0.1:1/', { after: { jobId: last.id } }), tooLong);
  const alone = await add('alone', 'http://127.0.0.1:1/');
  await assert.rejects(update(one, { after: { jobId: alone.id } }), tooLong);
  const nobody = '0199c6f4-0000-7000-8000-00000000abcd';
  await assert.rejects(
    update(one, { after: { jobId: nobody } }),
    /after.jobId must be the id of a job of the workspace, got "0199c6f4/,
  );
});

test('a job that others run after is deleted only with them', async (t) => {
  const { add, app, writer, update } = await setupChain(t);
  const first = await add('first', 'http://127.0.0.1:1/');
  const then = await add('then', 'http://127.0.0.1:1/', { after: { jobId: first.id } });
  const last = await add('last', 'http://127.0.0.1:1/', { after: { jobId: then.id } });
  assert.deepEqual(await getChain(app, writer, then.id), {
    after: { jobId: first.id, on: 'success', name: 'first' },
    followers: [{ id: last.id, name: 'last', on: 'success' }],
  });
  await assert.rejects(deleteJob(app, writer, first.id), {
    code: 'conflict',
    message:
      "then runs after this job: delete it first or together with it, or end that with after: null (jobd jobs update 'then' --no-after)",
  });
  const copy = await copyJob(app, writer, then.id, 'copy');
  assert.deepEqual(copy.after, then.after);
  const [refused] = await actOnJobs(app, writer, { action: 'delete', ids: [first.id] });
  assert.match(refused?.refusal?.message ?? '', /^then, copy run after this job/);
  await update(copy, { after: null });
  const ids = [first.id, then.id, last.id];
  const results = await actOnJobs(app, writer, { action: 'delete', ids });
  assert.deepEqual(each(results, 'refusal'), [null, null, null]);
});

test('chained runs and due jobs take turns by how long they wait, after what people ask for', async (t) => {
  const { add, start, ask, clock, store, workspaceId, endedRuns } = await setupChain(t);
  const target = await startSink(t);
  const never = { cronExpr: '0 0 1 1 *' };
  const [cause, early, late, byHand, due] = await Promise.all(
    ['cause', 'early', 'late', 'by-hand', 'due'].map((name) =>
      add(name, `${target.url}/${name}`, name === 'due' ? {} : never),
    ),
  );
  assert.ok(cause && early && late && byHand && due);
  const caused = (job: Job, endedAt: number) => ({
    id: newId(endedAt),
    jobId: job.id,
    workspaceId,
    cause: { jobId: cause.id, runId: newId(endedAt), conditions: [], endedAt },
  });
  const chained = [caused(late, dueAt + 1_000), caused(early, dueAt - 1_000)];
  await store.write((tx) => insertChainedRuns(tx, chained));
  clock.set(dueAt + 2_000);
  await ask(byHand);
  await start({ slots: 1 });
  await Promise.all([early, late, byHand, due].map((job) => endedRuns(job, 1)));
  assert.deepEqual(pathsOf(target), ['/by-hand', '/early', '/due', '/late']);
});

test('a job that is due and has a chained run that waits is called once at a time', async (t) => {
  const { add, start, clock, store, workspaceId, endedRuns } = await setupChain(t);
  const target = await startHeldSink(t);
  const job = await add('both', target.url);
  const at = dueAt + 1_000;
  const cause = { jobId: job.id, runId: newId(at), conditions: [], endedAt: at };
  const run = { id: newId(at), jobId: job.id, workspaceId, cause };
  await store.write((tx) => insertChainedRuns(tx, [run]));
  clock.set(at);
  await start();
  await target.waitFor(1);
  target.release();
  await endedRuns(job, 1);
  await target.waitFor(1);
  target.release();
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'source', 'status'), [
    ['scheduled', 'success'],
    ['manual', 'success'],
  ]);
  assert.equal(target.mostWaiting, 1);
});
