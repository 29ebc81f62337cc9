/** The cost of alerts: each statement uses its index, however many deliveries are pending. */

import { test } from 'node:test';
import {
  findAlertStates,
  findDueStates,
  findNextStateTime,
} from '../../../src/store/alerts/alert-states.ts';
import { findDeleted } from '../../../src/store/database/owned.ts';
import { removeAged } from '../../../src/store/database/aged.ts';
import {
  endDeliveries,
  endOldDeliveries,
  findEndedQueue,
  findTestIn,
  listDeliveries,
  listDeliveriesOfWorkspace,
} from '../../../src/store/alerts/deliveries.ts';
import {
  bringForward,
  deliveryOf,
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
  insertDeliveries,
  makeNextDue,
  planChannel,
  replaceUntried,
} from '../../../src/store/alerts/delivery-queue.ts';
import { findChannelsAlsoOn } from '../../../src/store/alerts/channels.ts';
import {
  bringDigestsForward,
  findDigests,
  findDueDigests,
  findKnownDown,
  findNextDigestTime,
  isDeliveryPending,
  knowsFailures,
  removeDigests,
} from '../../../src/store/alerts/digests.ts';
import { listAttempts, recordAttempt } from '../../../src/store/alerts/attempts.ts';
import {
  findHealthChanges,
  findNextWorkspace,
  findThresholds,
  removeHealthChanges,
} from '../../../src/store/alerts/outbox.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

