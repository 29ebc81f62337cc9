/** Expand: each edge of the outbox becomes one delivery for each channel that hears of it. */

import type { Alert, Edge } from '../domain/alert.ts';
import { recipientsOf } from '../domain/channel.ts';
import type { Channel } from '../domain/channel.ts';
import { isoTime } from '../domain/clock.ts';
import { newId } from '../domain/id.ts';
import { findChannelsOf } from '../store/channels.ts';
import { insertDelivery } from '../store/deliveries.ts';
import {
  findAlertData,
  findEdges,
  findTold,
  forgetSubject,
  noteTold,
  removeEdges,
} from '../store/edges.ts';
import type { Db } from '../store/open.ts';

/** Edges of one transaction: some milliseconds. */
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
  const { type, subjectId, at } = edge;
  const told = await findTold(tx, subjectId);
  const isOver = type === 'job.recovered' || type === 'monitor.up';
  if (isOver) await forgetSubject(tx, subjectId);
  const recipients = recipientsOf(edge, { channels, told });
  if (recipients.length === 0) return;
  const data = await findAlertData(tx, edge);
  if (data === undefined) return;
  const payload = JSON.stringify({ type, timestamp: isoTime(at), data } satisfies Alert);
  for (const { id: channelId } of recipients) {
    const delivery = { id: newId(now), channelId, event: type, subjectId, payload, createdAt: now };
    await insertDelivery(tx, delivery);
    if (!isOver) await noteTold(tx, subjectId, channelId);
  }
}
