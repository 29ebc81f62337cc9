/**
 * Expand: each edge of the outbox becomes one delivery for each channel that hears of it, and what was held back from a
 * channel is released. How often a channel is alerted of one job or monitor is said in domain/alerts/damping.ts.
 *
 * A transaction takes some edges of one workspace and some of its channels: one channel after the other, as what is written
 * of one channel is close together in the file. Workspaces take turns.
 */

import { isRecovery } from '../../domain/alerts/alert.ts';
import type { Alert, Edge } from '../../domain/alerts/alert.ts';
import { servesFailure } from '../../domain/alerts/channel.ts';
import type { Channel } from '../../domain/alerts/channel.ts';
import { isoTime } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { afterChange, release } from '../../domain/alerts/damping.ts';
import { newId } from '../../domain/id.ts';
import {
  findAlerted,
  findAlertedToLookAt,
  forgetAlerted,
  keepAlerted,
  keyOfAlerted,
} from '../../store/alerts/alerted.ts';
import type { AlertedChannel } from '../../store/alerts/alerted.ts';
import { findChannelsOf, findLiveChannel } from '../../store/alerts/channels.ts';
import { insertDeliveries, removeUntried } from '../../store/alerts/deliveries.ts';
import type { MaybeTried, NewDelivery } from '../../store/alerts/deliveries.ts';
import {
  findAlertData,
  findEdges,
  findNextWorkspace,
  removeEdges,
} from '../../store/alerts/edges.ts';
import type { Db, Store } from '../../store/database/open.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';

/** Edges of one transaction. */
const mostEdges = 50;
/** Pairs of an edge and a channel, or alerts that are released, of one transaction: some milliseconds. */
const mostPairs = 200;

/** Channels up to this one have heard of the edges up to that one. */
interface Progress {
  edgeId: string;
  channelId: string;
}

export interface Expander {
  /** Makes deliveries in one small transaction, but touches none of `underWay`. Returns 0 if there is no edge. */
  expand(underWay: readonly string[]): Promise<number>;
  /** The same for what was held back and may be alerted of now. */
  release(underWay: readonly string[]): Promise<number>;
}

/** Makes it. Where it ends amid edges, it begins them again: a channel that knows of a change is not alerted again. */
export function createExpander(store: Store, clock: Clock): Expander {
  const progress = new Map<string, Progress>();
  // Older deliveries may have been sent by a process that died before it wrote that down.
  const startId = newId(clock.now());
  const batchOf = (tx: Db, underWay: readonly string[]): Batch =>
    createBatch(tx, clock.now(), { underWay, startId });
  let lastWorkspaceId = '';

  return {
    async expand(underWay) {
      const workspaceId = await findNextWorkspace(store.db, lastWorkspaceId);
      lastWorkspaceId = workspaceId ?? '';
      if (workspaceId === undefined) return 0;
      const from = progress.get(workspaceId);
      const reached = await store.write((tx) =>
        expandEdges(tx, { workspaceId, from, batch: batchOf(tx, underWay) }),
      );
      if (reached === null) progress.delete(workspaceId);
      else progress.set(workspaceId, reached);
      return 1;
    },
    release: (underWay) => store.write((tx) => releaseHeld(tx, batchOf(tx, underWay))),
  };
}

interface Expansion {
  workspaceId: string;
  from: Progress | undefined;
  batch: Batch;
}

/** Returns null once all channels have heard of these edges. */
async function expandEdges(
  tx: Db,
  { workspaceId, from, batch }: Expansion,
): Promise<Progress | null> {
  const edges = await findEdges(tx, workspaceId, { upTo: from?.edgeId, limit: mostEdges });
  const last = edges.at(-1);
  if (last === undefined) return null;
  const mostChannels = Math.floor(mostPairs / edges.length);
  const after = from?.channelId ?? '';
  const channels = await findChannelsOf(tx, workspaceId, { after, limit: mostChannels });
  const known = await findAlerted(
    tx,
    edges.map((edge) => edge.subjectId),
    channels.map(({ id }) => id),
  );
  for (const channel of channels) {
    for (const edge of edges) await expand(tx, { edge, channel, known, batch });
  }
  await batch.write();
  const lastChannel = channels.at(-1);
  if (lastChannel !== undefined && channels.length === mostChannels) {
    return { edgeId: last.id, channelId: lastChannel.id };
  }
  await removeEdges(tx, workspaceId, last.id);
  return null;
}