test('every statement of alerts uses its index', async (t) => {
  const ofWorkspace =
    /^SEARCH outbox USING (COVERING )?INDEX outbox_by_workspace \(workspace_id[=>]\?/;
  assertPlan(await planOf(t, (db) => findNextWorkspace(db, 'w')), [ofWorkspace]);
  assertPlan(await planOf(t, (db) => findHealthChanges(db, 'w', { limit: 5 })), [ofWorkspace]);
  const outboxById = /^SEARCH outbox USING (COVERING )?INDEX sqlite_autoindex_outbox_1 \(id=\?\)/;
  const ids = /^LIST SUBQUERY|^SCAN json_each/;
  const among = { among: ['e'], limit: 5 };
  assertPlan(await planOf(t, (db) => findHealthChanges(db, 'w', among)), [ofWorkspace, ids]);
  assertPlan(await planOf(t, (db) => removeHealthChanges(db, ['e'])), [outboxById, ids]);
  assertPlan(await planOf(t, findThresholds), [
    /^SEARCH channels USING COVERING INDEX channels_by_threshold/,
  ]);
  const dueChannel = /^SEARCH channels USING (COVERING )?INDEX channels_by_due_time/;
  const none = { limit: 5, except: ['x'], exceptOf: ['w'] };
  assertPlan(await planOf(t, (db) => findDueChannels(db, 1, none)), [dueChannel]);
  assertPlan(await planOf(t, (db) => findNextDeliveryTime(db, 1)), [dueChannel]);
  const byDueTime =
    /^SEARCH deliveries USING (COVERING )?INDEX deliveries_by_due_time \(channel_id=\? AND queue=\?/;
  const nextInLine =
    /^SEARCH next USING COVERING INDEX deliveries_open \(channel_id=\? AND queue=\? AND subject_id=\?/;
  const byId = /INDEX sqlite_autoindex_(deliveries|channels)_1 \(id=\?\)$/;
  const part = /^(CORRELATED )?SCALAR SUBQUERY/;
  assertPlan(await planOf(t, (db) => findDueDeliveries(db, 'c', 1, none)), [byDueTime, byId, part]);
  const delivery = deliveryOf({ ...blankDelivery, channel_id: 'c' });
  const ended = { startedAt: 1, durationMs: 1, httpStatus: null, error: null, backOff: null };
  const attempted = { delivery, at: 1, ...ended, nextAttemptAt: null };
  const recorded = await planOf(t, (db) => recordAttempt(db, attempted));
  assertPlan(recorded, [byId]);
  assertPlan(await planOf(t, (db) => makeNextDue(db, 'd', 1)), [byId, nextInLine, part]);
  assertPlan(await planOf(t, (db) => planChannel(db, 'c')), [byDueTime, byId, part]);
  assertPlan(await planOf(t, (db) => bringForward(db, 1, { limit: 5 })), [
    byDueTime,
    byId,
    dueChannel,
    /^LIST SUBQUERY/,
  ]);
  const insert = { ...delivery, subjectId: 's', payload: '{}', dueAt: 1 };
  const inserted = await planOf(t, (db) => insertDeliveries(db, [insert]));
  const inOpenLine =
    /^SEARCH (open|untried|behind) USING (COVERING )?INDEX deliveries_open \(channel_id=\? AND queue=\? AND subject_id=\?/;
  const added = /^SCAN added /;
  assertPlan(inserted, [added, inOpenLine, byDueTime, byId, part, /^SEARCH delivery_attempts/]);
  const sorted = /^USE TEMP B-TREE FOR ORDER BY$/;
  const maybeTried = { underWay: ['d'], startId: 'd' };
  const replaced = await planOf(t, (db) => replaceUntried(db, [insert], maybeTried));
  assertPlan(replaced, [added, inOpenLine, byId, sorted]);
  assertPlan(await planOf(t, (db) => findTestIn(db, 'c', 1, 2)), [
    /^SEARCH deliveries USING COVERING INDEX deliveries_tests \(channel_id=\? AND created_at>\?/,
  ]);
  const inQueues =
    /^SEARCH deliveries USING (COVERING )?INDEX deliveries_open \(channel_id=\? AND queue<\?\)$/;
  const withEnded = /^S\w+ channels USING (COVERING )?INDEX channels_with_ended/;
  assertPlan(await planOf(t, findEndedQueue), [withEnded]);
  assertPlan(await planOf(t, (db) => endDeliveries(db, 'c', 'why')), [
    byId,
    inQueues,
    part,
    /^LIST SUBQUERY/,
  ]);
  assertPlan(await planOf(t, (db) => endOldDeliveries(db, 1, 5)), [
    /^SEARCH deliveries USING INDEX deliveries_pending_by_age/,
    byId,
  ]);
  const byStateTime = /^SEARCH alert_states USING (COVERING )?INDEX alert_states_by_due_time/;
  assertPlan(await planOf(t, (db) => findDueStates(db, 1, 5)), [byStateTime]);
  assertPlan(await planOf(t, findNextStateTime), [byStateTime]);
  assertPlan(await planOf(t, (db) => findAlertStates(db, ['s'], ['c'])), [
    /^SEARCH alert_states USING INDEX sqlite_autoindex_alert_states_1 \(subject_id=\? AND channel_id=\?\)$/,
  ]);
  const digestsById =
    /^SEARCH digests USING (COVERING )?INDEX sqlite_autoindex_digests_1 \(channel_id=\?/;
  const byDigestTime = /^SEARCH digests USING (COVERING )?INDEX digests_by_due_time \(due_at/;
  assertPlan(await planOf(t, (db) => findChannelsAlsoOn(db, 'missed', ['w'])), [
    /^SEARCH channels USING INDEX channels_by_also_on \(workspace_id=\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => findDigests(db, 'reminder', ['c'])), [digestsById]);
  assertPlan(await planOf(t, (db) => removeDigests(db, 'c')), [digestsById]);
  assertPlan(await planOf(t, (db) => findDueDigests(db, 1, 5)), [byDigestTime]);
  assertPlan(await planOf(t, findNextDigestTime), [byDigestTime]);
  assertPlan(await planOf(t, (db) => bringDigestsForward(db, 1)), [byDigestTime, byId, part]);
  assertPlan(await planOf(t, (db) => isDeliveryPending(db, 'd')), [byId]);
  const ofChannel =
    /^SEARCH alert_states USING (COVERING )?INDEX alert_states_by_channel \(channel_id=\? AND health=\?\)$/;
  assertPlan(await planOf(t, (db) => knowsFailures(db, 'c')), [ofChannel]);
  const served = { id: 'c', jobIds: null, monitorIds: null };
  assertPlan(await planOf(t, (db) => findKnownDown(db, served, { jobs: true })), [
    ofChannel,
    /^SEARCH (jobs|monitors) USING INDEX sqlite_autoindex_(jobs|monitors)_1 \(id=\?\)$/,
    /^(CO-ROUTINE|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|SCAN known|SCAN \(subquery|USE TEMP B-TREE)/,
  ]);
  const bySubject =
    /^SEARCH deliveries USING INDEX deliveries_by_subject \(channel_id=\? AND about_id=\?/;
  const page = { limit: 5, before: null, subjectId: 's', idPrefix: null };
  assertPlan(await planOf(t, (db) => listDeliveries(db, 'c', page)), [bySubject]);
  const inOrder =
    /^SEARCH deliveries USING (COVERING )?INDEX deliveries_by_channel \(channel_id=\? AND id[<>]/;
  const all = { ...page, subjectId: null };
  assertPlan(await planOf(t, (db) => listDeliveries(db, 'c', all)), [inOrder]);
  const begun = { ...all, before: 'd', idPrefix: '0199' };
  assertPlan(await planOf(t, (db) => listDeliveries(db, 'c', begun)), [inOrder]);
  const ofAll = [
    /^SEARCH channels USING INDEX channels_of_people \(workspace_id=\?\)$/,
    /^SEARCH newest USING COVERING INDEX sqlite_autoindex_deliveries_1 \(id=\?\)$/,
    /^(CORRELATED )?LIST SUBQUERY/,
    byId,
    sorted,
  ];
  const coveringSubject =
    /^SEARCH deliveries USING COVERING INDEX deliveries_by_subject \(channel_id=\? AND about_id=\? AND id<\?\)$/;
  const ofWorkspaceBy = async (asked: typeof page | typeof all, index: RegExp): Promise<void> =>
    assertPlan(await planOf(t, (db) => listDeliveriesOfWorkspace(db, 'w', asked)), [
      ...ofAll,
      index,
    ]);
  await ofWorkspaceBy(page, coveringSubject);
  await ofWorkspaceBy(all, inOrder);
  const attempts =
    /^SEARCH delivery_attempts USING (COVERING )?INDEX sqlite_autoindex_delivery_attempts_1 \(delivery_id=\?\)$/;
  assertPlan(await planOf(t, (db) => listAttempts(db, 'd')), [attempts]);
  assertPlan(await planOf(t, (db) => findDeleted(db, 'channels')), [
    /^SEARCH channels USING (COVERING )?INDEX channels_deleted \(deleted_at>\?\)$/,
  ]);
  assertPlan(await planOf(t, (db) => removeAged(db, 'deliveries', 1, 5)), [
    /^SEARCH deliveries USING INDEX deliveries_ended_by_age/,
    /^SEARCH deliveries USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
    attempts,
  ]);
});

const blankDelivery = {
  id: 'd',
  event: 'test',
  subject_id: 'd',
  about_type: null,
  about_id: null,
  about_name: null,
  queue: 0,
  payload: '{}',
  status: 'pending',
  attempts: 1,
  next_attempt_at: 1,
  last_attempt_at: null,
  last_error: null,
  created_at: 1,
} as const;
