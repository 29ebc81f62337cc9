/** The audit trail as kysely sees it; `schema.ts` has the other tables. */

import type { Actor, AuditAction } from '../../domain/accounts/audit.ts';

export interface AuditEntryRow {
  workspace_id: string;
  /** Grows by one in a workspace. */
  number: number;
  at: number;
  actor_type: Actor['type'];
  actor_id: string;
  actor_name: string;
  address: string | null;
  forwarded_for: string | null;
  action: AuditAction;
  subject_id: string;
  subject_name: string;
  /** Names of changed fields, separated by spaces. */
  fields: string;
}
