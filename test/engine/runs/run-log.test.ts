/** The log of runs names each job, and warns of what was no success (docs/logs.md). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { openLog } from '../../../src/base/log.ts';
import { rescueAll } from '../../../src/engine/runs/rescue.ts';
import { insertWorkspace } from '../../../src/store/accounts/workspaces.ts';
import { testWriter } from '../../support/running/writer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import type { EngineTest, LogLine } from '../../support/running/engine.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

/** The line about a job that is called this. */
async function lineOf({ logged }: EngineTest, name: string): Promise<LogLine & Logged> {
  return await until(`the line of ${name}`, () =>
    (logged as (LogLine & Logged)[]).find(({ msg, job }) => msg === 'run ended' && job === name),
  );
}

interface Logged {
  job?: string;
  jobId?: string;
  runId?: string;
  workspace?: string;
  status?: string;
  httpStatus?: number | null;
  error?: string | null;
  statusOnRecord?: string | null;
}

test('a failed run is a warning with the name of its job, a successful one is none', async (t) => {
  const setup = await setupEngine(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(path === '/failing' ? 500 : 204).end();
  });
  const jobs = await Promise.all(
    ['failing', 'sound'].map((name) =>
      setup.addJob({ ...dueOnce, name, url: `${sink.url}/${name}` }),
    ),
  );
  setup.clock.set(dueAt);
  await setup.start();
  const [failing, sound] = [await lineOf(setup, 'failing'), await lineOf(setup, 'sound')];
  assert.deepEqual(
    [failing.level, failing.status, failing.httpStatus, failing.error],
    [40, 'failed', 500, 'http: 500'],
  );
  assert.deepEqual(
    [sound.level, sound.status, sound.httpStatus, sound.error],
    [30, 'success', 204, null],
  );
  assert.deepEqual([failing.jobId, sound.jobId], [jobs[0]?.id, jobs[1]?.id]);
  assert.equal('workspace' in failing, false, 'there is only one');
});

test('with several workspaces a line has the name of its own', async (t) => {
  const setup = await setupEngine(t);
  const { store, workspaceId } = setup;
  const { accountId } = await store.db
    .selectFrom('workspaces')
    .select('account_id as accountId')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  await insertWorkspace(store.db, { id: newId(0), name: 'other', accountId, createdAt: 0 });
  const sink = await startSink(t);
  const job = await setup.addJob({ ...dueOnce, url: sink.url });
  setup.clock.set(dueAt);
  await setup.start();
  assert.equal((await lineOf(setup, job.name)).workspace, 'default');
});

test('runs of a dead process and runs that a stop cuts off are warnings with their names', async (t) => {
  const setup = await setupEngine(t);
  const { addJob, clock, start, store } = setup;
  const sink = await startHeldSink(t);
  await addJob({ ...dueOnce, name: 'dead', url: sink.url });
  clock.set(dueAt);
  await testWriter(store, fakeClock(dueAt), 10).claim();
  await addJob({ ...dueOnce, name: 'cut off', url: sink.url });
  const engine = await start({ drainMs: 50 });
  await sink.waitFor(1);
  await engine[Symbol.asyncDispose]();
  for (const [name, why] of [
    ['dead', /^interrupted: the process that executed it ended/],
    ['cut off', /^interrupted: jobd stopped/],
  ] as const) {
    const { level, status, error } = await lineOf(setup, name);
    assert.deepEqual([level, status], [40, 'interrupted']);
    assert.match(error ?? '', why);
  }
});

test('a run that another process closed first ended there: here its late outcome is a warning, and counts nowhere', async (t) => {
  const setup = await setupEngine(t);
  const { addJob, clock, start, store, logged, endedRuns } = setup;
  const sink = await startHeldSink(t);
  const frozen = await addJob({ ...dueOnce, name: 'frozen', url: sink.url });
  const reports = { name: 'reporting', reportWithinSeconds: 60 };
  const reporting = await addJob({ ...dueOnce, ...reports, url: sink.url });
  clock.set(dueAt);
  const counted: unknown[] = [];
  await start({ meter: { ...uncounted, runEnded: (run) => counted.push(run) } });
  await sink.waitFor(2);
  const log = openLog('silent');
  const other = { store, clock, log, meter: uncounted, changes: unheard };
  assert.equal(await rescueAll(other), 2);
  sink.release(2, 202);
  const late: readonly (LogLine & Logged)[] = await until('both warnings', () => {
    const lines = logged.filter(({ msg }) => msg === 'a run that ended was not running any more');
    return lines.length === 2 && lines;
  });
  for (const { level, status, httpStatus, statusOnRecord } of late) {
    assert.deepEqual(
      [level, status, httpStatus, statusOnRecord],
      [40, 'success', 202, 'interrupted'],
    );
  }
  assert.deepEqual(new Set(late.map(({ jobId }) => jobId)), new Set([frozen.id, reporting.id]));
  assert.equal(
    logged.find(({ msg }) => msg === 'run ended' || msg === 'run waits'),
    undefined,
  );
  assert.deepEqual(counted, []);
  assert.equal((await endedRuns(frozen, 1))[0]?.status, 'interrupted');
});
