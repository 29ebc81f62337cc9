/**
 * No list, count or look-up of one workspace reads rows of others: their number is none of its business, in what it answers and in
 * what it costs. Each function of the store that asks for a workspace is here.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { badRunStatuses } from '../../../src/domain/runs/run.ts';
import * as accounts from '../../../src/store/accounts/accounts.ts';
import * as audit from '../../../src/store/accounts/audit.ts';
import * as keys from '../../../src/store/accounts/keys.ts';
import * as sessions from '../../../src/store/accounts/sessions.ts';
import * as channels from '../../../src/store/alerts/channels.ts';
import * as outbox from '../../../src/store/alerts/outbox.ts';
import * as deliveries from '../../../src/store/alerts/deliveries.ts';
import * as managed from '../../../src/store/database/managed-keys.ts';
import type { Db } from '../../../src/store/database/store.ts';
import * as actions from '../../../src/store/jobs/actions.ts';
import * as jobs from '../../../src/store/jobs/jobs.ts';
import * as planned from '../../../src/store/jobs/planned.ts';
import * as monitors from '../../../src/store/monitors/monitors.ts';
import * as counts from '../../../src/store/overview/counts.ts';
import * as listed from '../../../src/store/overview/jobs.ts';
import * as listedMonitors from '../../../src/store/overview/monitors.ts';
import * as trouble from '../../../src/store/overview/trouble.ts';
import * as completions from '../../../src/store/runs/completions.ts';
import * as inFlight from '../../../src/store/runs/in-flight.ts';
import * as ledger from '../../../src/wings/ledger/query.ts';
import * as ofWorkspace from '../../../src/store/runs/of-workspace.ts';
import { planOf } from '../../support/checks/query-plan.ts';

type Ask = (db: Db) => Promise<unknown>;

const id = '01a1fc58-a505-7000-bebc-059153f75def';
const page = { limit: 5, before: id, name: null, idPrefix: null };
const named = { ...page, name: 'n' };
const part = { afterId: id, limit: 5 };
const runSpan = { before: { scheduledFor: 5, jobId: id, source: 'manual' }, since: 1 } as never;
const bad = { statuses: badRunStatuses, before: null, since: 1 } as const;
const jobSpan = { state: null, text: 'a', ids: null, after: null, upTo: undefined, limit: 5 };

/** What each asks, in each of the ways that need other indexes. */
const asked: Record<string, readonly Ask[]> = {
  findAccountOf: [(db) => accounts.findAccountOf(db, 'w')],
  listAuditEntries: [null, 's'].map(
    (subjectId) => (db) => audit.listAuditEntries(db, 'w', { subjectId, before: 5, limit: 5 }),
  ),
  findActiveKeyNamed: [
    (db) => keys.findActiveKeyNamed(db, { workspaceId: 'w', name: 'n', now: 1 }),
  ],
  listKeysOf: [(db) => keys.listKeysOf(db, 'w', { before: id, limit: 5 })],
  findSurplusSessions: [null, 'k'].map(
    (keyId) => (db) => sessions.findSurplusSessions(db, { keyId, workspaceId: 'w' }, 5),
  ),
  findChannel: [(db) => channels.findChannel(db, 'w', id)],
  listChannels: [page, named].map((of) => (db) => channels.listChannels(db, 'w', of)),
  countChannels: [(db) => channels.countChannels(db, 'w')],
  findChannelsOf: [(db) => channels.findChannelsOf(db, 'w', { after: '', limit: 5 })],
  listDeliveriesOfWorkspace: [
    (db) => deliveries.listDeliveriesOfWorkspace(db, 'w', { before: null, limit: 5 } as never),
  ],
  listDeliveriesAbout: [
    (db) =>
      deliveries.listDeliveriesAbout(
        db,
        { workspaceId: 'w', subjectId: id },
        { from: 1, limit: 5 },
      ),
  ],
  findManagedId: (['jobs', 'monitors', 'channels'] as const).map(
    (table) => (db) => managed.findManagedId(db, table, { workspaceId: 'w', key: 'k' }),
  ),
  listManagedKeys: (['jobs', 'monitors', 'channels'] as const).map(
    (table) => (db) =>
      managed.listManagedKeys(db, table, 'w', { limit: 5, before: id, isKeyNeeded: true }),
  ),
  findManagedIds: [
    (db) => managed.findManagedIds(db, 'jobs', { workspaceId: 'w', keys: ['a', 'b'] }),
  ],
  findActedJobs: [(db) => actions.findActedJobs(db, 'w', [id])],
  findUnknownSubjects: (['jobs', 'monitors'] as const).map(
    (table) => (db) => channels.findUnknownSubjects(db, table, { workspaceId: 'w', ids: [id] }),
  ),
  findHealthChanges: [undefined, ['a']].map(
    (among) => (db) => outbox.findHealthChanges(db, 'w', { among, limit: 5 }),
  ),
  findJob: [(db) => jobs.findJob(db, 'w', id)],
  listJobs: [page, named].map((of) => (db) => jobs.listJobs(db, 'w', of)),
  findJobsOfWorkspace: [(db) => planned.findJobsOfWorkspace(db, 'w', part)],
  findMonitor: [(db) => monitors.findMonitor(db, 'w', id)],
  listMonitors: [page, named].map((of) => (db) => monitors.listMonitors(db, 'w', of)),
  countJobs: (['all', 'down', 'new', 'paused'] as const).map(
    (state) => (db) => counts.countJobs(db, 'w', state, part),
  ),
  countMonitors: [(db) => counts.countMonitors(db, 'w', { now: 1, limit: 5 })],
  findStop: (['newest', 'name', 'name of few', 'due of few'] as const).map(
    (walk) => (db) => listed.findStop(db, 'w', walk, { state: null, after: null, rows: 5 }),
  ),
  findJobsWith: [(db) => listed.findJobsWith(db, 'w', 'newest', jobSpan)],
  listJobsOn: (['newest', 'name', 'name of few', 'due of few'] as const).map(
    (walk) => (db) => listed.listJobsOn(db, 'w', walk, jobSpan),
  ),
  listJobsOf: [(db) => listed.listJobsOf(db, 'w', [id], { text: null, limit: 5 })],
  hasJobs: [(db) => listed.hasJobs(db, 'w', 5)],
  findRunningJobs: [(db) => listed.findRunningJobs(db, 'w')],
  findMonitorStop: [(db) => listedMonitors.findMonitorStop(db, 'w', { before: null, rows: 5 })],
  listMonitorsBy: [
    (db) =>
      listedMonitors.listMonitorsBy(db, 'w', {
        status: null,
        text: null,
        now: 1,
        before: null,
        downTo: undefined,
        limit: 5,
      }),
  ],
  findMissedJobs: [(db) => trouble.findMissedJobs(db, 'w', { rows: 5, before: null, since: 1 })],
  countTrouble: [(db) => trouble.countTrouble(db, 'w', { rows: 5, since: 1 })],
  findWaitsOf: [(db) => completions.findWaitsOf(db, 'w')],
  countInFlight: [
    (db) => inFlight.countInFlight(db, 'w', { at: 5, since: 1, host: 'h', except: null }),
  ],
  listLedgerJobs: [(db) => ledger.listLedgerJobs(db, 'w', part)],
  findLedgerJob: [(db) => ledger.findLedgerJob(db, 'w', id)],
  findRunStop: [(db) => ofWorkspace.findRunStop(db, 'w', { ...bad, rows: 5 })],
  listRunsOfWorkspace: [bad, { ...bad, ...(runSpan as object) }].map(
    (span) => (db) =>
      ofWorkspace.listRunsOfWorkspace(db, 'w', { ...span, downTo: undefined, limit: 5 }),
  ),
};

