/** What the store is asked of alerts, of lists and counts of a whole workspace, of the ledger, the timetable and reports. */

import { readSelector } from '../../../src/domain/labels.ts';
import { searchFor } from '../../../src/domain/search.ts';
import * as alertStates from '../../../src/store/alerts/alert-states.ts';
import * as attempts from '../../../src/store/alerts/attempts.ts';
import * as callbacks from '../../../src/store/alerts/callbacks.ts';
import * as channels from '../../../src/store/alerts/channels.ts';
import * as deliveries from '../../../src/store/alerts/deliveries.ts';
import * as queue from '../../../src/store/alerts/delivery-queue.ts';
import * as digests from '../../../src/store/alerts/digests.ts';
import * as outbox from '../../../src/store/alerts/outbox.ts';
import * as counts from '../../../src/store/overview/counts.ts';
import * as listed from '../../../src/store/overview/jobs.ts';
import type { JobWalk } from '../../../src/store/overview/jobs.ts';
import * as labels from '../../../src/store/overview/labels.ts';
import * as listedMonitors from '../../../src/store/overview/monitors.ts';
import { findRecentPings, findRecentRuns } from '../../../src/store/overview/recent.ts';
import * as trouble from '../../../src/store/overview/trouble.ts';
import * as ledger from '../../../src/wings/ledger/query.ts';
import * as badge from '../../../src/wings/badge/query.ts';
import * as report from '../../../src/wings/report/query.ts';
import * as timetable from '../../../src/wings/timetable/query.ts';
import { id, page, part, type Asked } from './asked.ts';

const delivery = Object.assign(
  queue.deliveryOf({
    id: 'd',
    channel_id: 'c',
    event: 'test',
    about_type: null,
    about_id: null,
    about_name: null,
    status: 'pending',
    attempts: 1,
    last_attempt_at: null,
    last_error: null,
    created_at: 1,
  }),
  { payload: '{}' },
);
const ended = { startedAt: 1, durationMs: 1, httpStatus: null, error: null, backOff: null };
const attempted = { delivery, at: 1, ...ended, nextAttemptAt: null };
const inserted = { ...delivery, subjectId: 's', dueAt: 1 };
const none = { limit: 5, except: ['x'], exceptOf: ['w'] };
const served = { id: 'c', jobIds: null, monitorIds: null, selector: null };
const deliveryPages = [
  { limit: 5, before: null, subjectId: 's', idPrefix: null },
  { limit: 5, before: null, subjectId: null, idPrefix: null },
  { limit: 5, before: 'd', subjectId: null, idPrefix: '0199' },
];

