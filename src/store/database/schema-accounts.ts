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
  run_id: string | null;
  /** How many equal updates within a minute it stands for. */
  count: number;
  /** A key and its sessions are one group: the id of the key. */
  actor_group: string;
  /** Grows by one in a group, and in a day of a group. */
  actor_number: number;
  actor_day_number: number;
}

/** What a request with an `Idempotency-Key` made. */
export interface MadeOnceRow {
  workspace_id: string;
  /** SHA-256 of the key, in hexadecimal. */
  key_sha256: string;
  /** HMAC-SHA-256 of the request with the key, in hexadecimal. */
  request_mac: string;
  subject_id: string;
  made_at: number;
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
  /** The address of a proxy on the machine of the daemon that it was not told to trust; null if it has seen none. */
  untrusted_proxy: Generated<string | null>;
  /** The largest size that the operator allows the database; null without one. */
  max_bytes: Generated<number | null>;
  /** What was removed before its time, for want of space, and when last. */
  early_results: Generated<number>;
  early_pings: Generated<number>;
  early_at: Generated<number | null>;
}

/** A process that serves a database on a server; a file has a lock instead. All times are by the clock of the database. */
export interface NodeRow {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  /** Since when there always was a live node. */
  serving_since: number;
  /** When one was last seen to serve before; null if that is not known. */
  served_until: number | null;
  /** When its lease ends. */
  expires_at: number;
  /** How often its lease was renewed. */
  renewals: Generated<number>;
  /** How far its machine's clock is ahead of the database's. */
  clock_lead_ms: Generated<number>;
  /** The most calls in flight, and how many there were at its last renewal. */
  slots: number;
  calls: Generated<number>;
  /** Whether it begins nothing more and stops when its calls have ended. */
  is_draining: Generated<number>;
  /** How late its runs began in the last hour: how often each number of milliseconds was seen, as JSON. */
  lateness: Generated<string>;
  /** When it found that the database lost what it had confirmed, and how many of its calls and outcomes were among that. */
  lost_at: Generated<number | null>;
  lost_calls: Generated<number>;
  lost_outcomes: Generated<number>;
  /** What all nodes should have in common: values by the names of their options, as JSON. */
  settings: string;
  /** Ids of the master keys that it has, as JSON. */
  master_keys: string;
  ended_at: Generated<number | null>;
  /** Whether it stopped, or was declared gone since it did not renew its lease. */
  end_reason: Generated<'stopped' | 'silent' | null>;
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
