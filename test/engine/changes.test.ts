/** What the engine says of its work, after it is on the disk (docs/behavior.md#events-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Changed, ChangeFeed } from '../../src/domain/changes.ts';
import { dueAt, dueOnce, setupEngine } from '../support/running/engine.ts';
import { until } from '../support/until.ts';

/** A feed that notes what is published. */
function listen() {
  const heard: (Partial<Changed> & { workspaceId: string })[] = [];
  let all = 0;
  const changes: ChangeFeed = {
    isHeard: true,
    publish: (workspaceId, changed) => void heard.push({ workspaceId, ...changed }),
    publishAll() {
      all += 1;
    },
  };
  return { heard, changes, all: () => all };
}

test('runs are named when they start, end and are missed, each with its job and workspace', async (t) => {
  const engineTest = await setupEngine(t);
  const { addJob, clock, workspaceId, endedRuns, start } = engineTest;
  const job = await addJob(dueOnce);
  const late = await addJob({ cronExpr: '9 * * * *' });
  clock.set(dueAt);
  const { heard, changes } = listen();
  await start({ changes });
  const ran = await endedRuns(job, 1);
  const [missed] = await endedRuns(late, 1);
  const said = ({ id }: { id: string }) =>
    heard.flatMap(({ workspaceId: of, runs = [] }) =>
      runs.filter((run) => run.id === id).map(({ jobId, status }) => [of, jobId, status]),
    );
  const [run = assert.fail()] = ran;
  await until('the end', () => said(run).length === 2);
  assert.deepEqual(said(run), [
    [workspaceId, job.id, 'running'],
    [workspaceId, job.id, run.status],
  ]);
  assert.deepEqual(said(missed ?? assert.fail()), [[workspaceId, late.id, 'missed']]);
});

test('while nobody listens, nothing of runs is published', async (t) => {
  const { addJob, clock, endedRuns, start } = await setupEngine(t);
  const job = await addJob(dueOnce);
  clock.set(dueAt);
  const { heard, changes } = listen();
  await start({ changes: { ...changes, isHeard: false } });
  await endedRuns(job, 1);
  assert.deepEqual(heard, []);
});
