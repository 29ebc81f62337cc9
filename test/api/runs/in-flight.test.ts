/**
 * A run during its call. It has no row in the database, unless its target may report of it later: nobody sees a difference,
 * whatever is asked.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Run } from '../../../src/api/runs/contract.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { apiOperations } from '../../support/operations.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

/** Two jobs like each other, in each of which a call is in flight: with a row of its run, and without. */
async function setup(t: TestContext) {
  const { daemon, clock } = await startClockedDaemon(t, '2026-03-02T09:59:30Z');
  const sink = await startHeldSink(t);
  const add = async (name: string, input: object): Promise<string> => {
    const job = { name, url: `${sink.url}/${name}`, cronExpr: '* * * * *', ...input };
    const { status, body } = await daemon.ask('POST', '/jobs', job);
    assert.equal(status, 201, body.error);
    return body.job.id;
  };
  const jobIds = {
    rowed: await add('rowed', { reportWithinSeconds: 60 }),
    plain: await add('plain', {}),
  };
  clock.advanceBoth(30_000);
  await sink.waitFor(2);
  const of = (name: keyof typeof jobIds) => {
    const call = sink.received.find(({ path }) => path === `/${name}`);
    return { name, jobId: jobIds[name], runId: String(call?.headers['x-service-run-id']) };
  };
  return { ...daemon, clock, sink, rowed: of('rowed'), plain: of('plain') };
}

type InFlight = Awaited<ReturnType<typeof setup>>['plain'];

/** What was answered about one of them, in words that fit both. */
function without({ name, jobId, runId }: InFlight, body: unknown): string {
  return JSON.stringify(body)
    .replaceAll(jobId, 'JOB')
    .replaceAll(runId, 'RUN')
    .replaceAll(name, 'NAME')
    .replaceAll(',"reportWithinSeconds":60', '');
}

test('every operation says the same of a run in flight, with a row of its own or without', async (t) => {
  const { ask, sink, rowed, plain } = await setup(t);
  const seenBy = new Set<string>();
  for (const { name, method, path, queries = [''], isEndless } of await apiOperations()) {
    if (method !== 'GET' || isEndless) continue;
    for (const query of queries) {
      const [one, other] = await Promise.all(
        [rowed, plain].map(async (run) => {
          const named = path.replace('{id}', run.jobId).replace('{runId}', run.runId);
          return await ask('GET', `${named}${query}`);
        }),
      );
      assert.equal(one?.status, other?.status, name);
      if (path.includes('{')) {
        assert.equal(without(plain, other?.body), without(rowed, one?.body), name);
      }
      const isSeen = [rowed, plain].map(({ runId }) => JSON.stringify(one?.body).includes(runId));
      if (!path.includes('{')) assert.equal(isSeen[1], isSeen[0], name);
      if (JSON.stringify(other?.body).includes(plain.runId)) seenBy.add(name);
    }
  }
  const ofJob = ['listRuns', 'getRun', 'listAllRuns', 'listHistory', 'explainJob'];
  const overview = ['listOverviewJobs', 'getOverviewJob', 'getTimetable'];
  const expected = [...ofJob, ...overview, 'getReceipt'];
  assert.deepEqual([...seenBy], expected);
  sink.release();
});

test('a list has a run in flight once, in its place, and the same run when it is over', async (t) => {
  const { ask, sink, plain } = await setup(t);
  const path = `/jobs/${plain.jobId}`;
  const lists = [`${path}/runs`, `${path}/history`, '/runs?status=running,success'];
  const read = async (list: string) => {
    const { runs } = (await ask('GET', list)).body as { runs: Run[] };
    return runs.filter(({ id }) => id === plain.runId).map(({ status }) => status);
  };
  for (const list of lists) assert.deepEqual(await read(list), ['running'], list);
  assert.equal((await ask('GET', `${path}/runs`)).body.totals.running, 1);
  const before = (await ask('GET', `${path}/runs/${plain.runId}`)).body.run;
  sink.release();
  const isFree = async () => (await ask('GET', path)).body.job.status === 'up';
  await until('the end of the run', isFree);
  for (const list of lists) assert.deepEqual(await read(list), ['success'], list);
  const { run: after } = (await ask('GET', `${path}/runs/${plain.runId}`)).body;
  const same = ['id', 'jobId', 'source', 'scheduledFor', 'startedAt', 'attempts'];
  for (const field of same) assert.deepEqual(after[field], before[field], field);
});
