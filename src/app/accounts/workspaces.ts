/** Workspaces: made, listed and deleted by those who may open the store. */

import { checkName, type Workspace } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { Db } from '../../store/database/store.ts';
import { lockAccountOf } from '../../store/accounts/accounts.ts';
import * as workspaces from '../../store/accounts/workspaces.ts';
import { requireAccountNamed } from './accounts.ts';
import type { Ground } from '../app.ts';
import { changeBy, commandIn, type CommandParts } from '../change.ts';

/** Makes a workspace. Throws `invalid_input`, `not_found` for an unknown account, `conflict` if the name is taken. */
export async function createWorkspace(
  parts: CommandParts,
  { name, account }: { name: string; account: string },
): Promise<Workspace> {
  checkName(name);
  const now = parts.clock.now();
  const id = newId(now);
  return await changeBy(parts, commandIn(parts, id), async (tx, note) => {
    const { id: accountId } = await requireAccountNamed(tx, account);
    if ((await workspaces.findWorkspace(tx, name)) !== undefined) {
      throw new JobdError('conflict', `there is a workspace named ${name} already`);
    }
    const workspace = { id, name, accountId, createdAt: now };
    await workspaces.insertWorkspace(tx, workspace);
    note({ action: 'workspace.create', subject: workspace });
    return workspace;
  });
}

/** Every workspace with the name of its account, oldest first. */
export async function listWorkspaces({ store }: Pick<Ground, 'store'>) {
  return await workspaces.listWorkspaces(store.db);
}

/** The workspace of this name. Throws `not_found`. */
export async function requireWorkspaceNamed(db: Db, name: string): Promise<Workspace> {
  const workspace = await workspaces.findWorkspace(db, name);
  if (workspace !== undefined) return workspace;
  throw new JobdError('not_found', `there is no workspace named ${name}`);
}

/**
 * Deletes a workspace with all it owns. It is gone at once; calls in flight go on. Its rows are removed later, in small
 * steps. Throws `not_found`, and `conflict` for the default workspace.
 */
export async function deleteWorkspace({ store, clock }: CommandParts, name: string): Promise<void> {
  if (name === workspaces.defaultWorkspace) {
    throw new JobdError('conflict', 'the default workspace cannot be deleted');
  }
  await store.write(async (tx) => {
    const { id } = await requireWorkspaceNamed(tx, name);
    // What people add at the same time is deleted too, or refused.
    await lockAccountOf(tx, id);
    await workspaces.markWorkspaceDeleted(tx, id, clock.now());
  });
}