interface Pair {
  edge: Edge;
  channel: Channel;
  known: Map<string, AlertedChannel>;
  batch: Batch;
}

async function expand(tx: Db, { edge, channel, known, batch }: Pair): Promise<void> {
  const of = { subjectId: edge.subjectId, channelId: channel.id };
  const before = known.get(keyOfAlerted(of));
  const isConcerned = isRecovery(edge) ? before !== undefined : servesFailure(channel, edge);
  if (!isConcerned) return;
  const alert = await batch.alertOf(edge);
  if (alert === undefined || !channel.enabled) {
    if (!isRecovery(edge)) return;
    known.delete(keyOfAlerted(of));
    batch.forget(of);
    await forgetAlerted(tx, of);
    return;
  }
  // With what it tells, as its run may be gone when a window ends.
  const damped = afterChange(before, { ...edge, data: alert.data }, batch.now);
  const after = { ...damped.alerted, ...of };
  known.set(keyOfAlerted(of), after);
  batch.keep(after);
  if (damped.alert !== null) batch.send(alert, of);
}

/**
 * Alerts of what was held back, where its window is over; forgets what channels know of subjects that are calm.
 * Returns how many there were.
 */
async function releaseHeld(tx: Db, batch: Batch): Promise<number> {
  const due = await findAlertedToLookAt(tx, batch.now, mostPairs);
  const channels = new Map<string, Channel | undefined>();
  for (const alerted of due) {
    const { channelId } = alerted;
    if (!channels.has(channelId)) channels.set(channelId, await findLiveChannel(tx, channelId));
    const isKept = await isReleased(alerted, channels.get(channelId), batch);
    if (!isKept) await forgetAlerted(tx, alerted);
  }
  await batch.write();
  return due.length;
}

/** Returns whether there is still something to know. */
async function isReleased(
  before: AlertedChannel,
  channel: Channel | undefined,
  batch: Batch,
): Promise<boolean> {
  const { held } = before;
  if (held === null || channel === undefined) return false;
  if (isRecovery(held) ? !channel.enabled : !servesFailure(channel, held)) return false;
  const alert = await batch.alertOf(held);
  if (alert === undefined) return false;
  const released = release(before, batch.now);
  batch.keep({ ...before, ...released.alerted });
  if (released.alert !== null) batch.send(alert, before);
  return true;
}

/** What one transaction keeps of channels and subjects: gathered, then written with a statement each. */
type Batch = ReturnType<typeof createBatch>;

function createBatch(tx: Db, now: number, tried: MaybeTried) {
  const alerts = new Map<string, Alert | undefined>();
  const kept = new Map<string, AlertedChannel>();
  const deliveries: NewDelivery[] = [];
  return {
    now,
    async alertOf(edge: Edge): Promise<Alert | undefined> {
      if (!alerts.has(edge.id)) alerts.set(edge.id, await alertOf(tx, edge));
      return alerts.get(edge.id);
    },
    keep: (alerted: AlertedChannel): void => void kept.set(keyOfAlerted(alerted), alerted),
    forget: (of: Pick<AlertedChannel, 'subjectId' | 'channelId'>): void =>
      void kept.delete(keyOfAlerted(of)),
    send(alert: Alert, { subjectId, channelId }: Pick<AlertedChannel, 'subjectId' | 'channelId'>) {
      const payload = JSON.stringify(alert);
      const to = { subjectId, channelId, event: alert.type };
      deliveries.push({ ...to, id: newId(now), payload, createdAt: now, dueAt: now });
    },
    async write(): Promise<void> {
      await keepAlerted(tx, [...kept.values()]);
      await insertDeliveries(tx, await removeUntried(tx, deliveries, tried));
    },
  };
}

/** What is sent for an edge; undefined if nobody is to be alerted of it any more. */
async function alertOf(tx: Db, edge: Edge): Promise<Alert | undefined> {
  const { type, workspaceId: id, at } = edge;
  const data = await findAlertData(tx, edge);
  const name = await findWorkspaceName(tx, id);
  if (data === undefined || name === undefined) return undefined;
  return { type, timestamp: isoTime(at), data: { workspace: { id, name }, ...data } };
}
