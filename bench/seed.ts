/** Data directories for the benchmarks, written through the store, and what the store holds afterwards. */

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { sql } from 'kysely';
import { databaseOf, openTestLocal } from '../test/support/running/local.ts';
import { ensureCallKey } from '../src/app/proof/call-keys.ts';
import { systemClock } from '../src/domain/clock.ts';
import { newId } from '../src/domain/id.ts';
import { defineJob } from '../src/domain/jobs/job-input.ts';
import { sendsToken, type SignKind } from '../src/domain/jobs/sign.ts';
import type { Key } from '../src/domain/accounts/key.ts';
import { defineMonitor } from '../src/domain/monitors/monitor-input.ts';
import { sealJob } from '../src/domain/secrets/sealed-job.ts';
import { parseAllowTargets } from '../src/domain/targets/target.ts';
import { insertJob } from '../src/store/jobs/jobs.ts';
import { insertKey } from '../src/store/accounts/keys.ts';
import { activeMasterKeyId } from '../src/store/secrets/master-keys.ts';
import { insertMonitor } from '../src/store/monitors/monitors.ts';
import { openStore } from '../src/store/open.ts';
import type { Db, Store } from '../src/store/database/store.ts';
import { defaultWorkspace, findWorkspace } from '../src/store/accounts/workspaces.ts';
import { originOf, sinkTarget } from './target.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** How often a key is used in the life of a server; a key may ask 120 times a minute. */
const requestsPerKey = 100;
/** The length of a usual receipt. */
const receiptCharacters = 1_000;

/** What has to be sealed, opened and looked for in the answers. */
const secretRequest = {
  method: 'POST',
  headers: { Authorization: `Bearer ${'0123456789abcdef'.repeat(4)}`, 'X-Tenant': 'tenant-4711' },
  body: JSON.stringify({ report: 'daily', rows: Array.from({ length: 100 }, (_, row) => row) }),
} as const;

/** `count` jobs with the name PREFIX that call `ORIGIN/PREFIX/1` and so on, or names of the target in turn. */
export interface Batch {
  prefix: string;
  count: number;
  hosts?: number;
}

/** Keeps jobs that are due tomorrow. */
export async function seedJobs(
  dataDir: string,
  origin: string,
  batches: readonly Batch[],
  { secrets, sign = null }: { secrets: boolean; sign?: SignKind | null } = { secrets: false },
): Promise<void> {
  await using local = await openTestLocal(dataDir);
  const { store } = local;
  const vault = await local.openVault();
  const now = Date.now();
  const workspaceId = await workspaceOf(store);
  const allowTargets = parseAllowTargets([sinkTarget]);
  const audience = sendsToken(sign) ? 'https://target.example.com' : null;
  await store.write(async (tx) => {
    await ensureCallKey({ vault, clock: systemClock }, tx, sign);
    for (const { prefix, count, hosts = 0 } of batches) {
      for (let number = 1; number <= count; number += 1) {
        const url = `${originOf(origin, hosts, number)}/${prefix}/${number}`;
        const every = { scheduleType: 'period', periodSeconds: dayMs / 1_000 } as const;
        const input = {
          name: prefix,
          url,
          ...every,
          ...(secrets && secretRequest),
          sign,
          audience,
        };
        const job = defineJob(input, { id: newId(now), workspaceId, now, allowTargets });
        await insertJob(tx, await sealJob(job, vault, () => activeMasterKeyId(tx)));
      }
    }
  });
}

async function workspaceOf({ db }: Store): Promise<string> {
  return (await findWorkspace(db, defaultWorkspace))?.id ?? '';
}

/** A store that is asked for things. */
export interface Seed {
  dataDir: string;
  /** Keys of the default workspace that may write. */
  keys: string[];
  jobIds: string[];
  pingIds: string[];
}

/** Fills a new data directory: jobs that call `ORIGIN/job/N`, monitors, and keys for this number of requests. */
export async function seedStore(
  dataDir: string,
  wanted: { origin: string; jobs: number; requests: number; monitors?: number },
): Promise<Seed> {
  const { origin, jobs, requests, monitors = 0 } = wanted;
  await seedJobs(dataDir, origin, [{ prefix: 'job', count: jobs }]);
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const keys: string[] = [];
  for (let left = requests; left > 0; left -= requestsPerKey) keys.push(await keepKey(store));
  const pingIds = await keepMonitors(store, monitors);
  const rows = await store.db.selectFrom('jobs').select('id').execute();
  return { dataDir, keys, jobIds: rows.map(({ id }) => id), pingIds };
}

/** Writes past the rule of 20 keys an account, because a benchmark needs more. */
async function keepKey(store: Store): Promise<string> {
  const now = Date.now();
  const secret = `cp_${randomBytes(32).toString('hex')}`;
  const workspaceId = await workspaceOf(store);
  const given = { id: newId(now), workspaceId, name: 'bench', createdAt: now };
  const key = { ...given, permission: 'write', lastUsedAt: null, expiresAt: null, revokedAt: null };
  await insertKey(store.db, key as Key, createHash('sha256').update(secret).digest('hex'));
  return secret;
}

async function keepMonitors(store: Store, count: number): Promise<string[]> {
  const workspaceId = await workspaceOf(store);
  const now = Date.now();
  const pingIds = Array.from({ length: count }, () => randomUUID());
  await store.write(async (tx) => {
    for (const pingId of pingIds) {
      const input = { name: 'task', scheduleType: 'period', periodSeconds: 3_600 } as const;
      await insertMonitor(tx, defineMonitor(input, { id: newId(now), workspaceId, pingId, now }));
    }
  });
  return pingIds;
}

