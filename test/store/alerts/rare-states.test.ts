/** Channels that are deleted or off, and deliveries that are over: each condition hides its row. */

import type { Insertable } from 'kysely';
import { recordAttempt } from '../../support/records/attempt.ts';
import {
  countWaitingResults,
  findCallback,
  markCallbacksDeleted,
  postResults,
  renameCallback,
} from '../../../src/store/alerts/callbacks.ts';
import {
  countChannels,
  findChannel,
  findChannelsAlsoOn,
  findChannelsOf,
  findLiveChannel,
  findUnknownSubjects,
  listChannels,
  markChannelDeleted,
  markChannelsOfDeleted,
} from '../../../src/store/alerts/channels.ts';
import {
  endDeliveries,
  endOldDeliveries,
  findDelivery,
  findOldDelivery,
  listDeliveriesAbout,
  listDeliveriesOfWorkspace,
} from '../../../src/store/alerts/deliveries.ts';
import { hasOldRows } from '../../../src/store/database/old-rows.ts';
import {
  bringForward,
  findDueChannels,
  findDueDeliveries,
  insertDeliveries,
  makeNextDue,
  planChannel,
  replaceUntried,
} from '../../../src/store/alerts/delivery-queue.ts';
import {
  findJobNames,
  findKnownDown,
  isDeliveryPending,
} from '../../../src/store/alerts/digests.ts';
import { findAlertData } from '../../../src/store/alerts/outbox.ts';
import type { DeliveryRow } from '../../../src/store/database/schema-alerts.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { changed, deleted, rowOf, rowsWith, testGuards } from '../../support/checks/guards.ts';
import { later } from '../../support/records/rare-states.ts';

const channelDeleted = deleted('channels', 'channel');
const isOfAnother = changed('channels', 'callback', { callback_of: 'due' });
const callbackDeleted = deleted('channels', 'callback');
const leaderDeleted = deleted('jobs', 'leader');
const monitorDeleted = deleted('monitors', 'monitor');
const isCallback = changed('channels', 'channel', { callback_of: 'due' });
const channelOff = changed('channels', 'channel', { enabled: 0 });
const isOver = changed('deliveries', 'first', { status: 'delivered', next_attempt_at: null });
const queueEnded = changed('channels', 'channel', { queue: 1 });

const page = { limit: 100, before: null, name: null, idPrefix: null };
const all = { limit: 100, before: null, subjectId: null, idPrefix: null };
const change = { id: 'x', workspaceId: 'w', failures: 1, data: null, at: 2 };
const failure = { ...change, type: 'job.failed', subjectId: 'leader', runId: 'failed' } as const;
const data = { monitor: { id: 'monitor', name: 'monitor' } } as never;
const silence = { ...change, type: 'monitor.down', subjectId: 'monitor', runId: null } as const;
const due = { limit: 10, except: [], exceptOf: [] };
const line = { channelId: 'channel', subjectId: 'leader', event: 'job.failed' } as const;
const newAlert = { ...line, id: 'new', subject: null, payload: '{}', createdAt: 2, dueAt: 2 };
const known = { id: 'channel', jobIds: null, monitorIds: null, selector: null };

async function isDeletedAt2(tx: Db, id: string): Promise<boolean> {
  return (await rowOf(tx, 'channels', id))['deleted_at'] === 2;
}

/** A delivery like this one, of a newer id, that waits. */
async function addNewer(tx: Db, like: object, count: number): Promise<void> {
  const row = { ...like, id: `z${count}`, status: 'pending', next_attempt_at: 1 };
  await tx
    .insertInto('deliveries')
    .values(row as Insertable<DeliveryRow>)
    .execute();
}

async function statusOf(tx: Db, id: string): Promise<unknown> {
  return (await rowOf(tx, 'deliveries', id))['status'];
}

