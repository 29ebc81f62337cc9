/**
 * Expand: each health change in the outbox becomes one delivery per channel that is to be alerted, and changes that were
 * held back are released. domain/alerts/damping.ts says how often a channel is alerted.
 *
 * A transaction takes some changes of one workspace and some of its channels, channel by channel, as the rows of one channel
 * are close together in the file. Workspaces take turns.
 */

import { subjectOf, type Alert } from '../../domain/alerts/alert.ts';
import { servesFailure, servesSubject, type Channel } from '../../domain/alerts/channel.ts';
import { afterChange, release } from '../../domain/alerts/damping.ts';
import { isRecovery, type HealthChange } from '../../domain/alerts/health-change.ts';
import { isoTime, type Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { Labels } from '../../domain/labels.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';
import {
  findAlertStates,
  findDueStates,
  forgetAlertState,
  keepAlertStates,
  putOff,
} from '../../store/alerts/alert-states.ts';
import type { KeptState, Pair } from '../../store/alerts/alert-states.ts';
import { findMuted } from '../../store/accounts/windows.ts';
import { findChannelsOf, findLabelsFor, findLiveChannel } from '../../store/alerts/channels.ts';
import { findFull, holdQueues } from '../../store/alerts/delivery-queue.ts';
import { insertDeliveries, replaceUntried } from '../../store/alerts/delivery-queue.ts';
import type { MaybeTried, NewDelivery } from '../../store/alerts/delivery-queue.ts';
import { planReminders, type ReminderTime } from '../../store/alerts/digests.ts';
import {
  findAlertData,
  findHealthChanges,
  findNextWorkspace,
  findRemaining,
  removeHealthChanges,
} from '../../store/alerts/outbox.ts';
import type { Db, Store } from '../../store/database/store.ts';

/** Health changes in one transaction. */
const mostChanges = 50;
/** Pairs of a change and a channel, or releases, in one transaction: some milliseconds. */
const mostPairs = 200;
/** A channel that is full is looked at again after this, and as many of what is held back for it are put off at once. */
const fullForMs = 120_000;
const mostPutOff = 500;

/** All channels up to `channelId` have handled these changes. */
interface Progress {
  changeIds: readonly string[];
  channelId: string;
}

export interface Expander {
  /** Adds deliveries in one small transaction, replacing none of `underWay`. Returns 0 if the outbox is empty. */
  expand(underWay: readonly string[]): Promise<number>;
  /** The same for changes that were held back and are due. Returns how many those were. */
  release(underWay: readonly string[]): Promise<number>;
}

/**
 * Creates an expander, when this process begins to expand. Unfinished changes of an earlier one are repeated; a channel whose
 * state has a change is not alerted again.
 */
export function createExpander(store: Store, clock: Clock): Expander {
  const progress = new Map<string, Progress>();
  // An earlier process may have sent older deliveries and not recorded that.
  const startId = newId(clock.now());
  let lastWorkspaceId = '';

  return {
    async expand(underWay) {
      const workspaceId = await findNextWorkspace(store.db, lastWorkspaceId);
      lastWorkspaceId = workspaceId ?? '';
      if (workspaceId === undefined) return 0;
      const from = progress.get(workspaceId);
      const reached = await store.write((tx) =>
        expandSome(createBatch(tx, clock.now(), { underWay, startId }), workspaceId, from),
      );
      if (reached === null) progress.delete(workspaceId);
      else progress.set(workspaceId, reached);
      return 1;
    },
    release: (underWay) =>
      store.write((tx) => releaseDue(createBatch(tx, clock.now(), { underWay, startId }))),
  };
}

/** Returns null once all channels are done with these changes. */
async function expandSome(
  batch: Batch,
  workspaceId: string,
  from: Progress | undefined,
): Promise<Progress | null> {
  const { tx } = batch;
  const found = await findHealthChanges(tx, workspaceId, {
    among: from?.changeIds,
    limit: mostChanges,
  });
  if (found.length === 0) return null;
  const limit = Math.floor(mostPairs / found.length);
  const channels = await findChannelsOf(tx, workspaceId, { after: from?.channelId ?? '', limit });
  const channelIds = channels.map(({ id }) => id);
  await holdQueues(tx, channelIds);
  batch.full = new Set(await findFull(tx, workspaceId));
  const changes = await findRemaining(tx, found);
  const changeIds = changes.map(({ id }) => id);
  const subjectIds = changes.map(({ subjectId }) => subjectId);
  const states = await findAlertStates(tx, subjectIds, channelIds);
  for (const state of states) batch.states.set(pairKey(state), state);
  const labels = await findLabelsFor(tx, channels, subjectIds);
  const subjects = subjectIds.map((id) => ({ id, workspaceId }));
  batch.muted = await findMuted(tx, subjects, batch.now);
  for (const channel of channels) {
    for (const change of changes) await apply(batch, channel, change, labels);
  }
  await batch.write();
  const lastChannel = channels.at(-1);
  if (lastChannel !== undefined && channels.length === limit) {
    return { changeIds, channelId: lastChannel.id };
  }
  await removeHealthChanges(tx, changeIds);
  return null;
}

/** Alerts a channel of a change, damped. A recovery is for channels that were alerted of the failure. */
async function apply(
  batch: Batch,
  channel: Channel,
  change: HealthChange,
  labels: ReadonlyMap<string, Labels>,
): Promise<void> {
  const pair = { subjectId: change.subjectId, channelId: channel.id };
  const before = batch.states.get(pairKey(pair));
  const isUp = isRecovery(change);
  const own = labels.get(change.subjectId) ?? null;
  if (isUp ? before === undefined : !servesFailure(channel, change, own)) return;
  const alert = await batch.alertOf(change);
  if (alert === undefined || !channel.enabled) {
    if (isUp) batch.forget(pair);
    return;
  }
  // With its data, as the run may be gone when a window ends.
  const damped = afterChange(
    before,
    { ...change, data: alert.data },
    batch.now,
    batch.quietUntil(pair),
  );
  batch.keep({ ...damped.state, ...pair });
  if (damped.alert !== null) batch.send(alert, channel, pair);
}

/** Alerts of changes whose window is over, and forgets states that are calm. Returns how many were due. */
async function releaseDue(batch: Batch): Promise<number> {
  const due = await findDueStates(batch.tx, batch.now, mostPairs);
  const channels = new Map<string, Channel>();
  for (const channelId of new Set(due.map((state) => state.channelId))) {
    const channel = await findLiveChannel(batch.tx, channelId);
    if (channel !== undefined) channels.set(channelId, channel);
  }
  const subjectIds = due.map(({ subjectId }) => subjectId);
  const labels = await findLabelsFor(batch.tx, [...channels.values()], subjectIds);
  const placed = due.map(({ subjectId: id, channelId }) => {
    return { id, workspaceId: channels.get(channelId)?.workspaceId ?? '' };
  });
  batch.muted = await findMuted(batch.tx, placed, batch.now);
  for (const workspaceId of new Set(placed.map((one) => one.workspaceId))) {
    for (const id of await findFull(batch.tx, workspaceId)) batch.full.add(id);
  }
  const isFull = ({ id, enabled }: Channel): boolean => enabled && batch.full.has(id);
  const full = new Set([...channels.values()].filter(isFull).map(({ id }) => id));
  const until = batch.now + fullForMs;
  await putOff(batch.tx, [...full], { now: batch.now, until, limit: mostPutOff });
  for (const state of due) {
    const { channelId, subjectId, held } = state;
    if (held !== null && full.has(channelId)) continue;
    const channel = channels.get(channelId);
    const isServed =
      channel !== undefined &&
      held !== null &&
      (channel.enabled || batch.muted.has(subjectId)) &&
      (isRecovery(held) || servesSubject(channel, held, labels.get(subjectId) ?? null));
    const released = release(state, batch.now, batch.quietUntil(state));
    const alert = isServed && released.alert !== null ? await batch.alertOf(held) : undefined;
    if (alert === undefined && (!isServed || released.alert !== null)) batch.forget(state);
    else batch.keep({ ...state, ...released.state });
    if (alert !== undefined && channel !== undefined) batch.send(alert, channel, state);
  }
  await batch.write();
  return due.length;
}

/** What one transaction changes, gathered to be written with a statement each. */
type Batch = ReturnType<typeof createBatch>;

function createBatch(tx: Db, now: number, tried: MaybeTried) {
  const alerts = new Map<string, Alert | undefined>();
  const states = new Map<string, KeptState>();
  const kept = new Map<string, KeptState>();
  const forgotten = new Map<string, Pair>();
  const deliveries: NewDelivery[] = [];
  const reminders = new Map<string, ReminderTime>();
  return {
    tx,
    now,
    /** Until when jobs and monitors are muted, by id. */
    muted: new Map() as ReadonlyMap<string, number>,
    /** By `pairKey`. */
    states,
    /** Ids of channels for which so much waits that they are to hear nothing for now. */
    full: new Set<string>(),
    /** Until when a channel hears nothing of a job or monitor; undefined if it does. */
    quietUntil({ subjectId, channelId }: Pair): number | undefined {
      return this.full.has(channelId) ? now + fullForMs : this.muted.get(subjectId);
    },
    async alertOf(change: HealthChange): Promise<Alert | undefined> {
      if (!alerts.has(change.id)) alerts.set(change.id, await alertOf(tx, change));
      return alerts.get(change.id);
    },
    keep(state: KeptState): void {
      states.set(pairKey(state), state);
      kept.set(pairKey(state), state);
    },
    forget(pair: Pair): void {
      states.delete(pairKey(pair));
      kept.delete(pairKey(pair));
      forgotten.set(pairKey(pair), pair);
    },
    send(alert: Alert, channel: Channel, { subjectId, channelId }: Pair): void {
      const payload = JSON.stringify(alert);
      const to = { subjectId, channelId, event: alert.type, subject: subjectOf(alert.data) };
      deliveries.push({ ...to, id: newId(now), payload, createdAt: now, dueAt: now });
      const { remindEverySeconds } = channel;
      if (remindEverySeconds === null || isRecovery({ type: alert.type })) return;
      reminders.set(channelId, { channelId, dueAt: now + remindEverySeconds * 1_000 });
    },
    async write(): Promise<void> {
      for (const pair of forgotten.values()) await forgetAlertState(tx, pair);
      await keepAlertStates(tx, [...kept.values()]);
      await insertDeliveries(tx, await replaceUntried(tx, deliveries, tried));
      await planReminders(tx, [...reminders.values()]);
    },
  };
}

function pairKey({ subjectId, channelId }: Pair): string {
  return `${subjectId} ${channelId}`;
}

/** The alert of a health change; undefined if nobody is to be alerted any more. */
async function alertOf(tx: Db, change: HealthChange): Promise<Alert | undefined> {
  const { type, workspaceId: id, at } = change;
  const data = await findAlertData(tx, change);
  const name = await findWorkspaceName(tx, id);
  if (data === undefined || name === undefined) return undefined;
  return { type, timestamp: isoTime(at), data: { workspace: { id, name }, ...data } };
}
