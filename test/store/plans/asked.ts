/** What the store is asked of accounts, jobs, runs and monitors, each in the ways that need other indexes. */

import { readSelector } from '../../../src/domain/labels.ts';
import { badRunStatuses, runStatuses } from '../../../src/domain/runs/run.ts';
import * as accounts from '../../../src/store/accounts/accounts.ts';
import * as audit from '../../../src/store/accounts/audit.ts';
import * as expiry from '../../../src/store/accounts/expiry.ts';
import * as instance from '../../../src/store/accounts/instance.ts';
import * as keys from '../../../src/store/accounts/keys.ts';
import * as madeOnce from '../../../src/store/accounts/made-once.ts';
import * as sessions from '../../../src/store/accounts/sessions.ts';
import * as codes from '../../../src/store/accounts/sign-in-codes.ts';
import * as usage from '../../../src/store/accounts/usage.ts';
import * as windows from '../../../src/store/accounts/windows.ts';
import * as workspaces from '../../../src/store/accounts/workspaces.ts';
import * as managed from '../../../src/store/database/managed-keys.ts';
import * as oldRows from '../../../src/store/database/old-rows.ts';
import * as owned from '../../../src/store/database/owned.ts';
import { findWorkspaceLabels } from '../../../src/store/database/workspace-label.ts';
import * as actions from '../../../src/store/jobs/actions.ts';
import * as chains from '../../../src/store/jobs/chains.ts';
import * as jobs from '../../../src/store/jobs/jobs.ts';
import * as planned from '../../../src/store/jobs/planned.ts';
import * as spans from '../../../src/store/jobs/listed-spans.ts';
import * as spent from '../../../src/store/jobs/spent.ts';
import * as monitors from '../../../src/store/monitors/monitors.ts';
import * as pings from '../../../src/store/monitors/pings.ts';
import * as receipts from '../../../src/store/proof/receipts.ts';
import * as claims from '../../../src/store/runs/claims.ts';
import * as reports from '../../../src/store/runs/reports.ts';
import { listKeptFrom } from '../../../src/store/runs/early.ts';
import * as history from '../../../src/store/runs/history.ts';
import * as inFlight from '../../../src/store/runs/in-flight.ts';
import * as missed from '../../../src/store/runs/missed.ts';
import * as ofWorkspace from '../../../src/store/runs/of-workspace.ts';
import * as results from '../../../src/store/runs/ended.ts';
import * as retention from '../../../src/store/runs/retention.ts';
import * as runs from '../../../src/store/runs/runs.ts';
import type { Ask } from '../../support/checks/query-plan.ts';
import { claimOf, endedRun, startingRun } from '../../support/records/run.ts';

export type Asked = Readonly<Record<string, readonly Ask[]>>;

export const id = '01a1fc58-a505-7000-bebc-059153f75def';
export const part = { afterId: id, limit: 5 };
export const page = { limit: 5, before: id, name: null, idPrefix: null };
const pages = [page, { ...page, name: 'n' }, { ...page, idPrefix: '0199' }];
const selector = readSelector('client=acme,!env');
const labelledPages = [...pages, { ...page, selector, downTo: 'a' }];
const kept = ['jobs', 'monitors', 'channels'] as const;

const byKey = { key_sha256: 'k', request_mac: 'm', subject_id: 's', made_at: 1 };
const sessionPage = { now: 1, before: id, limit: 5 };

const datedTables = Object.keys({
  deliveries: 0,
  audit_entries: 0,
  made_once: 0,
  sessions: 0,
  sign_in_codes: 0,
  nodes: 0,
  schedule_spans: 0,
} satisfies Record<oldRows.DatedTable, 0>) as oldRows.DatedTable[];

