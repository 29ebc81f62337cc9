/**
 * Digests: missed and interrupted runs are gathered for the channels that ask for them, in the transaction that records the
 * runs, and reported together. Channels that want to are reminded of what is still down. domain/alerts/digest.ts says when.
 */

import { subjectOf, type Alert, type AlertData } from '../../domain/alerts/alert.ts';
import { serves, type Channel } from '../../domain/alerts/channel.ts';
import type { AlsoOn } from '../../domain/alerts/fields.ts';
import { hasExpired } from '../../domain/accounts/account.ts';
import { digestPauseMs, digestWaitMs, gather, gatheredDueAt } from '../../domain/alerts/digest.ts';
import type { Gathered, ReportedRun } from '../../domain/alerts/digest.ts';
import { isoTime } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import { findTerms } from '../../store/accounts/expiry.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';
import { findMuted } from '../../store/accounts/windows.ts';
import { findChannelsAlsoOn, findLabelsFor, findLiveChannel } from '../../store/alerts/channels.ts';
import { insertDeliveries } from '../../store/alerts/delivery-queue.ts';
import {
  findDigests,
  findDueDigests,
  findJobNames,
  findKnownDown,
  isDeliveryPending,
  keepDigests,
  listKnownFailures,
} from '../../store/alerts/digests.ts';
import type { Digest } from '../../store/alerts/digests.ts';
import type { Db } from '../../store/database/store.ts';

/** Digests in one transaction. A reminder reads all that its channel knows to be down. */
const mostDigests = 5;

/**
 * Gathers runs for the channels that ask for them, in the transaction that records the runs. If none asks, this is one search
 * of an empty index. Those of muted jobs are not gathered. Returns for how many channels something was gathered.
 */
export async function gatherRuns(
  tx: Db,
  word: AlsoOn,
  { runs, now }: { runs: readonly ReportedRun[]; now: number },
): Promise<number> {
  if (runs.length === 0) return 0;
  const byWorkspace = Map.groupBy(runs, ({ workspaceId }) => workspaceId);
  const channels = await findChannelsAlsoOn(tx, word, [...byWorkspace.keys()]);
  if (channels.length === 0) return 0;
  const event = `job.${word}` as const;
  const ids = channels.map(({ id }) => id);
  const known = new Map(
    (await findDigests(tx, event, ids)).map((digest) => [digest.channelId, digest]),
  );
  const jobIds = runs.map(({ jobId }) => jobId);
  const labels = await findLabelsFor(tx, channels, jobIds);
  const placed = runs.map(({ jobId: id, workspaceId }) => ({ id, workspaceId }));
  const muted = await findMuted(tx, placed, now);
  const changed = channels.flatMap((channel) => {
    const { id } = channel;
    const chosen = channel.jobIds && new Set(channel.jobIds);
    const its = byWorkspace.get(channel.workspaceId) ?? [];
    const served = its.filter(({ jobId }) => {
      if (muted.has(jobId)) return false;
      const own = labels.get(jobId) ?? null;
      return chosen === null
        ? serves(channel, { type: 'job', id: jobId, labels: own })
        : chosen.has(jobId);
    });
    if (served.length === 0) return [];
    return [withRuns(known.get(id) ?? newDigest(id, event), served, now)];
  });
  await keepDigests(tx, changed);
  return changed.length;
}

function newDigest(channelId: string, event: Digest['event']): Digest {
  return { channelId, event, gathered: null, quietUntil: 0, deliveryId: null, dueAt: null };
}

function withRuns(digest: Digest, runs: readonly ReportedRun[], now: number): Digest {
  return {
    ...digest,
    gathered: gather(digest.gathered, runs),
    dueAt: digest.dueAt ?? gatheredDueAt(now, digest.quietUntil),
  };
}

/** Makes deliveries of digests that are due. Returns how many were due. */
export async function sendDigests(tx: Db, now: number): Promise<number> {
  const due = await findDueDigests(tx, now, mostDigests);
  for (const digest of due) {
    const channel = await findLiveChannel(tx, digest.channelId);
    const next =
      channel?.enabled === true
        ? await (digest.event === 'reminder' ? remind : report)(tx, digest, channel, now)
        : { ...digest, gathered: null, dueAt: null };
    await keepDigests(tx, [next]);
  }
  return due.length;
}

