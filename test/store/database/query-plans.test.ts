/** The cost of frequent statements: each uses its index and reads nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { findAccountOf } from '../../../src/store/accounts/accounts.ts';
import {
  findDueJobs,
  findEarliestDueTime,
  findQueuedRuns,
  hasQueuedRuns,
  insertScheduledRuns,
  startQueuedRuns,
  updateClaimedJobs,
} from '../../../src/store/runs/claims.ts';
import { findWorkspaceLabels } from '../../../src/store/database/workspace-label.ts';
import { findAccountToResume, findTerms, stopJobs } from '../../../src/store/accounts/expiry.ts';
import { findActedJobs, keepScheduleStates } from '../../../src/store/jobs/actions.ts';
import { listJobs, markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { findEndOfStep, listFigures, listHistory } from '../../../src/store/runs/history.ts';
import { findActiveKey } from '../../../src/store/accounts/keys.ts';
import {
  findEarliestCheck,
  findExpectingMonitors,
  findMonitorsToCheck,
  findPingedMonitors,
  keepMonitorStates,
  keepPingedMonitors,
  listMonitors,
} from '../../../src/store/monitors/monitors.ts';
import { findPinged, listPings } from '../../../src/store/monitors/pings.ts';
import { findJobsOfWorkspace } from '../../../src/store/jobs/planned.ts';
import { findDeleted } from '../../../src/store/database/owned.ts';
import {
  findPlan,
  listHistories,
  listOldestRuns,
  removeBeginnings,
} from '../../../src/store/runs/retention.ts';
import { findRunningRuns } from '../../../src/store/runs/results.ts';
import {
  countRuns,
  findRunByIdempotencyKey,
  findManualRunIn,
  listRuns,
} from '../../../src/store/runs/runs.ts';
import { countActiveKeys, usageOf } from '../../../src/store/accounts/usage.ts';
import { listAuditEntries } from '../../../src/store/accounts/audit.ts';
import {
  findDeletedWorkspace,
  findWorkspacesOf,
  markWorkspaceDeleted,
  removeDeletedWorkspace,
} from '../../../src/store/accounts/workspaces.ts';
import { queuedRun, startingRun } from '../../support/records/run.ts';
import { findUnsignedRuns, keepReceipts } from '../../../src/store/receipts/receipts.ts';
import { assertPlan, isFollowed, planOf } from '../../support/checks/query-plan.ts';

const bounds = { limit: 10, exceptHosts: ['127.0.0.1:80'], exceptJobs: ['j'] };
const accountById =
  /^SEARCH accounts USING (COVERING )?INDEX sqlite_autoindex_accounts_1 \(id=\?\)$/;
const ownedByRun =
  /^SEARCH (receipts|completions) USING (COVERING )?INDEX sqlite_autoindex_\1_1 \(run_id=\?\)$/;
const byDueTime = /^SEARCH jobs USING INDEX jobs_by_due_time \(next_run_at[<>]\?\)$/;
const openSpan = /^SEARCH schedule_spans USING INDEX schedule_spans_open \(job_id=\?\)$/;
const jobById = /^SEARCH jobs USING (COVERING )?INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/;
const runById = /^SEARCH runs USING (COVERING )?INDEX sqlite_autoindex_runs_1 \(id=\?\)$/;
/** Of a run that was no success: in whose trouble it is. */
const workspaceOfJob = /^(CORRELATED )?SCALAR SUBQUERY 1$/;
const openByStatus = /^SEARCH runs USING INDEX runs_open \(status=\?\)$/;

test('due jobs are found in the order of their due times, without a scan or a sort', async (t) => {
  assertPlan(await planOf(t, (db) => findDueJobs(db, 1, bounds)), [byDueTime, ...isFollowed]);
  const all = { limit: 1, exceptHosts: [], exceptJobs: [] };
  assertPlan(await planOf(t, (db) => findDueJobs(db, 1, all)), [byDueTime, ...isFollowed]);
});

test('the earliest due time is one lookup in the index of due times', async (t) => {
  const steps = await planOf(t, (db) => findEarliestDueTime(db, 1, ['j']));
  assertPlan(steps, [/^SEARCH jobs USING INDEX jobs_by_due_time \(next_run_at>\?\)$/]);
});