export const ofAccounts: Asked = {
  hasOldRows: datedTables.map((table) => (db) => oldRows.hasOldRows(db, table, 1)),
  removeOldRows: datedTables.map((table) => (db) => oldRows.removeOldRows(db, table, 1, 5)),
  findAccountOf: [(db) => accounts.findAccountOf(db, 'w')],
  findTerms: [(db) => expiry.findTerms(db, ['w'])],
  findWorkspaceLabels: [(db) => findWorkspaceLabels(db, ['w'])],
  stopJobs: [
    (db) => expiry.stopJobs(db, [{ id: 'j', nextRunAt: 5 }], { accountIds: ['a'], now: 1 }),
  ],
  findAccountToResume: [(db) => expiry.findAccountToResume(db, 1)],
  listWindows: [(db) => windows.listWindows(db, 'w')],
  keepWindows: [(db) => windows.keepWindows(db, 'w', [], 1)],
  findMutes: [(db) => windows.findMutes(db, [{ id: 'j', workspaceId: 'w' }], [1])],
  findHolds: [(db) => windows.findHolds(db, [{ id: 'j', workspaceId: 'w' }])],
  findMuted: [(db) => windows.findMuted(db, [{ id: 'j', workspaceId: 'w' }], 1)],
  findWorkspacesOf: [(db) => workspaces.findWorkspacesOf(db, 'a', part)],
  listWorkspacesOf: [(db) => workspaces.listWorkspacesOf(db, 'a', 5)],
  markWorkspaceDeleted: [(db) => workspaces.markWorkspaceDeleted(db, 'w', 1)],
  findDeletedWorkspace: [(db) => workspaces.findDeletedWorkspace(db)],
  removeDeletedWorkspace: [
    (db) => workspaces.removeDeletedWorkspace(db, 'w', { now: 1, limit: 5 }),
  ],
  usageOf: [(db) => usage.usageOf(db, 'a')],
  countActiveKeys: [(db) => usage.countActiveKeys(db, 'a', 1)],
  listAuditEntries: [null, 's'].map(
    (subjectId) => (db) => audit.listAuditEntries(db, 'w', { subjectId, before: 5, limit: 5 }),
  ),
  findActiveKey: [(db) => keys.findActiveKey(db, 'x', 1)],
  findActiveKeyNamed: [
    (db) => keys.findActiveKeyNamed(db, { workspaceId: 'w', name: 'n', now: 1 }),
  ],
  listKeysOf: [(db) => keys.listKeysOf(db, 'w', { before: id, limit: 5 })],
  findActiveSession: [(db) => sessions.findActiveSession(db, 'x', 1)],
  findSession: [(db) => sessions.findSession(db, 's', 1)],
  listSessions: [{ workspaceId: 'w' }, { keyId: 'k' }].map(
    (of) => (db) => sessions.listSessions(db, of, sessionPage),
  ),
  deleteSessionsOfKey: [(db) => sessions.deleteSessionsOfKey(db, 'k')],
  findSurplusSessions: [null, 'k'].map(
    (keyId) => (db) => sessions.findSurplusSessions(db, { keyId, workspaceId: 'w' }, 5),
  ),
  findCode: [(db) => codes.findCode(db, 'x', 1)],
  takeCode: [(db) => codes.takeCode(db, 'x')],
  findSiteUrl: [(db) => instance.findSiteUrl(db)],
  findMadeOnce: [(db) => madeOnce.findMadeOnce(db, { workspace_id: 'w', ...byKey })],
  forgetOldest: [(db) => madeOnce.forgetOldest(db, 'w', 5)],
  findManagedId: kept.map(
    (table) => (db) => managed.findManagedId(db, table, { workspaceId: 'w', key: 'k' }),
  ),
  findManagedKeys: kept.map(
    (table) => (db) => managed.findManagedKeys(db, table, { workspaceId: 'w', ids: [id, 'i'] }),
  ),
  listManagedKeys: kept.map(
    (table) => (db) =>
      managed.listManagedKeys(db, table, 'w', { limit: 5, before: id, isKeyNeeded: true }),
  ),
  findDeleted: (Object.keys(owned.ownedBy) as owned.DeletableTable[]).map(
    (table) => (db) => owned.findDeleted(db, table),
  ),
  removeDeleted: (Object.keys(owned.ownedBy) as owned.DeletableTable[]).map(
    (table) => (db) => owned.removeDeleted(db, table, 'x', 5),
  ),
};

const cause = { jobId: 'j', runId: 'r', conditions: ['success'], endedAt: 1 } as const;
const before = { id: 'j', paused: false, after: null, anchorAt: 1, nextRunAt: 5 };
const acted = { before, after: { ...before, paused: true, nextRunAt: null } } as never;

