/** The tables of accounts: workspaces, their keys, and what was changed by whom. */

import { oneOf } from '../one-of.ts';

export const accounts = [
  `create table accounts (
     id text not null primary key,
     name text not null unique,
     plan text not null check ${oneOf('plan', 'free', 'pro', 'business', 'self-hosted')},
     expires_at bigint,
     on_trial smallint not null default 0 check (on_trial in (0, 1)),
     schedules text not null default 'on' check ${oneOf('schedules', 'on', 'off', 'resuming')},
     renewed_at bigint,
     created_at bigint not null,
     check (on_trial = 0 or expires_at is not null)
   )`,
  // Accounts whose jobs have no due times, or only some of them.
  `create index accounts_stopped on accounts (expires_at) where schedules <> 'on'`,

  `create table workspaces (
     id text not null primary key,
     name text not null unique,
     account_id text not null references accounts (id),
     created_at bigint not null,
     deleted_at bigint, windows text
   )`,
  `create index workspaces_by_account on workspaces (account_id, id)`,
  // Whether there are several: the log then names them.
  `create index workspaces_kept on workspaces (created_at) where deleted_at is null`,
  `create index workspaces_deleted on workspaces (deleted_at) where deleted_at is not null`,

  `create table keys (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null,
     permission text not null check (permission in ('read', 'write')),
     sha256 text not null unique,
     created_at bigint not null,
     last_used_at bigint,
     expires_at bigint,
     revoked_at bigint
   )`,
  `create index keys_by_workspace on keys (workspace_id, id)`,

  // Names and ids are copies: an entry outlives its actor and its subject.
  `create table audit_entries (
     workspace_id text not null references workspaces (id),
     number bigint not null,
     at bigint not null,
     actor_type text not null check ${oneOf('actor_type', 'key', 'session', 'command')},
     actor_id text not null,
     actor_name text not null,
     address text,
     forwarded_for text,
     action text not null,
     subject_id text not null,
     subject_name text not null,
     fields text not null,
     run_id text,
     count bigint not null default 1,
     actor_group text not null,
     actor_number bigint not null,
     actor_day_number bigint not null,
     primary key (workspace_id, number)
   )`,
  `create index audit_by_actor on audit_entries (workspace_id, actor_group, actor_number)`,
  `create index audit_by_subject on audit_entries (workspace_id, subject_id, number)`,
  `create index audit_by_time on audit_entries (at)`,
];
