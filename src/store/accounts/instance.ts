/** This installation: its id, and where its daemon is reached. */

import { writeAlone } from '../database/alone.ts';
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

/** What all workspaces have together. Jobs and monitors are counted in their indexes. */
export async function summarize(db: Db, now: number): Promise<Summary> {
  const count = async (table: 'jobs' | 'monitors'): Promise<number> => {
    const query = db.selectFrom(table).where('deleted_at', 'is', null);
    const row = await query.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirst();
    return row?.count ?? 0;
  };
  const next = await db
    .selectFrom('jobs')
    .select('next_run_at')
    .where('next_run_at', '>', now)
    .orderBy('next_run_at')
    .limit(1)
    .executeTakeFirst();
  const [jobs, monitors] = [await count('jobs'), await count('monitors')];
  return { jobs, monitors, nextDueAt: next?.next_run_at ?? null };
}
