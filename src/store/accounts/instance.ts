/** This installation: its id, and where its daemon is reached. */

import { nextDue } from '../../domain/schedule/next.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { findOverdueJobs } from '../jobs/planned.ts';
import { writeAlone } from '../database/alone.ts';
import { countOf } from '../database/count.ts';
import type { Db, Store } from '../database/store.ts';

/** Returns the id of this installation: `id`, if it had none. After the first start nothing is written. */
export async function startInstance(store: Store, id: string): Promise<string> {
  const known = await store.db.selectFrom('instance').select('id').executeTakeFirst();
  if (known !== undefined) return known.id;
  return await writeAlone(store, async (tx) => {
    // Another process may have been faster.
    const other = await tx.selectFrom('instance').select('id').executeTakeFirst();
    if (other !== undefined) return other.id;
    await tx.insertInto('instance').values({ one: 1, id, site_url: null }).execute();
    return id;
  });
}

/** The id of this installation; null before its first start, and after a restore until the next one. */
export async function findInstanceId(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('id').executeTakeFirst();
  return row?.id ?? null;
}

/** Keeps where people reach the daemon, if that is new; and whether that is only a guess. */
export async function recordSiteUrl(
  store: Store,
  { siteUrl, isGuess }: { siteUrl: string; isGuess: boolean },
): Promise<void> {
  const now = { site_url: siteUrl, site_url_is_guess: isGuess ? 1 : 0 } as const;
  const kept = await store.db
    .selectFrom('instance')
    .select(['site_url', 'site_url_is_guess'])
    .executeTakeFirst();
  if (kept?.site_url === now.site_url && kept.site_url_is_guess === now.site_url_is_guess) return;
  await store.write((tx) => tx.updateTable('instance').set(now).execute());
}

/** The URL that the daemon guessed, since it listens on all addresses; null if it did not have to. */
export async function findGuessedUrl(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom('instance')
    .select('site_url')
    .where('site_url_is_guess', '=', 1)
    .executeTakeFirst();
  return row?.site_url ?? null;
}

/** The proxy on the machine of the daemon that it does not trust; null if it has seen none since it started. */
export async function findUntrustedProxy(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('untrusted_proxy').executeTakeFirst();
  return row?.untrusted_proxy ?? null;
}

/** Keeps it, for `jobd doctor`. */
export async function recordUntrustedProxy(store: Store, address: string): Promise<void> {
  await store.write((tx) => tx.updateTable('instance').set({ untrusted_proxy: address }).execute());
}

/** Where people reach the daemon; null until it has listened. */
export async function findSiteUrl(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('site_url').executeTakeFirst();
  return row?.site_url ?? null;
}

/** How much there is to do. */
export interface Summary {
  jobs: number;
  monitors: number;
  /** When a job is due next after `now`, in epoch milliseconds; null if none is. */
  nextDueAt: number | null;
}

/** Jobs whose due time has passed that are looked at: after an outage these may be all. */
const mostOverdue = 1_000;

/** What all workspaces have together. Jobs and monitors are counted in their indexes. */
export async function summarize(db: Db, now: number): Promise<Summary> {
  const count = async (table: 'jobs' | 'monitors'): Promise<number> =>
    await countOf(db.selectFrom(table).where('deleted_at', 'is', null));
  // Those of which a run goes on, and those that were due while nobody served. First: a claim makes them due later.
  const overdue = await findOverdueJobs(db, { afterId: '', limit: mostOverdue }, now);
  const next = await db
    .selectFrom('jobs')
    .select('next_run_at')
    .where('next_run_at', '>', now)
    .orderBy('next_run_at')
    .limit(1)
    .executeTakeFirst();
  const dueTimes = overdue.map((job) => nextDue(scheduleOf(job), now)).filter((at) => at !== null);
  const nextDueAt = Math.min(next?.next_run_at ?? Infinity, ...dueTimes);
  const [jobs, monitors] = [await count('jobs'), await count('monitors')];
  return { jobs, monitors, nextDueAt: Number.isFinite(nextDueAt) ? nextDueAt : null };
}

/** What was removed before its time, for want of space. */
export interface EarlyRemovals {
  results: number;
  pings: number;
  /** When last, in epoch milliseconds; null if never. */
  at: number | null;
}

/** What was removed before its time since the database was made, and the largest size that `serve` was given last. */
export async function findEarlyRemovals(
  db: Db,
): Promise<EarlyRemovals & { limitBytes: number | null }> {
  const row = await db
    .selectFrom('instance')
    .select([
      'early_results as results',
      'early_pings as pings',
      'early_at as at',
      'max_bytes as limitBytes',
    ])
    .executeTakeFirst();
  return row ?? { results: 0, pings: 0, at: null, limitBytes: null };
}

/** Adds what was removed before its time now. */
export async function addEarlyRemovals(
  tx: Db,
  { results, pings, at }: { results: number; pings: number; at: number },
): Promise<void> {
  await tx
    .updateTable('instance')
    .set((of) => ({
      early_results: of('early_results', '+', results),
      early_pings: of('early_pings', '+', pings),
      early_at: at,
    }))
    .execute();
}

/** Keeps the largest size that the database may have, for `jobd doctor`, and forgets the proxy that was seen before. */
export async function recordStart(store: Store, limitBytes: number | null): Promise<void> {
  const { limitBytes: known } = await findEarlyRemovals(store.db);
  if (known === limitBytes && (await findUntrustedProxy(store.db)) === null) return;
  const now = { max_bytes: limitBytes, untrusted_proxy: null };
  await store.write((tx) => tx.updateTable('instance').set(now).execute());
}
