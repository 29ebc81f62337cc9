/** Workspaces: what keys and jobs belong to, and what belongs to an account. */

import { sql } from 'kysely';
import type { Workspace } from '../../domain/accounts/workspace.ts';
import { defaultAccount, findAccountByName } from './accounts.ts';
import { markChannelsOfDeleted } from '../alerts/channels.ts';
import { markMonitorsDeleted } from '../monitors/monitors.ts';
import type { Db, Store } from '../database/open.ts';
import { isOpen } from '../runs/runs.ts';

/** The workspace that exists from the first start. */
export const defaultWorkspace = 'default';

/** Makes sure that the default workspace is there; it belongs to the default account. */
export async function ensureDefaultWorkspace(store: Store, id: string, now: number): Promise<void> {
  // Reading first: whoever only reads does not wait for a writer.
  if ((await findWorkspace(store.db, defaultWorkspace)) !== undefined) return;
  await store.write(async (tx) => {
    const account = await findAccountByName(tx, defaultAccount);
    if (account === undefined) throw new Error('there is no default account');
    await tx
      .insertInto('workspaces')
      .values({ id, name: defaultWorkspace, account_id: account.id, created_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  });
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
  await db
    .insertInto('workspaces')
    .values({ id, name, account_id: accountId, created_at: createdAt })
    .execute();
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
 * Hides a workspace for good: its keys are revoked, its channels and monitors are deleted, its jobs have no due times any
 * more and are deleted, those that execute as soon as they do not; runs that wait are not started. The name is
 * free again. What is left is removed by `removeDeletedWorkspace`.
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
  await markChannelsOfDeleted(tx, id, now);
  await tx
    .updateTable('jobs')
    .set({ next_run_at: null })
    .where('workspace_id', '=', id)
    .where('next_run_at', 'is not', null)
    .execute();
  await tx
    .deleteFrom('runs')
    // Said so that the index of runs that are not over is used, and no history is gone through.
    .where(isOpen)
    .where('status', '=', sql.lit<'queued'>('queued'))
    .where('job_id', 'in', tx.selectFrom('jobs').select('id').where('workspace_id', '=', id))
    .execute();
  await deleteIdleJobs(tx, id, now);
  await markMonitorsDeleted(tx, id, now);
}

/** A deleted workspace that is not removed yet, or undefined. */
export async function findDeletedWorkspace(db: Db): Promise<{ id: string } | undefined> {
  return await db
    .selectFrom('workspaces')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Removes a deleted workspace with its keys once it holds no job, no monitor and no channel any more. Returns what is
 * left: nothing, what is marked as deleted, or only jobs that execute. Whatever else refers to a workspace must be
 * removed here too.
 */
export async function removeDeletedWorkspace(
  tx: Db,
  id: string,
  now: number,
): Promise<'nothing' | 'deleted' | 'executing'> {
  await deleteIdleJobs(tx, id, now);
  const jobs = tx.selectFrom('jobs').select('id').where('workspace_id', '=', id).limit(1);
  if ((await jobs.where('deleted_at', 'is not', null).executeTakeFirst()) !== undefined) {
    return 'deleted';
  }
  const monitors = tx.selectFrom('monitors').select('id').where('workspace_id', '=', id).limit(1);
  if ((await monitors.executeTakeFirst()) !== undefined) return 'deleted';
  const channels = tx.selectFrom('channels').select('id').where('workspace_id', '=', id).limit(1);
  if ((await channels.executeTakeFirst()) !== undefined) return 'deleted';
  if ((await jobs.executeTakeFirst()) !== undefined) return 'executing';
  await tx.deleteFrom('keys').where('workspace_id', '=', id).execute();
  await tx.deleteFrom('workspaces').where('id', '=', id).execute();
  return 'nothing';
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