export const ofAlerts: Asked = {
  findNextWorkspace: [(db) => outbox.findNextWorkspace(db, 'w')],
  findHealthChanges: [undefined, ['e']].map(
    (among) => (db) => outbox.findHealthChanges(db, 'w', { among, limit: 5 }),
  ),
  findFull: [(db) => queue.findFull(db, 'w')],
  removeHealthChanges: [(db) => outbox.removeHealthChanges(db, ['e'])],
  findThresholds: [(db) => outbox.findThresholds(db)],
  findDueChannels: [(db) => queue.findDueChannels(db, 1, none)],
  findNextDeliveryTime: [(db) => queue.findNextDeliveryTime(db, 1)],
  findDueDeliveries: [(db) => queue.findDueDeliveries(db, 'c', 1, none)],
  makeNextDue: [(db) => queue.makeNextDue(db, 'd', 1)],
  planChannel: [(db) => queue.planChannel(db, 'c')],
  bringForward: [(db) => queue.bringForward(db, 1, { limit: 5 })],
  insertDeliveries: [(db) => queue.insertDeliveries(db, [inserted])],
  replaceUntried: [(db) => queue.replaceUntried(db, [inserted], { underWay: ['d'], startId: 'd' })],
  recordAttempts: [(db) => attempts.recordAttempts(db, [attempted])],
  listAttempts: [(db) => attempts.listAttempts(db, 'd')],
  postResults: [(db) => callbacks.postResults(db, ['r'], 1)],
  findTestIn: [(db) => deliveries.findTestIn(db, 'c', 1, 2)],
  findEndedQueue: [(db) => deliveries.findEndedQueue(db)],
  endDeliveries: [(db) => deliveries.endDeliveries(db, 'c', 'why')],
  endOldDeliveries: [(db) => deliveries.endOldDeliveries(db, 1, 5)],
  listDeliveries: deliveryPages.map((of) => (db) => deliveries.listDeliveries(db, 'c', of)),
  listDeliveriesOfWorkspace: deliveryPages
    .slice(0, 2)
    .map((of) => (db) => deliveries.listDeliveriesOfWorkspace(db, 'w', of)),
  listDeliveriesAbout: [
    (db) =>
      deliveries.listDeliveriesAbout(
        db,
        { workspaceId: 'w', subjectId: id },
        { from: 1, limit: 5 },
      ),
  ],
  isDeliveryPending: [(db) => digests.isDeliveryPending(db, 'd')],
  findDueStates: [(db) => alertStates.findDueStates(db, 1, 5)],
  findNextStateTime: [(db) => alertStates.findNextStateTime(db)],
  findAlertStates: [(db) => alertStates.findAlertStates(db, ['s'], ['c'])],
  findDigests: [(db) => digests.findDigests(db, 'reminder', ['c'])],
  removeDigests: [(db) => digests.removeDigests(db, 'c')],
  findDueDigests: [(db) => digests.findDueDigests(db, 1, 5)],
  findNextDigestTime: [(db) => digests.findNextDigestTime(db)],
  bringDigestsForward: [(db) => digests.bringDigestsForward(db, 1)],
  listKnownFailures: [(db) => digests.listKnownFailures(db, 'c')],
  findKnownDown: [(db) => digests.findKnownDown(db, served, { jobs: true })],
  findChannel: [(db) => channels.findChannel(db, 'w', id)],
  findChannelsAlsoOn: [(db) => channels.findChannelsAlsoOn(db, 'missed', ['w'])],
  listChannels: [page, { ...page, name: 'n' }].map(
    (of) => (db) => channels.listChannels(db, 'w', of),
  ),
  countChannels: [(db) => channels.countChannels(db, 'w')],
  findChannelsOf: [(db) => channels.findChannelsOf(db, 'w', { after: '', limit: 5 })],
  findLabelsFor: [(db) => channels.findLabelsFor(db, [{ selector: 'a' }], [id])],
  findUnknownSubjects: (['jobs', 'monitors'] as const).map(
    (table) => (db) => channels.findUnknownSubjects(db, table, { workspaceId: 'w', ids: [id] }),
  ),
};

const place = { id: 'j', nameLower: 'a', nextRunAt: 5 };
const jobPage = {
  state: null,
  search: searchFor('b', 'client=acme'),
  ids: null,
  after: place,
  upTo: place,
  limit: 5,
};
const firstPage = { ...jobPage, search: null, after: null, upTo: undefined };
const span = { after: place, upTo: place };
const walks = ['newest', 'name', 'due', 'name of few', 'due of few'] as const;
/** Walks along an index, and those that a state makes. */
const walked: (readonly [JobWalk, object])[] = [
  ...walks.flatMap((walk) => [[walk, jobPage] as const, [walk, firstPage] as const]),
  ...(['down', 'new', 'paused', 'up'] as const).map(
    (state) => ['newest', { ...jobPage, state }] as const,
  ),
  ['name', { ...jobPage, state: 'down' }],
  ['due', { ...jobPage, state: 'up' }],
  ['name of few', { ...jobPage, search: null, ids: ['j'], upTo: undefined }],
];
const monitorPage = { search: searchFor('b'), now: 5, before: 'm', downTo: 'a', limit: 5 };