export const ofJobs: Asked = {
  findJob: [(db) => jobs.findJob(db, 'w', id)],
  findCalls: [(db) => jobs.findCalls(db, 'w', ['k', 'l'])],
  listJobs: labelledPages.map((of) => (db) => jobs.listJobs(db, 'w', of)),
  markJobDeleted: [(db) => jobs.markJobDeleted(db, 'j', 1)],
  findActedJobs: [(db) => actions.findActedJobs(db, 'w', ['j', 'k'])],
  keepScheduleStates: [(db) => actions.keepScheduleStates(db, [acted], 1)],
  findJobsOfWorkspace: [(db) => planned.findJobsOfWorkspace(db, 'w', part)],
  listSpans: [(db) => spans.listSpans(db, ['j', 'k'], { after: 1, until: 2, limit: 5 })],
  listSpansFrom: [(db) => spans.listSpansFrom(db, 'j', { after: 1, until: 2, limit: 5 })],
  findSpentJob: [(db) => spent.findSpentJob(db, 1)],
  findSpentJobs: [(db) => spent.findSpentJobs(db, 1, 5)],
  postponeDeletion: [(db) => spent.postponeDeletion(db, 'j', 1)],
  findFollowers: [(db) => chains.findFollowers(db, 'j', 5)],
  findChainBefore: [(db) => chains.findChainBefore(db, 'j', 5)],
  countChainAfter: [(db) => chains.countChainAfter(db, 'j', 5)],
  findStarted: [(db) => chains.findStarted(db, [cause])],
  insertChainedRuns: [
    (db) => chains.insertChainedRuns(db, [{ id: 'n', jobId: 'k', workspaceId: 'w', cause }]),
  ],
  dropChainedRuns: [(db) => chains.dropChainedRuns(db, ['j'])],
  dropMakeUps: [(db) => chains.dropMakeUps(db, ['j'], 'overtaken')],
};

const pinged = { monitor: { id: 'm' }, pingCount: 1 } as never;

export const ofMonitors: Asked = {
  findMonitor: [(db) => monitors.findMonitor(db, 'w', id)],
  listMonitors: labelledPages.map((of) => (db) => monitors.listMonitors(db, 'w', of)),
  findPingedMonitors: [(db) => monitors.findPingedMonitors(db, ['m'])],
  keepPingedMonitors: [(db) => monitors.keepPingedMonitors(db, [pinged])],
  findMonitorsToCheck: [(db) => monitors.findMonitorsToCheck(db, 1, 200)],
  findEarliestCheck: [(db) => monitors.findEarliestCheck(db)],
  keepMonitorStates: [(db) => monitors.keepMonitorStates(db, [{ id: 'm' } as never])],
  findExpectingMonitors: [(db) => monitors.findExpectingMonitors(db, part)],
  findPinged: [(db) => pings.findPinged(db, 'p')],
  listPings: [(db) => pings.listPings(db, 'm', { limit: 5, before: 7 })],
  listPingHistories: [(db) => pings.listPingHistories(db, part)],
};

const bounds = { limit: 10, exceptHosts: ['127.0.0.1:80'], exceptJobs: ['j'] };
const position = { scheduledFor: 5, source: 'manual' } as const;
const downTo = { scheduledFor: 2, source: 'manual' } as const;
const after = { scheduledFor: 1, source: 'scheduled' } as const;
const oldRun = { ...after, id: 'r', jobId: 'j', status: 'success', lastDueAt: null } as const;
const isDown = { health: 'down', downReason: 'timeout', failures: 2, at: 2 } as const;
const receipt = { runId: 'r', jobId: 'j', text: '{}', sha256: '0', previousSha256: null };
const statusesOfJob = [null, ['success'], ['success', 'failed'], ['failed']] as const;
const histories = statusesOfJob.flatMap((statuses) => [
  { statuses, before: null, downTo: null, limit: 5 },
  { statuses, before: position, downTo, limit: 5 },
]);
const place = { scheduledFor: 5, jobId: 'j', source: 'manual' } as const;
const statusesOfAll = [runStatuses, ['success', 'failed'], badRunStatuses, ['missed']] as const;
const runSpans = statusesOfAll.flatMap((statuses) => [
  { statuses, before: place, since: null, downTo: place, limit: 5, rows: 9 },
  { statuses, before: null, since: 1, downTo: place, limit: 5, rows: 9 },
  { statuses, before: null, since: 1, downTo: undefined, limit: 5, rows: 9 },
]);

