/** Runs that are not to be started, ended, reported or seen: each condition hides its row. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countDueJobs,
  findDoubtful,
  findDueJobs,
  findEarliestDueTime,
  findQueuedRuns,
  hasQueuedRuns,
  startQueuedRuns,
  updateClaimedJobs,
} from '../../../src/store/runs/claims.ts';
import {
  beginWaits,
  countWaits,
  dropWait,
  findReports,
  findDueWaits,
  findNextWaitEnd,
  findReportedRun,
  findWaitsOf,
  isWaiting,
  keepProgress,
  keepReports,
} from '../../../src/store/runs/reports.ts';
import { listKeptFrom } from '../../../src/store/runs/early.ts';
import { findForgotten } from '../../../src/store/runs/forgotten.ts';
import { listHistory } from '../../../src/store/runs/history.ts';
import { listRunsOfWorkspace } from '../../../src/store/runs/of-workspace.ts';
import {
  findAbandonedRuns,
  findRunningRuns,
  keepAttempts,
  noRun,
  recordEndedRuns,
} from '../../../src/store/runs/ended.ts';
import { listHistories, listOldestRuns } from '../../../src/store/runs/retention.ts';
import { findManualRunIn } from '../../../src/store/runs/runs.ts';
import {
  changed,
  deleted,
  rowOf,
  rowsWith,
  runBecame,
  testGuards,
} from '../../support/checks/guards.ts';
import { busyWith, later, seedRareStates } from '../../support/records/rare-states.ts';
import { claimOf, endedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

const any = { limit: 100, exceptHosts: [], exceptJobs: [] };
const page = { afterId: '', limit: 100 };
const scope = { acceptedFrom: 0 };
const leaderDeleted = deleted('jobs', 'leader');
const isBusy = changed('jobs', 'due', busyWith('another'));
const isOver = changed('jobs', 'running', { ...noRun });
const hasEnded = runBecame('running', 'success');
const isInterrupted = changed('runs', 'running', {
  status: 'interrupted',
  finished_at: 2,
  reason: 'cut_off',
});
const isReported = changed(
  'reports',
  'awaited',
  { outcome: 'success', reported_at: 1, reported_by: 'target' },
  'run_id',
);
const isClosed = changed('reports', 'awaited', { due_at: null }, 'run_id');
const isUnanswered = changed('runs', 'awaited', { http_status: null });

const begun = { attempts: 1, httpStatus: 202, responseBody: null, truncated: 0 };
const wait = { ...begun, runId: 'running', acceptedAt: 1, expiresAt: later };
const progress = { at: 1, percent: 50, line: null };
const report = { at: 1, outcome: 'success', by: 'target', message: null } as const;
const claim = claimOf({ ...startingRun('due', 1), id: 'claimed' });
const underWay = { runId: 'running', jobId: 'running' };
const bad = { before: null, since: null, downTo: undefined, limit: 100 };

testGuards({
  'a run that was asked for is started only while it waits, its job has no other run and is not deleted':
    [
      async (tx) => rowsWith('queued', await findQueuedRuns(tx, any)),
      runBecame('queued', 'running'),
      changed('jobs', 'asked', busyWith('another')),
      deleted('jobs', 'asked'),
    ],
  'the engine does not wake for a queued run of a deleted job': [
    (tx) => hasQueuedRuns(tx, ['chained']),
    deleted('jobs', 'asked'),
  ],
  'a job is due only while none of its runs is under way': [
    (tx) => findDueJobs(tx, 1, any),
    isBusy,
  ],
  'a job with a run under way is not counted as due': [(tx) => countDueJobs(tx, 1, 10), isBusy],
  'the engine does not wake for the due time of a job with a run under way': [
    async (tx) => (await findEarliestDueTime(tx, 1, [])) === 1,
    isBusy,
  ],
  'a queued run is started once': [
    (tx) => startQueuedRuns(tx, [{ id: 'queued', startedAt: 1 }]),
    runBecame('queued', 'running'),
    runBecame('queued', 'success'),
  ],
  'a job is claimed only while it has no run under way': [
    async (tx) => {
      await updateClaimedJobs(tx, [claim]);
      return (await rowOf(tx, 'jobs', 'due'))['active_run_id'] === 'claimed';
    },
    isBusy,
  ],
  'only a run under way is ended': [
    (tx) => recordEndedRuns(tx, [endedRun(underWay, 'failed')]),
    isOver,
    hasEnded,
  ],
  'the end of a run frees its job only from that run': [
    async (tx) => {
      await recordEndedRuns(tx, [endedRun(underWay, 'failed')]);
      return (await rowOf(tx, 'jobs', 'running'))['total_failed'] === 1;
    },
    changed('jobs', 'running', { active_run_id: 'another' }),
  ],
  'an interrupted run frees its job only from that run': [
    async (tx) => {
      await recordEndedRuns(tx, [endedRun(underWay, 'interrupted')]);
      return (await rowOf(tx, 'jobs', 'running'))['active_run_id'] === null;
    },
    changed('jobs', 'running', { active_run_id: 'another' }),
  ],
  'a further attempt is kept only of a run under way': [
    (tx) => keepAttempts(tx, [{ runId: 'running', jobId: 'running', attempts: 2 }]),
    isOver,
    hasEnded,
  ],
  'a call is in flight until it is answered': [
    async (tx) => (await findRunningRuns(tx)).some(({ runId }) => runId === 'running'),
    isOver,
    changed('runs', 'running', { http_status: 202 }),
  ],
  'a run is abandoned once its node has ended': [
    async (tx) => (await findAbandonedRuns(tx, 10)).some(({ runId }) => runId === 'running'),
    changed('nodes', 'node', { ended_at: null, end_reason: null }),
  ],
  'only a call in flight begins to wait': [
    (tx) => beginWaits(tx, [wait]),
    isInterrupted,
    changed('runs', 'running', { http_status: 202 }),
  ],
  'a report is kept only of a run that is not over': [
    async (tx) => (await keepReports(tx, [{ ...report, runId: 'running' }]))[0],
    hasEnded,
  ],
  'only the first report is kept, and none after the end of the wait': [
    async (tx) => (await keepReports(tx, [{ ...report, runId: 'awaited' }]))[0],
    isReported,
    isClosed,
  ],
  'progress is kept only of a run that is not over': [
    async (tx) => (await keepProgress(tx, [{ ...progress, runId: 'running' }]))[0],
    hasEnded,
  ],
  'no progress is kept after the report, and none after the end of the wait': [
    async (tx) => (await keepProgress(tx, [{ ...progress, runId: 'awaited' }]))[0],
    isReported,
    isClosed,
  ],
  'a run waits from its answer to its end': [
    (tx) => isWaiting(tx, 'awaited'),
    isUnanswered,
    runBecame('awaited', 'success'),
  ],
  'the waits of a workspace are those of answered runs that are not over': [
    (tx) => findWaitsOf(tx, 'w'),
    isUnanswered,
    changed('jobs', 'waiting', { ...noRun }),
  ],
  'a wait that is over is not ended again': [
    (tx) => findDueWaits(tx, { ...scope, now: later, limit: 10 }),
    isClosed,
  ],
  'the engine does not wake for a wait that is over': [
    (tx) => findNextWaitEnd(tx, scope),
    isClosed,
  ],
  'a wait that is over is not counted': [(tx) => countWaits(tx, 10), isClosed],
  'dropping a wait leaves a run that is over as it is': [
    async (tx) => {
      await dropWait(tx, { jobId: 'waiting', runId: 'awaited', now: 2 });
      return (await rowOf(tx, 'runs', 'awaited'))['status'] === 'interrupted';
    },
    runBecame('awaited', 'success'),
  ],
  'dropping a wait leaves its job to the run that has begun since': [
    async (tx) => {
      await dropWait(tx, { jobId: 'waiting', runId: 'awaited', now: 2 });
      return (await rowOf(tx, 'jobs', 'waiting'))['active_run_id'] === null;
    },
    changed('jobs', 'waiting', { active_run_id: 'success' }),
  ],
  'a wait is seen once the answer came': [
    (tx) => findReports(tx, ['awaited']),
    changed('reports', 'awaited', { accepted_at: null, expires_at: null, due_at: null }, 'run_id'),
  ],
  'the address for reports is gone with its job and its workspace': [
    (tx) => findReportedRun(tx, 'awaited'),
    deleted('jobs', 'waiting'),
    deleted('workspaces', 'w'),
  ],
  'the history of a deleted job is not looked at for its age': [
    async (tx) => rowsWith('leader', await listHistories(tx, page)),
    leaderDeleted,
  ],
  'nor for want of space': [
    async (tx) => rowsWith('leader', await listKeptFrom(tx, page, 1)),
    leaderDeleted,
  ],
  'a run that the database does not know is lost, unless its job was deleted': [
    async (tx) => {
      const run = { id: 'unknown', jobId: 'leader', scheduledFor: 5, status: 'success' } as const;
      return (await findForgotten(tx, [run])).calls;
    },
    leaderDeleted,
    changed('jobs', 'leader', { history_from: 5 }),
  ],
  'a run that is not over stays, however old it is': [
    async (tx) => (await listOldestRuns(tx, 'asked', { after: null, limit: 9 })).length === 0,
    runBecame('queued', 'success'),
  ],
  'runs of a deleted job, and of other states, are not listed': [
    async (tx) =>
      rowsWith('failed', await listRunsOfWorkspace(tx, 'w', { ...bad, statuses: ['failed'] })),
    leaderDeleted,
    changed('runs', 'failed', { status: 'interrupted' }),
  ],
  'nor in the history of a job': [
    (tx) =>
      listHistory(tx, 'leader', { statuses: ['failed'], limit: 9, before: null, downTo: null }),
    changed('runs', 'failed', { status: 'interrupted' }),
  ],
  'a run that people asked for is one that no other run caused': [
    (tx) => findManualRunIn(tx, 'asked', 0, 1),
    changed('runs', 'queued', { cause_job_id: 'leader', cause_run_id: 'failed' }),
    changed('runs', 'queued', { source: 'scheduled', status: 'running', started_at: 1 }),
  ],
});

test('of claims in doubt only runs under way count as claimed', async (t) => {
  const { store } = await openTestStore(t);
  await store.write(seedRareStates);
  const claimed = [{ runId: 'running', jobId: 'running' }];
  const found = async (nodeId: string | null) => [
    ...(await findDoubtful(store.db, claimed, nodeId)),
  ];
  const { active_node_id: nodeId } = await store.db
    .selectFrom('jobs')
    .select('active_node_id')
    .where('id', '=', 'running')
    .executeTakeFirstOrThrow();
  assert.deepEqual(await found(nodeId), ['running']);
  assert.deepEqual(await found('another'), [], 'which claimed the queued run after a rollback');
  await store.write(changed('jobs', 'running', { active_run_id: 'another' }));
  assert.deepEqual(await found(nodeId), []);
  await store.write(isOver);
  assert.deepEqual(await found(null), []);
});
