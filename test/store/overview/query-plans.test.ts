/** The cost of the statements behind lists and counts: each walks along its index, without a scan or a sort. */

import { test } from 'node:test';
import { badRunStatuses, runStatuses } from '../../../src/domain/runs/run.ts';
import { jobOrders } from '../../../src/domain/jobs/listed-job.ts';
import { countJobs, countMonitors } from '../../../src/store/overview/counts.ts';
import {
  findJobsWith,
  findLastDue,
  findRunningJobs,
  findStop,
  hasJobs,
  listJobsOf,
  listJobsOn,
} from '../../../src/store/overview/jobs.ts';
import type { JobPlace, JobWalk } from '../../../src/store/overview/jobs.ts';
import { findMonitorStop, listMonitorsBy } from '../../../src/store/overview/monitors.ts';
import { findRecentPings, findRecentRuns } from '../../../src/store/overview/recent.ts';
import { countTrouble, findMissedJobs } from '../../../src/store/overview/trouble.ts';
import { findRunStop, listRunsOfWorkspace } from '../../../src/store/runs/of-workspace.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

const place: JobPlace = { id: 'j', nameLower: 'a', nextRunAt: 5 };
const jobById = /^SEARCH jobs USING (COVERING )?INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/;
/** The place in the index of a job that a cursor names. */
const placeOfJob = [/^SCALAR SUBQUERY \d$/, jobById];

