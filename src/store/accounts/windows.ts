/** Windows of workspaces (domain/windows.ts). */

import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Labels } from '../../domain/labels.ts';
import { unmutes } from '../../domain/alerts/damping.ts';
import { coverOf, holdsAmong, mutesAt } from '../../domain/windows.ts';
import type { Cover, Mute, Window } from '../../domain/windows.ts';
import { findLabels } from '../alerts/channels.ts';
import { holdQueues } from '../alerts/delivery-queue.ts';
import { idList, textsIn } from '../database/dialect.ts';
import { statement, type Parameters } from '../database/statement.ts';
import type { Db } from '../database/store.ts';

/** The windows of a workspace, in the order in which they were made. */
export async function listWindows(db: Db, workspaceId: string): Promise<readonly Window[]> {
  return windowsOf((await textsOf(db, [workspaceId])).get(workspaceId) ?? null);
}

/** The workspaces that have windows, with them. It reads all workspaces. */
export async function listAllWindows(
  db: Db,
): Promise<{ name: string; windows: readonly Window[] }[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select(['name', 'windows'])
    .where('windows', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ name, windows }) => ({ name, windows: windowsOf(windows) }));
}

const textsOfWorkspaces = statement((db: Db, of: Parameters<{ ids: string }>) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'windows'])
    .where(sql<boolean>`id in ${textsIn(of('ids'))}`)
    .compile(),
);

async function textsOf(db: Db, workspaceIds: readonly string[]) {
  const rows = await textsOfWorkspaces(db, { ids: JSON.stringify(workspaceIds) });
  return new Map(rows.map(({ id, windows }) => [id, windows]));
}

/** All texts together; what they say takes a few times as much memory. */
const bounds = { maxSize: 4_000_000, sizeCalculation: (_: unknown, text: string) => text.length };
/** What is found of a window is kept with it, also where another one of its workspace is changed. */
const ofText = new LRUCache<string, Window>({ ...bounds, memoMethod: (text) => JSON.parse(text) });
/** What kept texts say, as they were read last: each claim and each look at a job needs the same, and when its windows are on. */
const windowsOfTexts = new LRUCache<string, readonly Window[]>({
  ...bounds,
  memoMethod: (json) =>
    (JSON.parse(json) as Window[]).map((one) => ofText.memo(JSON.stringify(one))),
});

/** The windows of a kept text. */
function windowsOf(json: string | null): readonly Window[] {
  return json === null ? [] : windowsOfTexts.memo(json);
}

/** Those of them that hold. A text that has none is not read. */
export function holdsIn(json: string | null): readonly Window[] {
  if (json === null || !json.includes('"effect":"hold"')) return [];
  return holdsAmong(windowsOf(json));
}

/** What is looked at again at once: some milliseconds. All else is within five minutes. */
const mostLookedAt = 1_000;

/**
 * Keeps the windows of a workspace. What may not be held back any more is looked at again at `now` (epoch milliseconds). The queues of its channels
 * are held, so that who makes an alert beside it sees these windows, or has its state seen here.
 */
export async function keepWindows(
  tx: Db,
  workspaceId: string,
  windows: readonly Window[],
  now: number,
): Promise<void> {
  const channels = tx.selectFrom('channels').select('id').where('workspace_id', '=', workspaceId);
  const channelIds = (await channels.execute()).map(({ id }) => id);
  await holdQueues(tx, channelIds);
  const isUnmuted = unmutes(await listWindows(tx, workspaceId), windows, now);
  const json = windows.length === 0 ? null : JSON.stringify(windows);
  const row = tx.updateTable('workspaces').where('id', '=', workspaceId);
  await row.set({ windows: json }).execute();
  // What was put off to the end of a hold has its grace from now on at the latest (docs/behavior.md#hold-3).
  await sql`update monitors set next_check_at = grace_seconds * 1000
      + case when next_due_at > ${now} then next_due_at else ${now} end
    where workspace_id = ${workspaceId} and next_check_at - grace_seconds * 1000 > next_due_at
      and next_check_at - grace_seconds * 1000 > ${now}`.execute(tx);
  if (!isUnmuted) return;
  await sql`update alert_states set due_at = ${now} where (subject_id, channel_id) in (
    select subject_id, channel_id from alert_states where channel_id in ${channels}
      and held is not null and due_at > ${now} limit ${mostLookedAt})`.execute(tx);
}

