/** A row that the database refuses: the runs that end together with it are recorded all the same. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { dueAt, dueOnce, setupEngine, type LogLine } from '../../support/running/engine.ts';
import { refuseRows } from '../../support/running/refusal.ts';
import { until } from '../../support/until.ts';

const count = 24;
const notKept = 'interrupted: the database refused to keep its outcome, see the log of jobd';

/** Jobs whose calls are answered together; those of these places with 418, which the database may refuse. */
async function setup(t: Parameters<typeof setupEngine>[0], bad: readonly number[]) {
  const parts = await setupEngine(t);
  const { addJob, clock, start } = parts;
  const waiting: (() => void)[] = [];
  const answer = (response: ServerResponse, { path }: { path: string }): void => {
    const isBad = bad.includes(Number(path.slice(1)));
    waiting.push(() => response.writeHead(isBad ? 418 : 200).end('kept'));
    if (waiting.length === count) for (const send of waiting) send();
  };
  const sink = await startSink(t, answer);
  const jobs = [];
  for (let place = 0; place < count; place += 1)
    jobs.push(await addJob({ ...dueOnce, url: `${sink.url}/${place}` }));
  const begin = async () => {
    clock.set(dueAt);
    return await start({ slots: count, slotsPerHost: count });
  };
  return { ...parts, jobs, sink, begin };
}

function refusals(logged: readonly LogLine[]): LogLine[] {
  return logged.filter(({ msg }) => msg === 'the database refuses to keep the outcome of a run');
}

test('an outcome that the database refuses is recorded as interrupted, and all others as they are', async (t) => {
  const bad = [0, 11, count - 1];
  const { store, jobs, sink, begin, logged, endedRuns, readJob } = await setup(t, bad);
  await refuseRows(store.db, 'runs', 'new.http_status = 418');
  await begin();
  for (const [place, job] of jobs.entries()) {
    const [run, ...more] = await endedRuns(job, 1);
    assert.equal(more.length, 0);
    assert.equal((await readJob(job)).activeRunId, null);
    const seen = [run?.status, run?.error, run?.httpStatus, run?.attempts];
    const isBad = bad.includes(place);
    assert.deepEqual(seen, isBad ? ['interrupted', notKept, null, 1] : ['success', null, 200, 1]);
  }
  assert.equal(sink.received.length, count, 'and none is sent again');
  const lines = await until('its lines', () => {
    const found = refusals(logged);
    return found.length === bad.length ? found : null;
  });
  for (const line of lines) {
    const { level, httpStatus, refusal } = { httpStatus: 0, refusal: '', ...line };
    assert.deepEqual([level, httpStatus], [50, 418]);
    assert.match(refusal, /refusal/);
  }
});

test('a run of which the database keeps nothing waits, and holds up no other', async (t) => {
  const { store, jobs, begin, logged, endedRuns, runsOf } = await setup(t, []);
  const [bad, ...others] = jobs;
  const takeAgain = await refuseRows(
    store.db,
    'runs',
    `new.job_id = '${bad!.id}' and new.status <> 'running'`,
  );
  await begin();
  for (const job of others) assert.deepEqual(each(await endedRuns(job, 1), 'status'), ['success']);
  await until('the trouble', () => logged.some(({ msg }) => msg.startsWith('record failed')));
  assert.ok((await runsOf(bad!)).every(({ status }) => status === 'running'));
  await takeAgain();
  assert.deepEqual(each(await endedRuns(bad!, 1), 'error'), [notKept]);
});

test('a further attempt that the database refuses is not sent', async (t) => {
  const { store, addJob, clock, start, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response) =>
    response.writeHead(503, { 'retry-after': '0' }).end(),
  );
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1 });
  await refuseRows(store.db, 'runs', "new.status = 'running'");
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.httpStatus, run?.attempts], ['failed', 503, 1]);
  assert.equal(sink.received.length, 1);
});
