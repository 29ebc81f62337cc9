/** The audit trail and sign-in as kysely sees them; `schema.ts` has the other tables. */

import type { Generated } from 'kysely';
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

/** This installation: one row. */
export interface InstanceRow {
  one: 1;
  /** In the name of its cookies, since browsers share cookies between ports. */
  id: string;
  /** Where people reach the daemon that runs; null until it listens. */
  site_url: string | null;
  /** 1 if the daemon listens on all addresses, and nobody said by which URL people reach it. */
  site_url_is_guess: Generated<0 | 1>;
}

/** A process that serves a database on a server. Empty where that is a file, which has a lock. */
export interface NodeRow {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  /** When its lease ends, by the clock of the database. */
  expires_at: number;
}

export interface SessionRow {
  id: string;
  workspace_id: string;
  /** SHA-256 of the cookie's value, in hexadecimal; the value itself is not kept. */
  sha256: string;
  name: string;
  permission: 'read' | 'write';
  is_owner: number;
  key_id: string | null;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
}

export interface SignInCodeRow {
  /** SHA-256 of the code, in hexadecimal; the code itself is not kept. */
  sha256: string;
  workspace_id: string;
  permission: 'read' | 'write';
  is_owner: number;
  expires_at: number;
}
