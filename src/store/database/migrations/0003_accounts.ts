/** Accounts, which own workspaces and have a plan; what is known of the use of a key. */

import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { newId } from '../../../domain/id.ts';

/** Makes the table, and the default account, which owns every workspace that is there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(accounts).execute(db);
  const now = Date.now();
  const id = newId(now);
  await sql`insert into accounts (id, name, plan, created_at)
    values (${id}, 'default', 'self-hosted', ${now})`.execute(db);
  for (const statement of changes) await sql.raw(statement).execute(db);
  await sql`update workspaces set account_id = ${id}`.execute(db);
}

const accounts = `create table accounts (
  id text not null primary key,
  name text not null unique,
  plan text not null check (plan in ('free', 'pro', 'business', 'self-hosted')),
  expires_at bigint,
  on_trial smallint not null default 0 check (on_trial in (0, 1)),
  schedules text not null default 'on' check (schedules in ('on', 'off', 'resuming')),
  renewed_at bigint,
  created_at bigint not null,
  check (on_trial = 0 or expires_at is not null)
)`;

const changes = [
  // What renewing looks at each time: accounts whose jobs have no due times, or only some of them.
  `create index accounts_stopped on accounts (expires_at) where schedules <> 'on'`,

  // Never null; a column with a reference can only be added to rows as one that may be.
  `alter table workspaces add column account_id text references accounts (id)`,
  `alter table workspaces add column deleted_at bigint`,
  `create index workspaces_by_account on workspaces (account_id, id)`,
  `create index workspaces_deleted on workspaces (deleted_at) where deleted_at is not null`,

  // Jobs that count towards the quota, counted without reading them.
  `create index jobs_counted on jobs (workspace_id) where deleted_at is null`,

  `alter table keys add column last_used_at bigint`,
  `alter table keys add column expires_at bigint`,
  `create index keys_by_workspace on keys (workspace_id)`,
];
