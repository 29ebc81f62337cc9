/** What badges keep, and what they count. */

import { sql } from 'kysely';
import type { Selector } from '../../domain/labels.ts';
import { labelsFit } from '../../store/database/labels.ts';
import type { Db } from '../../store/database/store.ts';
import type { Counts } from './state.ts';

export interface Badge {
  id: string;
  workspaceId: string;
  /** Everybody sees it. */
  name: string;
  /** Labels of the jobs and monitors that it shows; null for all. */
  selector: string | null;
  /** In epoch milliseconds. */
  createdAt: number;
}

const columns = [
  'badges.id',
  'workspace_id as workspaceId',
  'badges.name',
  'selector',
  'badges.created_at as createdAt',
] as const;

/** Keeps a new badge, and the SHA-256 of its token. */
export async function insertBadge(db: Db, badge: Badge, sha256: string): Promise<void> {
  const { id, workspaceId, name, selector, createdAt } = badge;
  const owner = { workspace_id: workspaceId, created_at: createdAt };
  await db
    .insertInto('badges')
    .values({ id, name, selector, sha256, ...owner })
    .execute();
}

/** The badges of a workspace with ids below `before`, newest first. */
export async function listBadges(
  db: Db,
  workspaceId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<Badge[]> {
  return await db
    .selectFrom('badges')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Deletes a badge of a workspace, and returns it; undefined if there is none. */
export async function removeBadge(
  tx: Db,
  workspaceId: string,
  id: string,
): Promise<Badge | undefined> {
  return await tx
    .deleteFrom('badges')
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .returning(columns)
    .executeTakeFirst();
}

/** The badge whose token has this SHA-256, unless its workspace is deleted or its account has expired at `now`. */
export async function findShownBadge(
  db: Db,
  sha256: string,
  now: number,
): Promise<Badge | undefined> {
  return await db
    .selectFrom('badges')
    .innerJoin('workspaces', 'workspaces.id', 'badges.workspace_id')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select(columns)
    .where('sha256', '=', sha256)
    .where('deleted_at', 'is', null)
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)]))
    .executeTakeFirst();
}

/** What is counted: up to `rows` jobs or monitors after an id. */
interface Step {
  selector: Selector | null;
  afterId: string;
  rows: number;
}

/** Counts those that fit by state; null has those that do not. `lastId` is that of the last one that was read. */
export async function countStates(
  db: Db,
  table: 'jobs' | 'monitors',
  workspaceId: string,
  { selector, afterId, rows }: Step,
): Promise<{ state: keyof Counts | null; count: number; lastId: string }[]> {
  const fits = selector === null ? sql`1 = 1` : labelsFit(selector);
  const state = sql<keyof Counts | null>`
    case when not ${fits} then null when paused = 1 then 'paused' else health end`;
  const step = db
    .selectFrom(table)
    .select(['id', state.as('state')])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(rows);
  return await db
    .selectFrom(step.as('step'))
    .select((of) => ['state', of.fn.countAll<number>().as('count'), of.fn.max('id').as('lastId')])
    .groupBy('state')
    .execute();
}