/** A job or monitor, as far as windows are about it. */
interface Subject {
  id: string;
  workspaceId: string;
  /** They are asked for where they are not given. */
  labels?: Labels | null;
}

/** Which of the windows that are asked for are about these jobs and monitors, by id; those without any are absent. */
async function findAbout(
  db: Db,
  subjects: readonly Subject[],
  askedIn: (text: string | null) => readonly Window[],
): Promise<ReadonlyMap<string, readonly Window[]>> {
  if (subjects.length === 0) return new Map();
  const texts = await textsOf(db, [...new Set(subjects.map((one) => one.workspaceId))]);
  return await windowsAbout(db, subjects, (id) => askedIn(texts.get(id) ?? null));
}

/** Which of the windows of their workspaces are about these jobs and monitors, by id. It asks nothing if there are no windows. */
export async function windowsAbout(
  db: Db,
  subjects: readonly Subject[],
  windowsIn: (workspaceId: string) => readonly Window[],
): Promise<ReadonlyMap<string, readonly Window[]>> {
  const covers = new Map<string, { window: Window; isAbout: Cover }[]>();
  for (const workspaceId of new Set(subjects.map((one) => one.workspaceId))) {
    const its = windowsIn(workspaceId).map((window) => ({ window, isAbout: coverOf(window) }));
    if (its.length > 0) covers.set(workspaceId, its);
  }
  const affected = subjects.filter(({ workspaceId }) => covers.has(workspaceId));
  if (affected.length === 0) return new Map();
  const unread = affected.flatMap(({ id, labels }) => (labels === undefined ? [id] : []));
  const read = unread.length === 0 ? null : await findLabels(db, unread);
  const found = affected.map(({ id, workspaceId, labels = read?.get(id) ?? null }) => {
    const its = covers.get(workspaceId) ?? [];
    const about = its.filter(({ isAbout }) => isAbout(id, labels));
    return [id, about.map(({ window }) => window)] as const;
  });
  return new Map(found.filter(([, about]) => about.length > 0));
}

/** The windows that hold these jobs and monitors, now or at other times, by id; those without any are absent. */
export async function findHolds(
  db: Db,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, readonly Window[]>> {
  return await findAbout(db, subjects, holdsIn);
}

/** The windows about these jobs and monitors that hold at any time, or mute at `now` (epoch milliseconds), as `findHolds`. */
export async function findShown(
  db: Db,
  subjects: readonly Subject[],
  now: number,
): Promise<ReadonlyMap<string, readonly Window[]>> {
  const isShown = (one: Window): boolean =>
    one.effect === 'hold' || mutesAt([one], [now]).length > 0;
  return await findAbout(db, subjects, (text) => windowsOf(text).filter(isShown));
}

/** What mutes these jobs and monitors at one of some instants (epoch milliseconds), by id; those that are not muted are absent. */
export async function findMutes(
  db: Db,
  subjects: readonly Subject[],
  instants: readonly number[],
): Promise<ReadonlyMap<string, readonly Mute[]>> {
  const isOn = (one: Window): boolean => mutesAt([one], instants).length > 0;
  const found = await findAbout(db, subjects, (text) => windowsOf(text).filter(isOn));
  return new Map([...found].map(([id, windows]) => [id, mutesAt(windows, instants)] as const));
}

/** Until when nobody is alerted of these jobs and monitors at `now`, by id, in epoch milliseconds: what is muted, or paused. */
export async function findMuted(
  db: Db,
  subjects: readonly Subject[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const mutes = await findMutes(db, subjects, [now]);
  const ids = idList(subjects.map(({ id }) => id));
  const paused = sql<{ id: string }>`select id from monitors where id in ${ids} and paused = 1`;
  return new Map([
    ...[...mutes].map(([id, its]) => [id, Math.max(...its.map(({ until }) => until))] as const),
    ...(await paused.execute(db)).rows.map(({ id }) => [id, Infinity] as const),
  ]);
}