/** Reads up to two entries of an index. */
const areSeveral = [/^SCALAR SUBQUERY \d$/, /^SCAN kept USING (COVERING )?INDEX workspaces_kept$/];

test('runs that have not ended are found in their own small indexes, without a sort', async (t) => {
  const queued = [/^SCAN runs USING INDEX runs_queued$/, jobById, ...isFollowed];
  assertPlan(await planOf(t, (db) => findQueuedRuns(db, bounds)), queued);
  assertPlan(await planOf(t, (db) => hasQueuedRuns(db, ['j'])), queued);
  const names = [jobById, /^SEARCH workspaces .*\(id=\?\)$/, ...areSeveral];
  const all = [openByStatus, ...names, ownedByRun, ...isFollowed];
  assertPlan(await planOf(t, findRunningRuns), all);
});

test('claiming reads only the claimed rows', async (t) => {
  const insert = await planOf(t, async (db) => {
    await sql`pragma foreign_keys = off`.execute(db);
    await sql`pragma ignore_check_constraints = on`.execute(db);
    await insertScheduledRuns(db, [startingRun('j', 1)]).catch(() => {});
  });
  assertPlan(insert, [workspaceOfJob, jobById]);
  const started = [{ id: 'r', startedAt: 1, nodeId: null }];
  assertPlan(await planOf(t, (db) => startQueuedRuns(db, started)), [runById]);
  const job = { id: 'j', nextRunAt: 1, activeRunId: 'r', startedAt: 1, missed: 0 };
  assertPlan(await planOf(t, (db) => updateClaimedJobs(db, [job])), [jobById]);
});

test('signing reads only the rows to sign', async (t) => {
  const unsigned = /^SEARCH runs USING (COVERING )?INDEX runs_unsigned/;
  const any = await planOf(t, (db) => findUnsignedRuns(db, { limit: 5 }));
  assertPlan(any, [/^SCAN runs USING INDEX runs_unsigned$/, jobById]);
  assertPlan(await planOf(t, (db) => findUnsignedRuns(db, { jobId: 'j', limit: 5 })), [
    unsigned,
    jobById,
  ]);
  let jobId = '';
  const keep = await planOf(
    t,
    (db) =>
      keepReceipts(db, [{ runId: 'r', jobId, text: '{}', sha256: '0', previousSha256: null }]),
    async ({ addJob }) => {
      ({ id: jobId } = await addJob());
    },
  );
  assertPlan(keep, [runById, jobById]);
});

