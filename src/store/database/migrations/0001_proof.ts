/** The tables of proof: keys that sign receipts and calls, and the receipts. */

export const receipts = [
  `create table signing_keys (
     key_id text not null primary key,
     public_key text not null,
     sealed text,
     created_at bigint not null,
     retired_at bigint,
     check ((sealed is null) = (retired_at is not null))
   )`,
  // One key signs at a time.
  `create unique index signing_keys_active on signing_keys ((retired_at is null))
     where retired_at is null`,

  `create table call_keys (
     key_id text not null primary key,
     algorithm text not null check (algorithm in ('EdDSA', 'RS256')),
     public_jwk text not null,
     sealed text,
     created_at bigint not null,
     signs_from bigint not null,
     retired_at bigint,
     published_until bigint,
     check ((retired_at is null) = (published_until is null)),
     check (sealed is not null or retired_at is not null)
   )`,
  // One key of an algorithm is the last one.
  `create unique index call_keys_last on call_keys (algorithm) where retired_at is null`,

  // In canonical form, byte for byte as they are handed out.
  `create table receipts (
     run_id text not null primary key references runs (id) on delete cascade,
     receipt text not null
   )`,
];
