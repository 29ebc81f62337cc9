/** The tables of sign-in and secrets: this installation, who serves it, what keys asked, where hints are heard, sessions, and codes that start one. */

export const signIn = [
  // One row.
  `create table instance (
     one smallint not null primary key check (one = 1),
     id text not null,
     site_url text,
     site_url_is_guess smallint not null default 0 check (site_url_is_guess in (0, 1)),
     untrusted_proxy text,
     max_bytes bigint,
     early_results bigint not null default 0,
     early_pings bigint not null default 0,
     early_at bigint
   )`,

  `create table nodes (
     id text not null primary key,
     host text not null,
     pid bigint not null,
     version text not null,
     started_at bigint not null,
     serving_since bigint not null,
     served_until bigint,
     expires_at bigint not null,
     renewals bigint not null default 0,
     clock_lead_ms bigint not null default 0,
     slots bigint not null,
     settings text not null,
     master_keys text not null,
     calls bigint not null default 0,
     is_draining smallint not null default 0 check (is_draining in (0, 1)),
     lateness text not null default '[]',
     lost_at bigint,
     lost_calls bigint not null default 0,
     lost_outcomes bigint not null default 0,
     ended_at bigint,
     end_reason text check (end_reason in ('stopped', 'silent')),
     check ((ended_at is null) = (end_reason is null))
   )`,
  `create index nodes_by_end on nodes (ended_at)`,

  // The times of the last admitted requests of a key, in microseconds. Each row has room for its next version on its page.
  `-- in PostgreSQL
   create unlogged table admissions (
     key_id text not null primary key references keys (id) on delete cascade,
     times bigint[] not null
   ) with (fillfactor = 40)`,

  // One row: where processes hear each other's hints. Whoever can read the name can tell and hear them.
  `-- in PostgreSQL
   create table hint_channel (
     one smallint not null primary key check (one = 1),
     name text not null
   )`,
  `-- in PostgreSQL
   insert into hint_channel values (1, 'jobd_' || replace(gen_random_uuid()::text, '-', ''))`,

  // Pictures of a state, known by their tokens.
  `create table badges (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     name text not null, selector text,
     sha256 text not null unique, created_at bigint not null
   )`,
  `create index badges_by_workspace on badges (workspace_id, id)`,

  `create table sessions (
     id text not null primary key,
     workspace_id text not null references workspaces (id),
     sha256 text not null unique,
     name text not null,
     permission text not null check (permission in ('read', 'write')),
     is_owner smallint not null check (is_owner in (0, 1)),
     key_id text references keys (id),
     created_at bigint not null,
     last_seen_at bigint not null,
     expires_at bigint not null,
     check (is_owner = 0 or (permission = 'write' and key_id is null))
   )`,
  `create index sessions_by_workspace on sessions (workspace_id, id)`,
  `create index sessions_by_key on sessions (key_id, id) where key_id is not null`,
  `create index sessions_by_expiry on sessions (expires_at)`,

  // A code is removed when it is used.
  `create table sign_in_codes (
     sha256 text not null primary key,
     workspace_id text not null references workspaces (id),
     permission text not null check (permission in ('read', 'write')),
     is_owner smallint not null check (is_owner in (0, 1)),
     expires_at bigint not null
   )`,
  `create index sign_in_codes_by_workspace on sign_in_codes (workspace_id)`,
  `create index sign_in_codes_by_expiry on sign_in_codes (expires_at)`,

  // By requests with an Idempotency-Key.
  `create table made_once (
     workspace_id text not null references workspaces (id),
     key_sha256 text not null,
     request_mac text not null,
     subject_id text not null,
     made_at bigint not null,
     primary key (workspace_id, key_sha256)
   )`,
  `create index made_once_of_workspace on made_once (workspace_id, made_at)`,
  `create index made_once_by_time on made_once (made_at)`,
];

/** The master keys, and what the URLs of reports are made with. */
export const secrets = [
  // Ids alone: the keys are not in the database.
  `create table master_keys (
     key_id text not null primary key,
     created_at bigint not null,
     retired_at bigint
   )`,
  // One key seals at a time.
  `create unique index master_keys_active on master_keys ((retired_at is null))
     where retired_at is null`,

  // What the URLs of reports are made with; the newest one.
  `create table report_keys (
     id text not null primary key,
     created_at bigint not null,
     sealed text not null
   )`,
];
