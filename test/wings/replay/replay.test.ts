/** Replays: runs by hand for the due time of an earlier run (docs/behavior.md#replays). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';
import { openLog } from '../../../src/base/log.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const minute = 60_000;
const daily = { name: 'import', cronExpr: '30 2 * * *', timezone: 'UTC' };
const dueAt = '2026-11-24T02:30:00.000Z';

/** A job whose due time has failed, and what is asked of it. */
async function failedJob(t: TestContext, url: string, answers: { isBroken: boolean }) {
  const { daemon, clock, ask } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const { job } = (await ask('POST', '/jobs', { ...daily, url })).body;
  const runs = async (id = job.id) => (await ask('GET', `/jobs/${id}/runs`)).body.runs;
  const ended = (count: number, id = job.id) =>
    until(`${count} runs`, async () => {
      const found = await runs(id);
      return found.filter((run: { finishedAt: null }) => run.finishedAt !== null).length >= count
        ? found
        : null;
    });
  clock.advance(Date.parse(dueAt) - clock.now());
  const [failed] = await ended(1);
  assert.equal(failed.status, 'failed');
  answers.isBroken = false;
  const replay = (body: object = {}, runId = failed.id) =>
    ask('POST', `/jobs/${job.id}/runs/${runId}/replay`, body);
  const check = (query = '', runId = failed.id) =>
    ask('GET', `/jobs/${job.id}/runs/${runId}/replay${query}`);
  return { ...daemon, clock, job, failed, runs, ended, replay, check };
}

async function broken(t: TestContext) {
  const answers = { isBroken: true };
  const sink = await startSink(t, (response) => {
    response.writeHead(answers.isBroken ? 500 : 200).end();
  });
  return { sink, ...(await failedJob(t, sink.url, answers)) };
}

test('a failed due time is called again for the same time, once unless told otherwise', async (t) => {
  const { sink, ask, clock, job, ended, replay } = await broken(t);
  const { body: second } = await ask('POST', '/jobs', {
    ...daily,
    url: sink.url,
    after: { jobId: job.id },
  });
  clock.advance(minute);
  const queued = await replay();
  assert.equal(queued.status, 202, queued.body.error);
  const { run, resultUrl } = queued.body;
  assert.deepEqual([run.source, run.dueAt, run.causedBy], ['manual', dueAt, undefined]);
  assert.ok(resultUrl.endsWith(`/jobs/${job.id}/runs/${run.id}`));
  const [done] = await ended(2);
  assert.deepEqual([done.id, done.status], [run.id, 'success']);
  const [follower] = await ended(1, second.job.id);
  assert.equal(follower.dueAt, dueAt, 'what runs after it is for the same time');
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-scheduled-for']),
    [dueAt, dueAt, dueAt],
  );

  clock.advance(minute);
  const refused = await replay();
  assertRefused(refused, 409, /^this due time succeeded already, at .* "again": true to call/);
  assert.equal((await replay({ again: true })).status, 202);
  await ended(3);
  assert.equal((await replay({ again: true })).status, 429, 'one a minute');
  const { entries } = (await ask('GET', '/audit')).body;
  const replays = entries.filter(({ action }: { action: string }) => action === 'job.replay');
  assert.equal(replays.length, 2);
  const explained = await ask('GET', `/jobs/${job.id}/explanation?at=${dueAt}`);
  const { facts, answer, todo } = explained.body;
  assert.match(answer, / It was called later, and succeeded\.$/);
  assert.equal(todo, null);
  const told = facts.filter(({ kind }: { kind: string }) => kind === 'replayed');
  assert.match(told[1].sentence, /^It was replayed at Tue 24 Nov 2026 02:31 .*: it succeeded/);
});

test('what stands for no due time, or is not there, is not replayed', async (t) => {
  const { ask, clock, job, failed, ended, replay } = await broken(t);
  clock.advance(minute);
  const { run } = (await ask('POST', `/jobs/${job.id}/run`)).body;
  await ended(2);
  assertRefused(await replay({}, run.id), 409, /was asked for by hand and stands for no due time/);
  assertRefused(await replay({}, job.id), 404, /^there is no run with id/);
  const other = { dueAt: '2026-11-24T02:31:00.000Z' };
  assertRefused(
    await replay(other),
    400,
    /^dueAt must be a due time of run .*, got 2026-11-24T02:31/,
  );
  const own = await replay({ dueAt });
  assertRefused(own, 429, /once a minute/);
  assert.equal(failed.scheduledFor, dueAt);
});

test('what can be replayed of one job is listed by its id, and nothing else', async (t) => {
  const { ask, job, failed, clock } = await broken(t);
  const listed = async (query: string) => (await ask('GET', `/runs/replayable?${query}`)).body;
  const of = `jobId=${job.id.toUpperCase()}`;
  for (const query of [of, `${of}&since=${dueAt}&limit=1`, `jobId=${job.id}&status=failed`, '']) {
    const [one, ...more] = (await listed(query)).replayable;
    assert.deepEqual([one.runId, one.job.id, more], [failed.id, job.id, []], query);
  }
  const later = new Date(clock.now() + 1).toISOString();
  for (const query of [`since=${later}`, `until=${dueAt}`, 'status=missed', 'selector=a%3Db']) {
    const none = await listed(`${of}&${query}`);
    assert.deepEqual(none, { replayable: [], nextCursor: null, isPartial: false }, query);
  }
  const other = await ask('GET', `/runs/replayable?jobId=${failed.id}`);
  assertRefused(other, 404, /^there is no job with id/);
  const good = await ask('GET', '/runs/replayable?status=success');
  assertRefused(
    good,
    400,
    /^status must be one or more of failed, interrupted, missed, with commas/,
  );
});

