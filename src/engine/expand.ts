/**
 * Expand: each edge of the outbox becomes one delivery for each channel that hears of it, and what was held back from a
 * channel is released. How often a channel is alerted of one job or monitor is said in domain/damping.ts.
 */

import { isRecovery } from '../domain/alert.ts';
import type { Alert, Edge } from '../domain/alert.ts';
import { servesFailure } from '../domain/channel.ts';
import type { Channel } from '../domain/channel.ts';
import { isoTime } from '../domain/clock.ts';
import { afterChange, release } from '../domain/damping.ts';
import { newId } from '../domain/id.ts';
import { findAlerted, findAlertedToLookAt, forgetAlerted, keepAlerted } from '../store/alerted.ts';
import type { AlertedChannel } from '../store/alerted.ts';
import { findChannelsOf, findLiveChannel } from '../store/channels.ts';
import { insertDelivery } from '../store/deliveries.ts';
import { findAlertData, findEdges, removeEdges } from '../store/edges.ts';
import type { Db } from '../store/open.ts';
import { findWorkspaceName } from '../store/workspaces.ts';

/** Edges, or channels, of one transaction: some milliseconds. */
const largestBatch = 50;

/** Makes deliveries of the oldest edges, in one transaction. Returns how many edges there were. */
export async function expandEdges(tx: Db, now: number): Promise<number> {
  const edges = await findEdges(tx, largestBatch);
  const channelsOf = new Map<string, Channel[]>();
  for (const edge of edges) {
    const { workspaceId } = edge;
    const channels = channelsOf.get(workspaceId) ?? (await findChannelsOf(tx, workspaceId));
    channelsOf.set(workspaceId, channels);
    await expand(tx, edge, channels, now);
  }
  await removeEdges(tx, edges);
  return edges.length;
}

async function expand(tx: Db, edge: Edge, channels: Channel[], now: number): Promise<void> {
  const { subjectId } = edge;
  const alerted = await findAlerted(tx, subjectId);
  const concerned = channels.filter((channel) =>
    isRecovery(edge) ? alerted.has(channel.id) : servesFailure(channel, edge),
  );
  if (concerned.length === 0) return;
  const alert = await alertOf(tx, edge);
  for (const { id: channelId, enabled } of concerned) {
    const before = alerted.get(channelId);
    if (alert === undefined || !enabled) {
      if (before !== undefined && isRecovery(edge)) await forgetAlerted(tx, before);
      continue;
    }
    // With what it tells, as its run may be gone when a window ends.
    const damped = afterChange(before, { ...edge, data: alert.data }, now);
    await keepAlerted(tx, { ...damped.alerted, subjectId, channelId });
    if (damped.alert !== null) await insertAlert(tx, { alert, subjectId, channelId, now });
  }
}

/**
 * Alerts of what was held back, where its window is over by `now`; forgets what channels know of subjects that are calm.
 * Returns how many there were.
 */
export async function releaseHeld(tx: Db, now: number): Promise<number> {
  const due = await findAlertedToLookAt(tx, now, largestBatch);
  for (const alerted of due) {
    if (!(await isReleased(tx, alerted, now))) await forgetAlerted(tx, alerted);
  }
  return due.length;
}

/** Returns whether there is still something to know. */
async function isReleased(tx: Db, before: AlertedChannel, now: number): Promise<boolean> {
  const { held, channelId } = before;
  if (held === null) return false;
  const channel = await findLiveChannel(tx, channelId);
  if (channel === undefined) return false;
  if (isRecovery(held) ? !channel.enabled : !servesFailure(channel, held)) return false;
  const alert = await alertOf(tx, held);
  if (alert === undefined) return false;
  const released = release(before, now);
  await keepAlerted(tx, { ...before, ...released.alerted });
  const { subjectId } = held;
  if (released.alert !== null) await insertAlert(tx, { alert, subjectId, channelId, now });
  return true;
}

/** What is sent for an edge; undefined if nobody is to be alerted of it any more. */
async function alertOf(tx: Db, edge: Edge): Promise<Alert | undefined> {
  const { type, workspaceId: id, at } = edge;
  const data = await findAlertData(tx, edge);
  const name = await findWorkspaceName(tx, id);
  if (data === undefined || name === undefined) return undefined;
  return { type, timestamp: isoTime(at), data: { workspace: { id, name }, ...data } };
}

interface NewAlert {
  alert: Alert;
  subjectId: string;
  channelId: string;
  now: number;
}

async function insertAlert(tx: Db, { alert, now, ...to }: NewAlert): Promise<void> {
  const payload = JSON.stringify(alert);
  await insertDelivery(tx, { ...to, id: newId(now), event: alert.type, payload, createdAt: now });
}