/** Reports the runs that are gathered. Returns the digest as it is then. */
async function report(tx: Db, digest: Digest, channel: Channel, now: number): Promise<Digest> {
  const { gathered, event } = digest;
  const isWanted = channel.alsoOn.some((word) => event === `job.${word}`);
  const done = { ...digest, gathered: null, dueAt: null };
  if (gathered === null || !isWanted) return done;
  if (await isWaiting(tx, digest)) return { ...digest, dueAt: now + digestWaitMs };
  const first = await namedRuns(tx, gathered);
  const { count, reasons } = gathered;
  if (first.length === 0 && count === gathered.first.length) return done;
  const runs = { count, from: isoTime(gathered.from), to: isoTime(gathered.to), reasons, first };
  const deliveryId = await send(tx, digest, { channel, data: { runs }, now });
  return { ...done, deliveryId, quietUntil: now + digestPauseMs };
}

/** The first runs whose jobs still exist. */
async function namedRuns(tx: Db, { first }: Gathered) {
  const jobIds = first.map(({ jobId }) => jobId);
  const names = await findJobNames(tx, jobIds);
  return first.flatMap(({ id, jobId, scheduledFor }) => {
    const name = names.get(jobId);
    if (name === undefined) return [];
    return [{ id, scheduledFor: isoTime(scheduledFor), job: { id: jobId, name } }];
  });
}

/** Reminds a channel of what is still down. Returns the digest as it is then. */
async function remind(tx: Db, digest: Digest, channel: Channel, now: number): Promise<Digest> {
  const { remindEverySeconds, workspaceId } = channel;
  const known = remindEverySeconds === null ? [] : await listKnownFailures(tx, channel.id);
  if (remindEverySeconds === null || known.length === 0) return { ...digest, dueAt: null };
  const placed = known.map((id) => ({ id, workspaceId }));
  const muted = await findMuted(tx, placed, now);
  const except = [...muted.keys()];
  const everyMs = remindEverySeconds * 1_000;
  // The end of a mute is looked at, or a reminder that falls into each night's window never comes.
  const ends = Math.min(...muted.values());
  const later = { ...digest, dueAt: Math.min(now + everyMs, ends) };
  const terms = (await findTerms(tx, [workspaceId])).get(workspaceId);
  // Nobody calls the jobs of an expired account.
  const jobs = terms !== undefined && !hasExpired(terms, now);
  const found = await findKnownDown(tx, channel, { jobs, except });
  // What is paused or muted may come back.
  if (found === null) return later;
  const { knownSince, ...down } = found;
  const dueAt = Math.min(knownSince, now) + everyMs;
  if (dueAt > now) return { ...digest, dueAt: Math.min(dueAt, ends) };
  if (await isWaiting(tx, digest)) return { ...digest, dueAt: now + digestWaitMs };
  return { ...later, deliveryId: await send(tx, digest, { channel, data: { down }, now }) };
}

async function isWaiting(tx: Db, { deliveryId }: Digest): Promise<boolean> {
  return deliveryId !== null && (await isDeliveryPending(tx, deliveryId));
}

/** Adds the delivery. Returns its id. */
async function send(
  tx: Db,
  { event }: Digest,
  { channel, data, now }: { channel: Channel; data: AlertData; now: number },
): Promise<string> {
  const { id: channelId, workspaceId } = channel;
  const workspace = { id: workspaceId, name: (await findWorkspaceName(tx, workspaceId)) ?? '' };
  const alert: Alert = { type: event, timestamp: isoTime(now), data: { workspace, ...data } };
  const id = newId(now);
  const subject = subjectOf(alert.data);
  // A reminder stands in the line of its subject, so that it does not overtake the recovery. Reports stand alone: a newer
  // failure replaces what waits in its line.
  const subjectId = (event === 'reminder' ? subject?.id : undefined) ?? id;
  const about = { id, channelId, event, subject, subjectId };
  const payload = JSON.stringify(alert);
  await insertDeliveries(tx, [{ ...about, payload, createdAt: now, dueAt: now }]);
  return id;
}