/** Fills a new data directory with jobs and a long history of their runs. */
export async function seedHistory(
  dataDir: string,
  wanted: { origin: string; jobs: number; runs: number; requests: number },
): Promise<Seed> {
  const seed = await seedStore(dataDir, wanted);
  await addHistory(dataDir, wanted.runs);
  return seed;
}

/** Gives the jobs of a file this number of runs, as if each had been called once a minute until two days ago, by a few large statements. */
export async function addHistory(dataDir: string, runs: number): Promise<void> {
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const { jobs } = await store.db
    .selectFrom('jobs')
    .select((of) => of.fn.countAll<number>().as('jobs'))
    .executeTakeFirstOrThrow();
  const everyMs = minuteMs / jobs;
  // The ledger, which is checked for the last day, knows of no schedule by which they were due.
  const lastAt = Date.now() - 2 * dayMs;
  await store.write(async (tx) => {
    await sql`create temp table numbered as
      select id as job_id, workspace_id, row_number() over (order by id) - 1 as number from jobs`.execute(
      tx,
    );
    await sql`create unique index temp.by_number on numbered (number)`.execute(tx);
    await sql`
      with recursive past (number) as (
        select 0 union all select number + 1 from past where number < ${runs - 1})
      insert into runs (id, job_id, workspace_id, source, status, scheduled_for, started_at, finished_at,
        attempts, http_status, duration_ms, response_body)
      select printf('%08x-%04x-7000-8000-%012x', at / 65536, at % 65536, past.number),
        job_id, workspace_id, 'scheduled', 'success', at, at + 2, at + 5, 1, 200, 3, 'ok'
      from (select number,
        cast(${lastAt} - (${runs} - number) * ${everyMs} as integer) as at from past) as past
      cross join numbered on numbered.number = past.number % ${jobs}`.execute(tx);
    await sql`insert into receipts (run_id, receipt)
      select id, hex(zeroblob(${receiptCharacters / 2})) from runs order by rowid`.execute(tx);
    await sql`drop table temp.numbered`.execute(tx);
    await sql`update jobs set total_success =
      (select count(*) from runs where job_id = jobs.id)`.execute(tx);
  });
}

/** Copies a seeded data directory that nobody has open. */
export function copyStore(dataDir: string, to: string): string {
  cpSync(dataDir, to, { recursive: true });
  return to;
}

/** Makes the jobs of a batch due at this instant, and again after a day or a period. */
export async function makeDue(
  dataDir: string,
  prefix: string,
  dueAt: number,
  periodMs = dayMs,
): Promise<void> {
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  await store.write(async (tx) => {
    await tx
      .updateTable('jobs')
      .set({
        period_seconds: periodMs / 1_000,
        anchor_at: dueAt - periodMs,
        next_run_at: dueAt,
      })
      .where('name', '=', prefix)
      .execute();
    await noteSchedules(tx);
  });
}

/** Makes all jobs due once a minute from an instant on, spread over the minute. */
export async function makePeriodic(dataDir: string, fromAt: number): Promise<void> {
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  await store.write(async (tx) => {
    await sql`update jobs set period_seconds = 60, next_run_at = cast(${fromAt} as bigint) + planned.at,
        anchor_at = cast(${fromAt - minuteMs} as bigint) + planned.at
      from (select id, cast((row_number() over (order by id) - 1) * ${minuteMs} * 1.0
        / count(*) over () as integer) as at from jobs) as planned
      where jobs.id = planned.id`.execute(tx);
    await noteSchedules(tx);
  });
}

/** Else the ledger would find runs that were not due. */
async function noteSchedules(tx: Db): Promise<void> {
  await sql`update schedule_spans set period_seconds = jobs.period_seconds, anchor_at = jobs.anchor_at
    from jobs where jobs.id = schedule_spans.job_id`.execute(tx);
}

/** Whether every job that was due at this instant has a run, and every run has ended. */
export async function isOver({ db }: Store, dueAt: number): Promise<boolean> {
  const left = await db
    .selectFrom('jobs')
    .select('id')
    .where((of) => of.or([of('next_run_at', '<=', dueAt), of('active_run_id', 'is not', null)]))
    .limit(1)
    .executeTakeFirst();
  return left === undefined;
}

/** A run as it was recorded, with the path that its job calls. */
export interface RecordedRun {
  id: string;
  path: string;
  status: string;
}

/** The runs of one due instant. */
export async function recordedRuns({ db }: Store, dueAt: number): Promise<RecordedRun[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .select(['runs.id', 'runs.status', 'jobs.url'])
    .where('scheduled_for', '=', dueAt)
    .execute();
  return rows.map(({ id, status, url }) => ({ id, status, path: new URL(url).pathname }));
}

/** How long after their due times the runs due in a range started, in milliseconds. */
export async function latenessBetween({ db }: Store, from: number, to: number): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select((of) => of('started_at', '-', of.ref('scheduled_for')).as('latenessMs'))
    .where('scheduled_for', '>=', from)
    .where('scheduled_for', '<', to)
    .where('started_at', 'is not', null)
    .execute();
  return rows.map(({ latenessMs }) => Number(latenessMs));
}

/** The number of pings in a store that nobody has open. */
export async function countPings(dataDir: string): Promise<number> {
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  const { pings } = await store.db
    .selectFrom('pings')
    .select((of) => of.fn.countAll<number>().as('pings'))
    .executeTakeFirstOrThrow();
  return pings;
}
