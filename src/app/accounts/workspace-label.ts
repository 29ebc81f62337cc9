import { findWorkspaceLabels } from '../../store/database/workspace-label.ts';
import type { Ground } from '../app.ts';

/** The name of a workspace; null while it is the only one, or if the store cannot be read. Never rejects. */
export async function workspaceLabel(
  { store }: Pick<Ground, 'store'>,
  id: string,
): Promise<string | null> {
  try {
    return (await findWorkspaceLabels(store.db, [id])).get(id) ?? null;
  } catch {
    return null; // the line is written anyway
  }
}