test('a replay can be checked before it is asked for: it is refused alike, and nothing is queued', async (t) => {
  const { ask, clock, job, ended, replay, check } = await broken(t);
  const { run } = (await ask('POST', `/jobs/${job.id}/run`)).body;
  await ended(2);
  const [may, other] = [await check(), await check('?dueAt=2026-11-24T02:31:00Z')];
  assert.deepEqual([may.status, may.body], [200, { dueAt }], 'the minute passes');
  assertRefused(other, 400, /^dueAt must be a due time of run /);
  assertRefused(await check('', run.id), 409, /was asked for by hand/);
  assertRefused(await check('', job.id), 404, /^there is no run with id/);
  clock.advance(minute);
  assert.equal((await replay()).status, 202);
  const runs = await ended(3);
  assertRefused(await check(), 409, /^this due time succeeded already, at /);
  assert.equal((await check('?again=true')).status, 200);
  assert.equal((await check(`?again=true&dueAt=${dueAt}`)).body.dueAt, dueAt);
  assert.equal(runs.length, 3, 'no check has queued a run');
});

test('of several who replay one due time at once, one does', async (t) => {
  const held = await startHeldSink(t);
  const answers = { isBroken: true };
  const started = failedJob(t, held.url, answers);
  await held.waitFor(1);
  held.release(1, 500);
  const { clock, replay, ended } = await started;
  clock.advance(minute);
  const statuses = (await Promise.all([replay(), replay(), replay()])).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 202).length, 1);
  assert.equal(statuses.filter((status) => status === 409).length, 2);
  await held.waitFor(1);
  assertRefused(
    await replay({ again: true }),
    409,
    /^a run for this due time is executing: wait for it/,
  );
  held.release();
  await ended(2);
});

test('a replay waits until no run of its job executes, and takes the turn of no chained run', async (t) => {
  const held = await startHeldSink(t);
  const started = failedJob(t, held.url, { isBroken: true });
  await held.waitFor(1);
  held.release(1, 500);
  const { ask, clock, job, ended, replay, runs } = await started;
  const first = (await ask('POST', '/jobs', { ...daily, name: 'first', url: held.url })).body.job;
  const update = { after: { jobId: first.id } };
  assert.equal((await ask('PATCH', `/jobs/${job.id}`, update)).status, 200);
  clock.advance(minute);
  for (const [index, { id }] of [first, job].entries()) {
    assert.equal((await ask('POST', `/jobs/${id}/run`)).status, 202);
    await held.waitFor(index + 1);
  }
  clock.advance(minute);
  const { body } = await replay();
  assert.equal(body.run?.status, 'queued', body.error);
  assertRefused(await replay(), 409, /^a run for this due time waits to be called: wait for it/);
  held.release(1);
  await ended(1, first.id);
  const queued = (await runs()).filter((run: { status: string }) => run.status === 'queued');
  const causes = queued.map((run: { causedBy?: { jobId: string } }) => run.causedBy?.jobId);
  assert.deepEqual(new Set(causes), new Set([first.id, undefined]));
  for (const count of [2, 3, 4]) {
    await held.waitFor(1);
    held.release(1);
    await ended(count);
  }
  const dueAts = (await runs()).map((run: { dueAt?: string }) => run.dueAt);
  assert.equal(dueAts.filter((at: string) => at === dueAt).length, 1);
});

test('of a missed run one of its due times is replayed, the last one unless another is named', async (t) => {
  const clock = fakeClock('2026-11-23T12:00:00Z');
  const [dataDir, log] = [temporaryDirectory(t), openLog('silent')];
  const sink = await startSink(t);
  let id = '';
  await t.test('before an outage', async (inner) => {
    const { ask } = await startTestDaemon(inner, { clock, dataDir, log });
    const input = { ...daily, cronExpr: '30 * * * *', url: sink.url };
    id = (await ask('POST', '/jobs', input)).body.job.id;
  });
  clock.advance(5 * 60 * minute);
  const { ask } = await startTestDaemon(t, { clock, dataDir, log });
  const missed = await until('it is recorded', async () => {
    const [run] = (await ask('GET', `/jobs/${id}/runs`)).body.runs;
    return run?.status === 'missed' && run;
  });
  const replay = (body: object) => ask('POST', `/jobs/${id}/runs/${missed.id}/replay`, body);
  const [listed] = (await ask('GET', '/runs/replayable')).body.replayable;
  assert.deepEqual([listed.dueAt, listed.count], ['2026-11-23T16:30:00.000Z', 5]);
  for (const at of ['2026-11-23T13:31:00Z', '2026-11-23T11:30:00Z', '2026-11-23T17:30:00Z']) {
    assertRefused(await replay({ dueAt: at }), 400, /: one from 2026-11-23T12:30\S* to .*T16:30/);
  }
  assert.equal((await replay({ dueAt: '2026-11-23T14:30:00+01:00' })).status, 202);
  await until('the call', () => sink.received.length === 1);
  clock.advance(minute);
  await until('the last one', async () => (await replay({})).status === 202);
  await until('its call', () => sink.received.length === 2);
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-scheduled-for']),
    ['2026-11-23T13:30:00.000Z', '2026-11-23T16:30:00.000Z'],
  );
});