/**
 * By due time, jobs have one index for all workspaces, which the claim needs; another one would cost each run more. Only a workspace
 * with many jobs walks along it, some rows at a time (src/app/overview/jobs.ts).
 */
const alongDueTimes = new Set(['findStop', 'findLastDue', 'listJobsOn', 'findJobsWith']);

test('every function of the store that looks into a workspace is known here', () => {
  const root = join(import.meta.dirname, '../../../src/store');
  const found = globSync('**/*.ts', { cwd: root }).flatMap((file) => {
    const functions = readFileSync(join(root, file), 'utf8').split(/^(?=export )/m);
    return functions.flatMap((text) => {
      const [, name, parameters = ''] =
        /^export async function ((?:list|find|count|has)\w+)\(([^]*?)\n?\): Promise/.exec(text) ??
        [];
      return name !== undefined && /workspaceId\b/.test(parameters) ? [name] : [];
    });
  });
  assert.ok(found.length > 30);
  const unknown = found.filter((name) => !(name in asked) && !alongDueTimes.has(name));
  assert.deepEqual(unknown, []);
});

/** One of a workspace, or of what was found in it. */
const isOwn =
  /^SEARCH \w+ (AS \w+ )?USING ((COVERING )?INDEX \w+|INTEGER PRIMARY KEY) \((\w*_id|id|rowid)[=]\?/;
/** No table: rows that were just found, or a list that was passed. */
const isMade =
  /^(SCAN (json_each|step|newest|trouble|found|\w+ VIRTUAL TABLE)|(CORRELATED )?(SCALAR|LIST) SUBQUERY|CO-ROUTINE|MATERIALIZE|CREATE BLOOM FILTER|USE TEMP B-TREE|MULTI-INDEX OR|INDEX \d|COMPOUND QUERY|LEFT-MOST|UNION)/;

for (const [name, ways] of Object.entries(asked)) {
  test(`${name} reads rows of its own workspace alone`, async (t) => {
    for (const ask of ways) {
      for (const step of await planOf(t, ask)) {
        assert.ok(isOwn.test(step) || isMade.test(step), step);
      }
    }
  });
}
