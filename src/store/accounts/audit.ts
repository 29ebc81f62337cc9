/** Entries of the audit trail. They are never changed, only pruned. */

import type { AuditEntry } from '../../domain/accounts/audit.ts';
import type { Db } from '../database/open.ts';

/** Keeps entries. */
export async function insertAuditEntries(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ actor, subject, fields, workspaceId, forwardedFor, ...entry }) => ({
    ...entry,
    workspace_id: workspaceId,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    subject_id: subject.id,
    subject_name: subject.name,
    fields: fields.join(' '),
    forwarded_for: forwardedFor,
  }));
  await tx.insertInto('audit_entries').values(rows).execute();
}
