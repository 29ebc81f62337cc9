/** What a page about a workspace does not show or count: each condition hides its row. */

import { countJobs, countMonitors } from '../../../src/store/overview/counts.ts';
import { findRunningJobs, hasJobs, listJobsOn } from '../../../src/store/overview/jobs.ts';
import type { JobWalk } from '../../../src/store/overview/jobs.ts';
import { listMonitorsBy } from '../../../src/store/overview/monitors.ts';
import { countTrouble, findMissedJobs } from '../../../src/store/overview/trouble.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { noRun } from '../../../src/store/runs/ended.ts';
import { changed, deleted, rowsWith, testGuards } from '../../support/checks/guards.ts';
import { busyWith } from '../../support/records/rare-states.ts';

const dueDeleted = deleted('jobs', 'due');
const isBusy = changed('jobs', 'due', busyWith('running'));
const isDeleted = deleted('monitors', 'monitor');
const page = { search: null, after: null, upTo: undefined, state: null, ids: null, limit: 100 };
const monitors = {
  status: null,
  search: null,
  now: 1,
  before: null,
  downTo: undefined,
  limit: 100,
};
const steps = { afterId: '', limit: 100 };
const span = { before: null, since: null, rows: 100 };

function listed(walk: JobWalk): (tx: Db) => Promise<object[]> {
  return async (tx) => rowsWith('due', await listJobsOn(tx, 'w', walk, page));
}

testGuards({
  'a deleted job is not listed': [listed('newest'), dueDeleted],
  'nor by name': [listed('name'), dueDeleted],
  'nor by name of few': [listed('name of few'), dueDeleted],
  'jobs are listed by due time while none of their runs is under way': [
    listed('due'),
    dueDeleted,
    isBusy,
    changed('jobs', 'due', { next_run_at: null }),
  ],
  'and so those of few': [
    listed('due of few'),
    dueDeleted,
    isBusy,
    changed('jobs', 'due', { next_run_at: null }),
  ],
  'a deleted job makes a workspace no larger': [(tx) => hasJobs(tx, 'w', 10), dueDeleted],
  'nor is it counted': [
    async (tx) => (await countJobs(tx, 'w', 'all', steps)).count === 10,
    dueDeleted,
  ],
  'a job that is paused is counted as that alone': [
    async (tx) => (await countJobs(tx, 'w', 'down', steps)).count,
    changed('jobs', 'leader', { paused: 1 }),
  ],
  'a job that is paused is neither new nor up': [
    async (tx) => {
      const ofState = (state: 'new' | 'up') => listJobsOn(tx, 'w', 'newest', { ...page, state });
      await changed('jobs', 'leader', { health: 'new' })(tx);
      return rowsWith('leader', await ofState('new')).length + (await ofState('up')).length === 10;
    },
    changed('jobs', 'leader', { paused: 1 }),
    changed('jobs', 'stopped', { paused: 1 }),
  ],
  'a job runs while its run is under way': [
    async (tx) =>
      rowsWith('running', await findRunningJobs(tx, 'w').then((ids) => ids.map((id) => ({ id })))),
    changed('jobs', 'running', { ...noRun }),
  ],
  'a deleted monitor is not listed': [(tx) => listMonitorsBy(tx, 'w', monitors), isDeleted],
  'nor counted': [
    async (tx) => (await countMonitors(tx, 'w', { now: 1, limit: 10 })).total,
    isDeleted,
  ],
  'a monitor is counted as down if it is and is not paused': [
    async (tx) => (await countMonitors(tx, 'w', { now: 1, limit: 10 })).down,
    changed('monitors', 'monitor', { health: 'up' }),
    changed('monitors', 'monitor', { paused: 1 }),
  ],
  'a job has missed a due time if one of its runs is missed': [
    (tx) => findMissedJobs(tx, 'w', span),
    changed('runs', 'missed', { status: 'failed', started_at: 1, finished_at: 2 }),
  ],
  'a run that succeeds is no trouble': [
    async (tx) => (await countTrouble(tx, 'w', span)).failed,
    changed('runs', 'failed', { status: 'success', http_status: 200, reason: null }),
  ],
});