export const ofLists: Asked = {
  listJobsOn: walked.map(
    ([walk, of]) =>
      (db) =>
        listed.listJobsOn(db, 'w', walk, of as never),
  ),
  findJobsWith: [
    (db) =>
      listed.findJobsWith(db, 'w', 'newest', { state: null, search: searchFor('b'), ...span }),
  ],
  findLastDue: [(db) => listed.findLastDue(db, 'w', span)],
  findStop: walks.flatMap((walk) =>
    ([null, 'up', 'down'] as const).map(
      (state) => (db) => listed.findStop(db, 'w', walk, { state, after: place, rows: 5_000 }),
    ),
  ),
  hasJobs: [(db) => listed.hasJobs(db, 'w', 5_000)],
  findRunningJobs: [(db) => listed.findRunningJobs(db, 'w')],
  listJobsOf: [(db) => listed.listJobsOf(db, 'w', ['j'], { search: searchFor('b'), limit: 5 })],
  countJobs: (['all', 'down', 'new', 'paused'] as const).map(
    (state) => (db) => counts.countJobs(db, 'w', state, { afterId: 'j', limit: 10_000 }),
  ),
  listLabels: (['jobs', 'monitors'] as const).map(
    (table) => (db) => labels.listLabels(db, table, 'w', { before: 'm', limit: 5 }),
  ),
  countMonitors: [(db) => counts.countMonitors(db, 'w', { now: 1, limit: 5 })],
  findMonitorStop: [(db) => listedMonitors.findMonitorStop(db, 'w', { before: 'm', rows: 9 })],
  listMonitorsBy: (['new', 'up', 'late', 'down', 'paused'] as const).map(
    (status) => (db) => listedMonitors.listMonitorsBy(db, 'w', { ...monitorPage, status }),
  ),
  findMissedJobs: [(db) => trouble.findMissedJobs(db, 'w', { before: null, since: 1, rows: 9 })],
  findJobsNow: [(db) => trouble.findJobsNow(db, ['j'])],
  countTrouble: [(db) => trouble.countTrouble(db, 'w', { since: 1, rows: 5 })],
  findRecentRuns: [(db) => findRecentRuns(db, ['j'], 30)],
  findRecentPings: [(db) => findRecentPings(db, [{ id: 'm', pingCount: 9 }], 30)],
};

const period = { after: 1, until: 2 };

export const ofLedger: Asked = {
  listLedgerJobs: [null, 'w'].map((of) => (db) => ledger.listLedgerJobs(db, of, part)),
  findLedgerJob: [(db) => ledger.findLedgerJob(db, 'w', id)],
  listDueTimes: [(db) => ledger.listDueTimes(db, 'j', period, 5)],
  listMissed: [(db) => ledger.listMissed(db, 'j', period)],
  listStoodFor: [(db) => ledger.listStoodFor(db, 'j', period)],
};

export const ofTimetable: Asked = {
  listMarkedRuns: [false, true].map(
    (isOnlyBad) => (db) =>
      timetable.listMarkedRuns(db, 'j', {
        from: 1,
        before: { scheduledFor: 9, source: 'manual' },
        limit: 5,
        isOnlyBad,
      }),
  ),
  listPlannedCalls: [(db) => timetable.listPlannedCalls(db, 'w', part)],
};

const runPage = { from: 1, before: { scheduledFor: 5, source: 'manual' }, limit: 5 } as const;

export const ofReport: Asked = {
  listCountedRuns: [(db) => report.listCountedRuns(db, 'j', runPage)],
  listReceiptTexts: [(db) => report.listReceiptTexts(db, 'j', runPage)],
  countPings: [(db) => report.countPings(db, 'm', { from: 1, until: 5 })],
};

const states = { selector: readSelector('a=b'), afterId: '', rows: 5 };

export const ofBadges: Asked = {
  listBadges: [(db) => badge.listBadges(db, 'w', { before: 'b', limit: 5 })],
  removeBadge: [(db) => badge.removeBadge(db, 'w', 'b')],
  findShownBadge: [(db) => badge.findShownBadge(db, 'hash', 1)],
  countStates: (['jobs', 'monitors'] as const).flatMap((table) => [
    (db) => badge.countStates(db, table, 'w', states),
    (db) => badge.countStates(db, table, 'w', { ...states, selector: null }),
  ]),
};