testGuards({
  'a channel of people that is not deleted is found': [
    (tx) => findChannel(tx, 'w', 'channel'),
    channelDeleted,
    isCallback,
  ],
  'and listed': [(tx) => listChannels(tx, 'w', page), channelDeleted, isCallback],
  'and counted': [(tx) => countChannels(tx, 'w'), channelDeleted, isCallback],
  'and gets alerts': [
    (tx) => findChannelsOf(tx, 'w', { after: '', limit: 10 }),
    channelDeleted,
    isCallback,
  ],
  'missed runs are reported to channels that are on and not deleted': [
    (tx) => findChannelsAlsoOn(tx, 'missed', ['w']),
    channelDeleted,
    channelOff,
  ],
  'what a channel gathered is sent unless the channel is deleted': [
    (tx) => findLiveChannel(tx, 'channel'),
    channelDeleted,
  ],
  'a channel is deleted once': [
    async (tx) => {
      await markChannelDeleted(tx, 'channel', 2);
      return await isDeletedAt2(tx, 'channel');
    },
    channelDeleted,
  ],
  'the deletion of its workspace does not delete a channel again': [
    async (tx) => {
      await markChannelsOfDeleted(tx, 'w', 2);
      return await isDeletedAt2(tx, 'channel');
    },
    channelDeleted,
  ],
  'a channel may name a job that is not deleted': [
    async (tx) =>
      (await findUnknownSubjects(tx, 'jobs', { workspaceId: 'w', ids: ['leader'] })).length === 0,
    leaderDeleted,
  ],
  'a channel may name a monitor that is not deleted': [
    async (tx) =>
      (await findUnknownSubjects(tx, 'monitors', { workspaceId: 'w', ids: ['monitor'] })).length ===
      0,
    monitorDeleted,
  ],
  'nobody is alerted of a deleted job': [(tx) => findAlertData(tx, failure), leaderDeleted],
  'nobody is alerted of a deleted monitor': [
    (tx) => findAlertData(tx, { ...silence, data }),
    monitorDeleted,
  ],
  'a reminder names jobs that are down, and neither paused nor deleted': [
    (tx) => findKnownDown(tx, { ...known, monitorIds: [] }, { jobs: true }),
    leaderDeleted,
    changed('jobs', 'leader', { paused: 1 }),
    changed('jobs', 'leader', { health: 'up' }),
    changed('alert_states', 'leader', { health: 'up' }, 'subject_id'),
  ],
  'a reminder names monitors that are down, and neither paused nor deleted': [
    (tx) => findKnownDown(tx, known, { jobs: false }),
    monitorDeleted,
    changed('monitors', 'monitor', { paused: 1 }),
    changed('monitors', 'monitor', { health: 'up' }),
    changed('alert_states', 'monitor', { health: 'up' }, 'subject_id'),
  ],
  'a digest does not name deleted jobs': [(tx) => findJobNames(tx, ['leader']), leaderDeleted],
  'the next digest waits for the last one while that may still arrive': [
    (tx) => isDeliveryPending(tx, 'first'),
    isOver,
    queueEnded,
  ],
  'a deleted callback is not found': [(tx) => findCallback(tx, 'leader'), callbackDeleted],
  'a callback is deleted once': [
    async (tx) => {
      await markCallbacksDeleted(tx, ['leader'], 2);
      return await isDeletedAt2(tx, 'callback');
    },
    callbackDeleted,
    isOfAnother,
  ],
  'a callback has the name of its own job': [
    async (tx) => {
      await renameCallback(tx, 'leader', 'new');
      return (await rowOf(tx, 'channels', 'callback'))['name'] === 'new';
    },
    isOfAnother,
  ],
  'of results beyond the newest 100 those are dropped that wait': [
    async (tx) => {
      const { id: _, ...result } = await rowOf(tx, 'deliveries', 'result');
      for (let count = 0; count < 100; count += 1) await addNewer(tx, result, count);
      await postResults(tx, ['success'], 2);
      return (await statusOf(tx, 'result')) === 'failed';
    },
    changed('deliveries', 'result', { status: 'delivered', next_attempt_at: null }),
  ],
  'a result is posted to a callback that is on and not deleted': [
    async (tx) => (await postResults(tx, ['success'], 2)).posted,
    callbackDeleted,
    changed('channels', 'callback', { enabled: 0 }),
  ],
  'a result that is over does not wait, nor does an alert': [
    async (tx) => (await countWaitingResults(tx, 10)) === 1,
    changed('deliveries', 'result', { status: 'failed', next_attempt_at: null }),
  ],
  'deliveries of deleted channels, and of callbacks, are not listed': [
    async (tx) => rowsWith('first', await listDeliveriesOfWorkspace(tx, 'w', all)),
    channelDeleted,
    isCallback,
  ],
  'nor do they explain a run': [
    async (tx) =>
      rowsWith(
        'first',
        await listDeliveriesAbout(
          tx,
          { workspaceId: 'w', subjectId: 'leader' },
          { from: 0, limit: 10 },
        ),
      ),
    channelDeleted,
    isCallback,
  ],
  'a channel that is switched off gives up what waits, and nothing that arrived': [
    async (tx) => {
      await endDeliveries(tx, 'channel', 'off');
      return (await statusOf(tx, 'first')) === 'failed';
    },
    isOver,
    changed('deliveries', 'first', { queue: 1 }),
  ],
  'a channel of people is tried as that, and a callback as that': [
    async (tx) => rowsWith('channel', await findDueChannels(tx, 1, due)),
    isCallback,
  ],
  'a delivery of a queue that has ended is not tried': [
    (tx) => findDueDeliveries(tx, 'channel', 1, { limit: 10, except: [] }),
    queueEnded,
    isOver,
  ],
  'nor is it brought forward': [
    async (tx) => {
      await changed('deliveries', 'first', { next_attempt_at: later })(tx);
      return await bringForward(tx, 5, { limit: 10, channelId: 'channel' });
    },
    queueEnded,
  ],
  'an alert waits for an earlier one of its line, unless the queue of that has ended': [
    async (tx) => {
      await insertDeliveries(tx, [newAlert]);
      return (await rowOf(tx, 'deliveries', 'new'))['next_attempt_at'] === null;
    },
    queueEnded,
  ],
  'an alert replaces an earlier one of its line that was never tried, in the same queue': [
    async (tx) => {
      await replaceUntried(tx, [newAlert], { underWay: [], startId: '~' });
      return (await statusOf(tx, 'second')) === undefined;
    },
    queueEnded,
    changed('deliveries', 'second', { attempts: 1 }),
    changed('deliveries', 'second', { event: 'job.recovered' }),
    changed('deliveries', 'second', { next_attempt_at: 1 }),
  ],
  'a delivery that is too old is given up, unless it arrived': [
    async (tx) => {
      await endOldDeliveries(tx, 2, 10);
      return (await statusOf(tx, 'first')) === 'failed';
    },
    isOver,
  ],
  'what is over is not given up again': [
    (tx) => findOldDelivery(tx, 2),
    async (tx) => {
      for (const id of ['first', 'second', 'result'])
        await changed('deliveries', id, { status: 'failed', next_attempt_at: null })(tx);
    },
  ],
  'what still waits is not removed for its age': [
    (tx) => hasOldRows(tx, 'deliveries', 2),
    changed('deliveries', 'refused', { status: 'pending' }),
  ],
  'only a delivery that waits makes its channel due, and no deleted channel is': [
    async (tx) => {
      await changed('channels', 'channel', { next_delivery_at: null })(tx);
      await planChannel(tx, 'channel');
      return (await rowOf(tx, 'channels', 'channel'))['next_delivery_at'] !== null;
    },
    channelDeleted,
    isOver,
    queueEnded,
  ],
  'the end of a delivery makes the next one due that waits in the same queue': [
    async (tx) => {
      await isOver(tx);
      await makeNextDue(tx, 'first', 2);
      return (await rowOf(tx, 'deliveries', 'second'))['next_attempt_at'] === 2;
    },
    changed('deliveries', 'second', { status: 'failed' }),
    changed('deliveries', 'second', { queue: 1 }),
    changed('deliveries', 'second', { subject_id: 'other' }),
  ],
  'a channel that is off gets no alert': [
    async (tx) => {
      await insertDeliveries(tx, [newAlert]);
      return await statusOf(tx, 'new');
    },
    channelOff,
  ],
  'an attempt is recorded once, and not of a delivery that is over': [
    async (tx) => {
      const delivery = await findDelivery(tx, 'channel', 'first');
      const before = { ...delivery!, attempts: 0, payload: '{}' };
      const ended = { startedAt: 1, durationMs: 1, httpStatus: 500, error: 'http: 500' };
      return await recordAttempt(tx, {
        ...ended,
        delivery: before,
        at: 2,
        backOff: null,
        nextAttemptAt: later,
      });
    },
    isOver,
    changed('deliveries', 'first', { attempts: 1 }),
  ],
});