export const ofRuns: Asked = {
  findDueJobs: [bounds, { limit: 1, exceptHosts: [], exceptJobs: [] }].map(
    (of) => (db) => claims.findDueJobs(db, 1, of),
  ),
  findEarliestDueTime: [(db) => claims.findEarliestDueTime(db, 1, ['j'])],
  findQueuedRuns: [(db) => claims.findQueuedRuns(db, bounds)],
  hasQueuedRuns: [(db) => claims.hasQueuedRuns(db, ['j'])],
  insertScheduledRuns: [(db) => claims.insertScheduledRuns(db, [startingRun('j', 1)])],
  startQueuedRuns: [(db) => claims.startQueuedRuns(db, [{ id: 'r', startedAt: 1 }])],
  updateClaimedJobs: [(db) => claims.updateClaimedJobs(db, [claimOf(startingRun('j', 1))])],
  countDueJobs: [(db) => claims.countDueJobs(db, 1, 10)],
  findRunningRuns: [(db) => results.findRunningRuns(db)],
  recordEndedRuns: [new Map(), new Map([['r', isDown]])].map(
    (health) => (db) =>
      results.recordEndedRuns(db, [endedRun({ runId: 'r', jobId: 'j' }, 'failed')], {
        receipts: true,
        health,
      }),
  ),
  keepAttempts: [(db) => results.keepAttempts(db, [{ runId: 'r', jobId: 'j', attempts: 2 }])],
  listRuns: [null, position].map(
    (from) => (db) => runs.listRuns(db, 'j', { limit: 50, before: from }),
  ),
  countRuns: [(db) => runs.countRuns(db, 'j')],
  findRunByIdempotencyKey: [(db) => runs.findRunByIdempotencyKey(db, 'j', 'k')],
  findManualRunIn: [(db) => runs.findManualRunIn(db, 'j', 1, 2)],
  listHistory: histories.map((of) => (db) => history.listHistory(db, 'j', of)),
  findDoneFor: [(db) => history.findDoneFor(db, 'j', 1)],
  findRunsFor: [(db) => history.findRunsFor(db, 'j', { scheduledFor: 1 })],
  findEndOfStep: histories.map((of) => (db) => history.findEndOfStep(db, 'j', of, 100)),
  listFigures: [null, position].map(
    (from) => (db) => history.listFigures(db, 'j', { from: 1, before: from, limit: 5 }),
  ),
  findOldestDueTime: [(db) => history.findOldestDueTime(db, 'j')],
  findRunStop: runSpans.map((of) => (db) => ofWorkspace.findRunStop(db, 'w', of)),
  listRunsOfWorkspace: [
    ...runSpans,
    ...runSpans.slice(0, 1).map((of) => ({ ...of, selector })),
  ].map((of) => (db) => ofWorkspace.listRunsOfWorkspace(db, 'w', of)),
  countInFlight: [
    (db) => inFlight.countInFlight(db, 'w', { at: 5, since: 1, host: 'h', except: null }),
  ],
  findMissedAhead: [(db) => missed.findMissedAhead(db, ['j'], 1)],
  removeMissed: [(db) => missed.removeMissed(db, ['r'])],
  cutHindrances: [(db) => missed.cutHindrances(db, ['j'], 1)],
  findFirstRuns: [(db) => missed.findFirstRuns(db, [{ jobId: 'j', first: 1, last: 2 }])],
  listHistories: [(db) => retention.listHistories(db, part)],
  listOldestRuns: [(db) => retention.listOldestRuns(db, 'j', { after, limit: 5 })],
  findPlan: [(db) => retention.findPlan(db, 'a')],
  removeRuns: [(db) => retention.removeRuns(db, [oldRun])],
  subtractRuns: [(db) => retention.subtractRuns(db, [oldRun])],
  listKeptFrom: [(db) => listKeptFrom(db, part, 10)],
  findNextWaitEnd: [(db) => reports.findNextWaitEnd(db, { acceptedFrom: 1 })],
  findDueWaits: [(db) => reports.findDueWaits(db, { now: 1, acceptedFrom: 1, limit: 5 })],
  countWaits: [(db) => reports.countWaits(db, 5)],
  findReportedRun: [(db) => reports.findReportedRun(db, 'r')],
  findReports: [(db) => reports.findReports(db, ['r'])],
  findWaitsOf: [(db) => reports.findWaitsOf(db, 'w')],
  findUnsignedRuns: [{ limit: 5 }, { jobId: 'j', limit: 5 }].map(
    (of) => (db) => receipts.findUnsignedRuns(db, of),
  ),
  countUnsignedRuns: [(db) => receipts.countUnsignedRuns(db, 10)],
  keepReceipts: [
    async (db) => {
      const ended = endedRun({ runId: 'r', jobId: 'j' }, 'success');
      await results.recordEndedRuns(db, [ended], { receipts: true });
      await receipts.keepReceipts(db, [receipt]);
    },
  ],
  findChains: [(db) => receipts.findChains(db, part)],
  findNewestReceipts: [(db) => receipts.findNewestReceipts(db, 'j', 5)],
};
