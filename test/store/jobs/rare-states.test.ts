/** Jobs that are deleted, paused or without a due time: each condition hides its row. */

import { findActedJobs } from '../../../src/store/jobs/actions.ts';
import {
  countChainAfter,
  dropChainedRuns,
  dropMakeUps,
  findChainBefore,
  findFollowers,
  findStarted,
  insertChainedRuns,
} from '../../../src/store/jobs/chains.ts';
import { findCalls, findJob, listJobs } from '../../../src/store/jobs/jobs.ts';
import {
  findJobsOfWorkspace,
  findPlannedJobs,
  updateDueTimes,
} from '../../../src/store/jobs/planned.ts';
import { findSpentJobs } from '../../../src/store/jobs/spent.ts';
import { findDueJobs } from '../../../src/store/runs/claims.ts';
import {
  changed,
  deleted,
  rowOf,
  rowsWith,
  runBecame,
  testGuards,
} from '../../support/checks/guards.ts';
import { busyWith, later } from '../../support/records/rare-states.ts';

const any = { limit: 100, exceptHosts: [], exceptJobs: [] };
const page = { limit: 100, before: null, name: null, idPrefix: null };
const sweep = { afterId: '', limit: 100 };
const dueDeleted = deleted('jobs', 'due');
const schedule = {
  scheduleType: 'period',
  cronExpr: null,
  timezone: 'UTC',
  periodSeconds: 60,
  anchorAt: 0,
  adjustments: null,
} as const;

const cause = { jobId: 'leader', runId: 'failed', conditions: ['finished'], endedAt: 2 } as const;

testGuards({
  'a deleted job is not found': [(tx) => findJob(tx, 'w', 'due'), dueDeleted],
  'nor found by the key of a call': [(tx) => findCalls(tx, 'w', ['due']), dueDeleted],
  'nor listed': [async (tx) => rowsWith('due', await listJobs(tx, 'w', page)), dueDeleted],
  'nor listed by its name': [(tx) => listJobs(tx, 'w', { ...page, name: 'due' }), dueDeleted],
  'nor paused, resumed or deleted again': [(tx) => findActedJobs(tx, 'w', ['due']), dueDeleted],
  'nobody waits for the end of a job whose followers were deleted': [
    async (tx) => {
      await changed('jobs', 'follower', { after_job_id: 'due' })(tx);
      return (await findDueJobs(tx, 1, any))[0]?.isFollowed;
    },
    deleted('jobs', 'follower'),
  ],
  'a deleted job follows none': [
    async (tx) => rowsWith('follower', await findFollowers(tx, 'leader', 10)),
    deleted('jobs', 'follower'),
  ],
  'a chain ends at a deleted job': [
    async (tx) => rowsWith('leader', await findChainBefore(tx, 'follower', 10)),
    deleted('jobs', 'leader'),
    deleted('jobs', 'follower'),
  ],
  'deleted jobs make no chain longer': [
    async (tx) => {
      await changed('jobs', 'chained', { after_job_id: 'follower' })(tx);
      return (await countChainAfter(tx, 'leader', 10)) === 2;
    },
    deleted('jobs', 'chained'),
    deleted('jobs', 'follower'),
  ],
  'a job deletes itself unless it is deleted': [
    async (tx) => rowsWith('stopped', await findSpentJobs(tx, 2, 10)),
    deleted('jobs', 'stopped'),
  ],
  'or is due, executes, has a run that waits or a result to post, or others run after it': [
    async (tx) => (await findSpentJobs(tx, 2, 10)).some((job) => !job.isNeeded),
    changed('jobs', 'stopped', { next_run_at: 1 }),
    changed('jobs', 'stopped', busyWith('other')),
    changed('runs', 'queued', { job_id: 'stopped' }),
    changed('jobs', 'follower', { after_job_id: 'stopped' }),
    changed('channels', 'callback', { callback_of: 'stopped' }),
  ],
  'or is off its schedule': [
    async (tx) => (await findSpentJobs(tx, 2, 10)).some((job) => !job.isOffSchedule),
    changed('jobs', 'stopped', { paused: 1 }),
    changed('jobs', 'stopped', { after_job_id: 'leader', after_on: 'failed' }),
  ],
  'the end of a run starts a job that is neither deleted nor paused': [
    async (tx) => rowsWith('follower', await findStarted(tx, [cause])),
    deleted('jobs', 'follower'),
    changed('jobs', 'follower', { paused: 1 }),
    changed('jobs', 'follower', { after_on: 'success' }),
  ],
  'unless a run of it waits already': [
    async (tx) => {
      const run = { id: 'new', jobId: 'follower', workspaceId: 'w', cause };
      return (await insertChainedRuns(tx, [run])).size;
    },
    changed('runs', 'queued', { job_id: 'follower' }),
  ],
  'a pause drops runs that another one caused and that wait, and no others': [
    async (tx) => {
      await dropChainedRuns(tx, ['chained']);
      return (await rowOf(tx, 'runs', 'chained'))['id'] === undefined;
    },
    runBecame('chained', 'running'),
    changed('runs', 'chained', { cause_job_id: null, cause_run_id: null }),
  ],
  'a later due time drops a run that makes up for one before, and waits': [
    async (tx) => {
      await changed('runs', 'chained', { cause_job_id: 'chained' })(tx);
      await dropMakeUps(tx, ['chained'], 'overtaken');
      return (await rowOf(tx, 'runs', 'chained'))['id'] === undefined;
    },
    runBecame('chained', 'running'),
  ],
  'and none that another job caused': [
    async (tx) => {
      await dropMakeUps(tx, ['chained'], 'overtaken');
      return (await rowOf(tx, 'runs', 'chained'))['id'] !== undefined;
    },
    changed('runs', 'chained', { cause_job_id: 'chained' }),
  ],
  'a job has lost its due time if it has none and neither a pause, a deletion nor another job is why':
    [
      async (tx) =>
        (await findJobsOfWorkspace(tx, 'w', sweep)).find(({ id }) => id === 'stopped')?.isStopped,
      changed('jobs', 'stopped', { next_run_at: 1 }),
      changed('jobs', 'stopped', { paused: 1 }),
      changed('jobs', 'stopped', { after_job_id: 'leader', after_on: 'finished' }),
      deleted('jobs', 'stopped'),
    ],
  'a due time is corrected unless it has changed meanwhile': [
    async (tx) => {
      const change = { ...schedule, id: 'planned', nextRunAt: later, planned: 5 };
      await updateDueTimes(tx, [change], { at: 2, reason: 'corrected' });
      return (await rowOf(tx, 'jobs', 'planned'))['next_run_at'] === 5;
    },
    changed('jobs', 'planned', { next_run_at: later + 1 }),
  ],
  'only due times that are still to come are corrected': [
    async (tx) => rowsWith('planned', await findPlannedJobs(tx, { ...sweep, dueAfter: 1 })),
    changed('jobs', 'planned', { next_run_at: 1 }),
  ],
  'a job that is over is due again, unless it is paused or deleted, or follows another': [
    async (tx) => {
      const change = { ...schedule, id: 'stopped', nextRunAt: null, planned: 5 };
      await updateDueTimes(tx, [change], { at: 2, reason: 'corrected' });
      return (await rowOf(tx, 'jobs', 'stopped'))['next_run_at'] === 5;
    },
    changed('jobs', 'stopped', { paused: 1 }),
    changed('jobs', 'stopped', { after_job_id: 'leader', after_on: 'finished' }),
    deleted('jobs', 'stopped'),
  ],
});