test('a page of runs is read in the order of its index, and counting counts open runs only', async (t) => {
  const first = { limit: 50, before: null };
  const later = { limit: 50, before: { scheduledFor: 5, source: 'manual' } as const };
  assertPlan(await planOf(t, (db) => listRuns(db, 'j', first)), [
    /^SEARCH runs USING INDEX runs_by_time \(job_id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => listRuns(db, 'j', later)), [
    /^SEARCH runs USING INDEX runs_by_time \(job_id=\? AND \(scheduled_for,source\)<\(\?,\?\)\)$/,
  ]);
  const counted = await planOf(t, (db) => countRuns(db, 'j'));
  assert.match(counted.join('\n'), /runs USING (COVERING )?INDEX runs_open/);
  assert.doesNotMatch(counted.join('\n'), /runs_by_time|SCAN runs$/m);
});

test('the history of a job is read in the order of an index, and bad runs from their own', async (t) => {
  const before = { scheduledFor: 5, source: 'manual' } as const;
  const downTo = { scheduledFor: 2, source: 'manual' } as const;
  const range = 'job_id=\\? AND \\(scheduled_for,source\\)[<>]\\(\\?,\\?\\)';
  const kinds = [
    [null, 'runs_by_time'],
    [['success'], 'runs_by_time'],
    [['success', 'failed'], 'runs_by_time'],
    [['failed'], 'runs_bad_of_job'],
    [['failed', 'interrupted', 'missed'], 'runs_bad_of_job'],
  ] as const;
  for (const [statuses, index] of kinds) {
    const whole = { statuses, before: null, downTo: null, limit: 5 };
    assertPlan(
      await planOf(t, (db) => listHistory(db, 'j', whole)),
      lookUp(index, 'job_id=\\? AND \\(scheduled_for,source\\)<\\(\\?,\\?\\)\\)$'),
    );
    const part = { ...whole, before, downTo };
    assertPlan(await planOf(t, (db) => listHistory(db, 'j', part)), lookUp(index, range));
    assertPlan(await planOf(t, (db) => findEndOfStep(db, 'j', part, 100)), [
      new RegExp(
        `^SEARCH runs USING (COVERING )?INDEX ${index} \\(job_id=\\? AND \\(scheduled_for,source\\)<`,
      ),
    ]);
  }
  for (const position of [null, before]) {
    const figures = { from: 1, before: position, limit: 5 };
    assertPlan(
      await planOf(t, (db) => listFigures(db, 'j', figures)),
      lookUp('runs_by_time', 'job_id=\\? AND .*scheduled_for'),
    );
  }
});

test('an action on many jobs reads and writes their rows alone', async (t) => {
  assertPlan(await planOf(t, (db) => findActedJobs(db, 'w', ['j', 'k'])), [
    ...lookUp('jobs_(by_workspace|counted)', 'workspace_id=\\? AND id=\\?\\)'),
  ]);
  const before = { id: 'j', paused: false, after: null, anchorAt: 1, nextRunAt: 5 };
  const acted = { before, after: { ...before, paused: true, nextRunAt: null } } as never;
  assertPlan(await planOf(t, (db) => keepScheduleStates(db, [acted], 1)), [openSpan, jobById]);
  assertPlan(await planOf(t, (db) => markJobDeleted(db, 'j', 1)), [jobById]);
});

function lookUp(index: string, condition: string): RegExp[] {
  return [new RegExp(`^SEARCH \\w+ USING (COVERING )?INDEX ${index} \\(${condition}`)];
}

test('API reads use an index, without a scan', async (t) => {
  assertPlan(await planOf(t, (db) => findActiveKey(db, 'x', 1)), [
    ...lookUp('sqlite_autoindex_keys_2', 'sha256=\\?'),
    ...lookUp('sqlite_autoindex_workspaces_1', 'id=\\?'),
    ...lookUp('sqlite_autoindex_accounts_1', 'id=\\?'),
  ]);
  const page = { limit: 5, before: queuedRun('j', 1).id, name: null, idPrefix: null };
  assertPlan(
    await planOf(t, (db) => listJobs(db, 'w', page)),
    lookUp('jobs_counted', 'workspace_id=\\? AND id<\\?'),
  );
  assertPlan(
    await planOf(t, (db) => listJobs(db, 'w', { ...page, name: 'n' })),
    lookUp('jobs_by_name', 'workspace_id=\\? AND name_lower=\\? AND id<\\?'),
  );
  assertPlan(
    await planOf(t, (db) => listJobs(db, 'w', { ...page, idPrefix: '0199' })),
    lookUp('jobs_counted', 'workspace_id=\\? AND id>\\? AND id<\\?'),
  );
  assertPlan(
    await planOf(t, (db) => findRunByIdempotencyKey(db, 'j', 'k')),
    lookUp('runs_by_idempotency_key', 'job_id=\\? AND idempotency_key=\\?'),
  );
  assertPlan(
    await planOf(t, (db) => findManualRunIn(db, 'j', 1, 2)),
    lookUp('runs_by_time', 'job_id=\\? AND scheduled_for>\\?'),
  );
});

const monitorById =
  /^SEARCH monitors USING (COVERING )?INDEX sqlite_autoindex_monitors_1 \(id=\?\)$/;

test('a ping reads only its monitor, found by the id in its URL', async (t) => {
  assertPlan(
    await planOf(t, (db) => findPinged(db, 'p')),
    lookUp('sqlite_autoindex_monitors_2', 'ping_id=\\?'),
  );
  assertPlan(await planOf(t, (db) => findPingedMonitors(db, ['m'])), [monitorById]);
  const pinged = { monitor: { id: 'm' }, pingCount: 1 } as never;
  assertPlan(await planOf(t, (db) => keepPingedMonitors(db, [pinged])), [monitorById]);
});

test('monitors that may be overdue are found in the order of their deadlines, without a scan', async (t) => {
  const byCheck = /^SEARCH monitors USING INDEX monitors_by_check \(next_check_at<\?\)$/;
  assertPlan(await planOf(t, (db) => findMonitorsToCheck(db, 1, 200)), [byCheck]);
  assert.deepEqual(await planOf(t, findEarliestCheck), [
    'SEARCH monitors USING COVERING INDEX monitors_by_check (next_check_at>?)',
  ]);
  const states = await planOf(t, (db) => keepMonitorStates(db, [{ id: 'm' } as never]));
  assertPlan(states, [monitorById]);
  const after = { afterId: 'm', limit: 5 };
  assertPlan(
    await planOf(t, (db) => findExpectingMonitors(db, after)),
    lookUp('sqlite_autoindex_monitors_1', 'id>\\?'),
  );
});

test('pages of monitors and pings are read in order; deleted monitors are found without a scan', async (t) => {
  const page = { limit: 5, before: 'm', name: null, idPrefix: null };
  assertPlan(
    await planOf(t, (db) => listMonitors(db, 'w', page)),
    lookUp('monitors_counted', 'workspace_id=\\? AND id<\\?'),
  );
  assertPlan(
    await planOf(t, (db) => listMonitors(db, 'w', { ...page, name: 'n' })),
    lookUp('monitors_by_name', 'workspace_id=\\? AND name=\\? AND id<\\?'),
  );
  assertPlan(
    await planOf(t, (db) => listPings(db, 'm', { limit: 5, before: 7 })),
    lookUp('sqlite_autoindex_pings_1', 'monitor_id=\\? AND number<\\?'),
  );
  assertPlan(await planOf(t, (db) => findDeleted(db, 'monitors')), [
    /^SEARCH monitors USING INDEX monitors_deleted \(deleted_at>\?\)$/,
  ]);
});

test('rows to prune are found at the start of each history, without counting or sorting', async (t) => {
  const beginning = { jobId: 'j', scheduledFor: 1, source: 'scheduled' } as const;
  assertPlan(await planOf(t, (db) => listHistories(db, { afterId: 'j', limit: 5 })), [
    /^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id>\?\)$/,
    /^SEARCH workspaces USING INDEX sqlite_autoindex_workspaces_1 \(id=\?\)$/,
    accountById,
    /^CORRELATED SCALAR SUBQUERY/,
    /^SEARCH runs USING COVERING INDEX runs_by_time \(job_id=\?\)$/,
  ]);
  assertPlan(
    await planOf(t, (db) => listOldestRuns(db, 'j', { after: beginning, limit: 5 })),
    lookUp('runs_by_time', 'job_id=\\? AND \\(scheduled_for,source\\)>\\(\\?,\\?\\)'),
  );
  assertPlan(
    await planOf(t, (db) => findPlan(db, 'a')),
    lookUp('sqlite_autoindex_accounts_1', 'id'),
  );
  assertPlan(await planOf(t, (db) => removeBeginnings(db, [beginning])), [
    runById,
    /^SCAN beginning VIRTUAL TABLE/,
    /^SEARCH runs USING INDEX runs_by_time \(job_id=\? AND scheduled_for<\?\)$/,
    ownedByRun,
    /^SCAN removed VIRTUAL TABLE/,
    jobById,
  ]);
});

