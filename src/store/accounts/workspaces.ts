/** Workspaces. They own keys, jobs, monitors and channels, and belong to an account. */

import { sql } from 'kysely';
import type { Workspace } from '../../domain/accounts/account.ts';
import { newId } from '../../domain/id.ts';
import { defaultAccount, findAccountByName, insertAccount } from './accounts.ts';
import { markChannelsOfDeleted } from '../alerts/channels.ts';
import { markMonitorsDeleted } from '../monitors/monitors.ts';
import { writeAlone } from '../database/alone.ts';
import { removeDeleted } from '../database/owned.ts';
import type { Db, Store } from '../database/store.ts';
import type { SweepPage } from '../database/sweep.ts';
import { dropWait, findWaitsOf } from '../runs/reports.ts';

/** The workspace that exists from the first start. */
export const defaultWorkspace = 'default';

/** Makes sure that the default workspace is there, and the default account that owns it. */
export async function ensureDefaultWorkspace(store: Store, id: string, now: number): Promise<void> {
  // Reading waits for no writer.
  if ((await findWorkspace(store.db, defaultWorkspace)) !== undefined) return;
  await writeAlone(store, async (tx) => {
    // Another process may have been faster.
    if ((await findWorkspace(tx, defaultWorkspace)) !== undefined) return;
    const accountId =
      (await findAccountByName(tx, defaultAccount))?.id ?? (await addDefaultAccount(tx, now));
    await insertWorkspace(tx, { id, name: defaultWorkspace, accountId, createdAt: now });
  });
}

async function addDefaultAccount(tx: Db, now: number): Promise<string> {
  const id = newId(now);
  const terms = { plan: 'self-hosted', expiresAt: null, onTrial: false } as const;
  await insertAccount(tx, { id, name: defaultAccount, ...terms, createdAt: now });
  return id;
}

const columns = [
  'workspaces.id',
  'workspaces.name',
  'account_id as accountId',
  'workspaces.created_at as createdAt',
] as const;

/** Keeps a new workspace. */
export async function insertWorkspace(db: Db, workspace: Workspace): Promise<void> {
  const { id, name, accountId, createdAt } = workspace;
  const row = { id, name, account_id: accountId, created_at: createdAt };
  await db.insertInto('workspaces').values(row).execute();
}

/** The workspace with this name, or undefined. */
export async function findWorkspace(db: Db, name: string): Promise<Workspace | undefined> {
  return await db
    .selectFrom('workspaces')
    .select(columns)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The name of the workspace with this id, or undefined. */
export async function findWorkspaceName(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('name')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.name;
}

/** A page of the ids of an account's workspaces. */
export async function findWorkspacesOf(
  db: Db,
  accountId: string,
  { afterId, limit }: SweepPage,
): Promise<{ id: string }[]> {
  return await db
    .selectFrom('workspaces')
    .select('id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The oldest workspaces of an account, up to `limit`. */
export async function listWorkspacesOf(
  db: Db,
  accountId: string,
  limit: number,
): Promise<Pick<Workspace, 'id' | 'name'>[]> {
  return await db
    .selectFrom('workspaces')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Every workspace with the name of its account, oldest first. */
export async function listWorkspaces(db: Db): Promise<(Workspace & { account: string })[]> {
  return await db
    .selectFrom('workspaces')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select([...columns, 'accounts.name as account'])
    .where('deleted_at', 'is', null)
    .orderBy('workspaces.id')
    .execute();
}

/**
 * Hides a workspace for good and frees its name. Its keys are revoked, its sessions end, its channels, monitors and jobs are deleted,
 * queued runs are not started, and nobody waits for reports any more. Jobs that execute keep their runs; `removeDeletedWorkspace` deletes them later.
 */
export async function markWorkspaceDeleted(tx: Db, id: string, now: number): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set({ deleted_at: now, name: id })
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('workspace_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  await tx.deleteFrom('sessions').where('workspace_id', '=', id).execute();
  await tx.deleteFrom('sign_in_codes').where('workspace_id', '=', id).execute();
  await markChannelsOfDeleted(tx, id, now);
  await tx
    .updateTable('jobs')
    .set({ next_run_at: null })
    .where('workspace_id', '=', id)
    .where('next_run_at', 'is not', null)
    .execute();
  await tx
    .deleteFrom('runs')
    .where('status', '=', sql.lit<'queued'>('queued'))
    .where('job_id', 'in', tx.selectFrom('jobs').select('id').where('workspace_id', '=', id))
    .execute();
  for (const wait of await findWaitsOf(tx, id)) await dropWait(tx, { ...wait, now });
  await deleteIdleJobs(tx, id, now);
  await markMonitorsDeleted(tx, id, now);
}

/** The id of a deleted workspace, none of whose calls is in flight, or undefined. */
export async function findDeletedWorkspace(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where((of) => {
      const executing = of
        .selectFrom('jobs')
        .leftJoin('runs', 'runs.id', 'jobs.active_run_id')
        .select('jobs.id')
        .whereRef('jobs.workspace_id', '=', 'workspaces.id')
        .where('active_run_id', 'is not', null)
        // A run that has its answer waits for a report, which nobody needs any more.
        .where('runs.http_status', 'is', null);
      return of.not(of.exists(executing));
    })
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Removes up to `limit` rows of a deleted workspace. Jobs that executed when it was deleted are deleted now, also those whose
 * runs have begun to wait for a report since; the workspace stays until its jobs, monitors and channels are removed. Returns how many rows it removed.
 */
export async function removeDeletedWorkspace(
  tx: Db,
  id: string,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  for (const wait of await findWaitsOf(tx, id)) await dropWait(tx, { ...wait, now });
  await deleteIdleJobs(tx, id, now);
  return await removeDeleted(tx, 'workspaces', id, limit);
}

async function deleteIdleJobs(tx: Db, workspaceId: string, now: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ deleted_at: now, next_run_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('active_run_id', 'is', null)
    .execute();
}