function search(table: string, index: string, condition: string): RegExp {
  const words = condition.replaceAll(/[?()]/g, '\\$&');
  return new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(${words}\\)$`);
}

test('each order of jobs walks along its index, from one place to another', async (t) => {
  const list = (walk: JobWalk, more: object = {}): Promise<string[]> => {
    const page = {
      state: null,
      text: 'b',
      ids: null,
      after: place,
      upTo: place,
      limit: 5,
      ...more,
    };
    return planOf(t, (db) => listJobsOn(db, 'w', walk, page));
  };
  const newest = 'workspace_id=? AND id>? AND id<?';
  assertPlan(await list('newest'), [search('jobs', 'jobs_counted', newest)]);
  const indexes = { down: 'jobs_down', new: 'jobs_new', paused: 'jobs_paused', up: 'jobs_counted' };
  for (const state of ['down', 'new', 'paused', 'up'] as const) {
    assertPlan(await list('newest', { state }), [search('jobs', indexes[state], newest)]);
  }
  const byName = 'workspace_id=? AND (name_lower,id)>(?,?) AND (name_lower,id)<(?,?)';
  assertPlan(await list('name'), [search('jobs', 'jobs_by_name', byName)]);
  assertPlan(await list('name', { state: 'down' }), [search('jobs', 'jobs_by_name', byName)]);
  const byDueTime = search('jobs', 'jobs_by_due_time', 'next_run_at>? AND next_run_at<?');
  assertPlan(await list('due'), [byDueTime, ...placeOfJob]);
  assertPlan(await list('due', { state: 'up' }), [byDueTime, ...placeOfJob]);
  const lastDue = await planOf(t, (db) => findLastDue(db, 'w', { after: place, upTo: place }));
  assertPlan(lastDue, [byDueTime, ...placeOfJob]);
  // The jobs of a workspace that has few are sorted.
  assertPlan(await list('name of few', { state: 'up' }), [
    search('jobs', 'jobs_counted', 'workspace_id=?'),
    /^USE TEMP B-TREE FOR ORDER BY$/,
  ]);
  const found = { text: null, ids: ['j'], upTo: undefined };
  assertPlan(await list('name of few', found), [
    search('jobs', 'jobs_counted', 'workspace_id=? AND id=?'),
    /^USE TEMP B-TREE FOR ORDER BY$/,
  ]);
  assertPlan(await list('due of few'), [
    search('jobs', 'jobs_counted', 'workspace_id=?'),
    ...placeOfJob,
    /^USE TEMP B-TREE FOR ORDER BY$/,
  ]);
});

test('the jobs with a text are found along the index of the newest', async (t) => {
  const span = { state: null, text: 'b', after: place, upTo: place };
  assertPlan(await planOf(t, (db) => findJobsWith(db, 'w', 'newest', span)), [
    search('jobs', 'jobs_counted', 'workspace_id=? AND id>? AND id<?'),
  ]);
});

test('the first page begins at the end of the index', async (t) => {
  const conditions = { newest: 'workspace_id=?', name: 'workspace_id=?', due: 'next_run_at>?' };
  const indexes = { newest: 'jobs_counted', name: 'jobs_by_name', due: 'jobs_by_due_time' };
  for (const order of jobOrders) {
    const page = { state: null, text: null, ids: null, after: null, upTo: undefined, limit: 5 };
    const steps = await planOf(t, (db) => listJobsOn(db, 'w', order, page));
    assertPlan(steps, [search('jobs', indexes[order], conditions[order])]);
  }
});

test('where a list must stop is found in its index', async (t) => {
  const stop = (walk: JobWalk, state: 'down' | 'up' | null = null): Promise<string[]> =>
    planOf(t, (db) => findStop(db, 'w', walk, { state, after: place, rows: 5_000 }));
  const newest = 'workspace_id=? AND id<?';
  assertPlan(await stop('newest'), [search('jobs', 'jobs_counted', newest)]);
  assertPlan(await stop('newest', 'up'), [search('jobs', 'jobs_counted', newest)]);
  assertPlan(await stop('newest', 'down'), [search('jobs', 'jobs_down', newest)]);
  const byName = 'workspace_id=? AND (name_lower,id)>(?,?)';
  assertPlan(await stop('name', 'down'), [search('jobs', 'jobs_by_name', byName)]);
  assertPlan(await stop('due'), [
    search('jobs', 'jobs_by_due_time', 'next_run_at>?'),
    ...placeOfJob,
  ]);
  assertPlan(await planOf(t, (db) => hasJobs(db, 'w', 5_000)), [
    search('jobs', 'jobs_counted', 'workspace_id=?'),
  ]);
});

test('jobs that run are found by the runs under way, and named jobs by their ids', async (t) => {
  assertPlan(await planOf(t, (db) => findRunningJobs(db, 'w')), [
    search('runs', 'runs_running', 'workspace_id=?'),
    jobById,
  ]);
  const page = { text: 'b', limit: 5 };
  assertPlan(await planOf(t, (db) => listJobsOf(db, 'w', ['j'], page)), [
    search('jobs', 'jobs_counted', 'workspace_id=? AND id=?'),
  ]);
});

test('counting walks along indexes', async (t) => {
  const step = [/^CO-ROUTINE (step|newest|trouble)$/, /^SCAN (step|newest|trouble)$/];
  const indexes = { all: 'counted', down: 'down', new: 'new', paused: 'paused' };
  for (const counted of ['all', 'down', 'new', 'paused'] as const) {
    const page = { afterId: 'j', limit: 10_000 };
    assertPlan(await planOf(t, (db) => countJobs(db, 'w', counted, page)), [
      ...step,
      search('jobs', `jobs_${indexes[counted]}`, 'workspace_id=? AND id>?'),
    ]);
  }
  assertPlan(await planOf(t, (db) => countMonitors(db, 'w', { now: 1, limit: 5 })), [
    ...step,
    search('monitors', 'monitors_counted', 'workspace_id=?'),
  ]);
  assertPlan(await planOf(t, (db) => countTrouble(db, 'w', { since: 1, rows: 5 })), [
    ...step,
    /^SEARCH runs USING COVERING INDEX runs_trouble \(workspace_id=\? AND scheduled_for>\?\)$/,
  ]);
});

test('runs of all jobs are read in the order of an index that begins with their workspace', async (t) => {
  const before = { scheduledFor: 5, jobId: 'j', source: 'manual' } as const;
  const position = '(scheduled_for,job_id,source)';
  const kinds = [
    [runStatuses, 'runs_by_workspace'],
    [['success', 'failed'], 'runs_by_workspace'],
    [badRunStatuses, 'runs_trouble'],
    [['missed'], 'runs_trouble'],
  ] as const;
  for (const [statuses, index] of kinds) {
    const stop = { statuses, before, since: null, rows: 9 };
    assertPlan(await planOf(t, (db) => findRunStop(db, 'w', stop)), [
      search('runs', index, `workspace_id=? AND ${position}<(?,?,?)`),
    ]);
    const first = { ...stop, before: null };
    assertPlan(await planOf(t, (db) => findRunStop(db, 'w', first)), [
      search('runs', index, 'workspace_id=?'),
    ]);
    const page = { statuses, before, since: null, downTo: before, limit: 5 };
    assertPlan(await planOf(t, (db) => listRunsOfWorkspace(db, 'w', page)), [
      search('runs', index, `workspace_id=? AND ${position}>(?,?,?) AND ${position}<(?,?,?)`),
      jobById,
    ]);
    const young = { ...page, before: null, since: 1 };
    assertPlan(await planOf(t, (db) => listRunsOfWorkspace(db, 'w', young)), [
      search('runs', index, `workspace_id=? AND ${position}>(?,?,?)`),
      jobById,
    ]);
    const last = { ...young, downTo: undefined };
    assertPlan(await planOf(t, (db) => listRunsOfWorkspace(db, 'w', last)), [
      search('runs', index, 'workspace_id=? AND scheduled_for>?'),
      jobById,
    ]);
  }
});

test('jobs that missed a due time are found in the index of trouble alone', async (t) => {
  const before = { scheduledFor: 5, jobId: 'j', source: 'manual' } as const;
  assertPlan(await planOf(t, (db) => findMissedJobs(db, 'w', { before, since: 1, rows: 9 })), [
    /^CO-ROUTINE trouble$/,
    /^SEARCH runs USING COVERING INDEX runs_trouble/,
    /^SCAN trouble$/,
    /^USE TEMP B-TREE FOR DISTINCT$/,
  ]);
});

test('the recent results of a list are one statement, which reads those rows and no others', async (t) => {
  const listed = /^SCAN listed VIRTUAL TABLE/;
  assertPlan(await planOf(t, (db) => findRecentRuns(db, ['j'], 30)), [
    listed,
    search('runs', 'runs_by_time', 'job_id=? AND scheduled_for>?'),
    /^CORRELATED SCALAR SUBQUERY 1$/,
    /^SEARCH oldest USING COVERING INDEX runs_by_time \(job_id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => findRecentPings(db, [{ id: 'm', pingCount: 9 }], 30)), [
    listed,
    search('pings', 'sqlite_autoindex_pings_1', 'monitor_id=? AND number>?'),
  ]);
});

test('monitors are listed along their index, from one place to another', async (t) => {
  const page = { text: 'b', now: 5, before: 'm', downTo: 'a', limit: 5 };
  for (const status of ['new', 'up', 'late', 'down', 'paused'] as const) {
    assertPlan(await planOf(t, (db) => listMonitorsBy(db, 'w', { ...page, status })), [
      search('monitors', 'monitors_counted', 'workspace_id=? AND id>? AND id<?'),
    ]);
  }
  assertPlan(await planOf(t, (db) => findMonitorStop(db, 'w', { before: 'm', rows: 9 })), [
    search('monitors', 'monitors_counted', 'workspace_id=? AND id<?'),
  ]);
});