const workspaceById = /^SEARCH workspaces USING INDEX sqlite_autoindex_workspaces_1 \(id=\?\)$/;
const workspacesOfAccount =
  /^SEARCH workspaces USING COVERING INDEX workspaces_by_account \(account_id=\?\)$/;

test('the account of a request or claim takes two lookups, for any number of accounts', async (t) => {
  const byKeys = [workspaceById, accountById];
  assertPlan(await planOf(t, (db) => findAccountOf(db, 'w')), byKeys);
  assertPlan(await planOf(t, (db) => findTerms(db, ['w'])), [...byKeys, ...areSeveral]);
  assertPlan(await planOf(t, (db) => findWorkspaceLabels(db, ['w'])), [
    workspaceById,
    ...areSeveral,
  ]);
});

test('expiry reads only due jobs, a renewal only stopped ones, page by page', async (t) => {
  const stopped = { id: 'j', nextRunAt: 5 };
  assertPlan(await planOf(t, (db) => stopJobs(db, [stopped], { accountIds: ['a'], now: 1 })), [
    openSpan,
    jobById,
    accountById,
  ]);
  assertPlan(await planOf(t, (db) => findWorkspacesOf(db, 'a', { afterId: 'w', limit: 5 })), [
    /^SEARCH workspaces USING INDEX workspaces_by_account \(account_id=\? AND id>\?\)$/,
  ]);
  const page = { afterId: 'j', limit: 5 };
  assertPlan(await planOf(t, (db) => findJobsOfWorkspace(db, 'w', page)), [
    /^SEARCH jobs USING INDEX jobs_by_workspace \(workspace_id=\? AND id>\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => findAccountToResume(db, 1)), [
    /^SEARCH accounts USING INDEX accounts_stopped \(expires_at[=>]\?\)$/,
  ]);
});

test('usage is counted in small indexes, without reading the jobs', async (t) => {
  assertPlan(await planOf(t, (db) => usageOf(db, 'a')), [
    workspacesOfAccount,
    /^SEARCH jobs USING INDEX jobs_counted \(workspace_id=\?\)$/,
    /^SEARCH monitors USING INDEX monitors_counted \(workspace_id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => countActiveKeys(db, 'a', 1)), [
    workspacesOfAccount,
    /^SEARCH keys USING INDEX keys_by_workspace \(workspace_id=\?\)$/,
  ]);
});

test('the audit trail is read from its newest entry on', async (t) => {
  const page = { subjectId: null, before: 9, limit: 5 };
  const numbered =
    /^SEARCH audit_entries USING INDEX sqlite_autoindex_audit_entries_1 \(workspace_id=\? AND number<\?\)$/;
  assertPlan(await planOf(t, (db) => listAuditEntries(db, 'w', page)), [numbered]);
  assertPlan(await planOf(t, (db) => listAuditEntries(db, 'w', { ...page, subjectId: 's' })), [
    /^SEARCH audit_entries USING INDEX audit_by_subject \(workspace_id=\? AND subject_id=\? AND number<\?\)$/,
  ]);
});

test('deleting a workspace reads its jobs, monitors and keys, and no history', async (t) => {
  const channels =
    /^SEARCH channels USING (COVERING )?INDEX channels_(by_workspace|of_people) \(workspace_id=\?\)$/;
  const itsOwn = [
    channels,
    workspaceById,
    /^SEARCH sessions USING COVERING INDEX sessions_by_workspace \(workspace_id=\?\)$/,
    /^SEARCH sign_in_codes USING COVERING INDEX sign_in_codes_by_workspace \(workspace_id=\?\)$/,
    /^SEARCH keys USING (COVERING )?INDEX keys_by_workspace \(workspace_id=\?\)$/,
    /^SEARCH jobs USING (COVERING )?INDEX jobs_(by_workspace|counted) \(workspace_id=\?\)$/,
  ];
  assertPlan(await planOf(t, (db) => markWorkspaceDeleted(db, 'w', 1)), [
    ...itsOwn,
    /^SEARCH runs USING (COVERING )?INDEX runs_open \(status=\? AND job_id=\?\)$/,
    /^SEARCH runs USING INDEX runs_running \(workspace_id=\?\)$/,
    /^SEARCH monitors USING INDEX monitors_counted \(workspace_id=\?\)$/,
    ownedByRun,
  ]);
  assertPlan(await planOf(t, findDeletedWorkspace), [
    /^SEARCH workspaces USING INDEX workspaces_deleted \(deleted_at>\?\)$/,
    /^CORRELATED SCALAR SUBQUERY/,
    /^SEARCH (jobs|runs) USING INDEX (jobs_by_workspace \(workspace_|sqlite_autoindex_runs_1 \()id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => removeDeletedWorkspace(db, 'w', { now: 1, limit: 5 })), [
    ...itsOwn,
    /^SEARCH audit_entries USING COVERING INDEX (audit_by_subject|sqlite_autoindex_audit_entries_1) \(workspace_id=\?\)$/,
    /^SEARCH runs USING INDEX runs_running \(workspace_id=\?\)$/,
    /^SEARCH made_once USING COVERING INDEX made_once_of_workspace \(workspace_id=\?\)$/,
    /^SEARCH (audit_entries|keys|made_once|sessions|sign_in_codes) USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
    // Whether a key is referenced.
    /^SEARCH sessions USING COVERING INDEX sessions_by_key \(key_id=\?\)$/,
    /^SEARCH monitors USING COVERING INDEX monitors_by_workspace \(workspace_id=\?\)$/,
  ]);
});
