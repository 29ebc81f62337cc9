/** A data directory as a storm finds it, written through the store, and what the store holds after it. */

import { newId } from '../src/domain/id.ts';
import { defineJob } from '../src/domain/job-input.ts';
import { parseAllowTargets } from '../src/domain/target.ts';
import { insertJob } from '../src/store/jobs.ts';
import { openLocal } from '../src/daemon.ts';
import { originOf } from './hosts.ts';
import { sealJob } from '../src/domain/sealed-job.ts';
import { activeMasterKeyId } from '../src/store/master-keys.ts';
import { openStore } from '../src/store/open.ts';
import type { Store } from '../src/store/open.ts';
import { isOpen } from '../src/store/runs.ts';
import { defaultWorkspace, findWorkspace } from '../src/store/workspaces.ts';

/** What `--allow-target` takes, so that the sink may be called. */
export const sinkTarget = '127.0.0.1/32:*';

const periodSeconds = 86_400;

/** What has to be sealed, opened and looked for in the answers. */
const secretRequest = {
  method: 'POST',
  headers: { Authorization: `Bearer ${'0123456789abcdef'.repeat(4)}`, 'X-Tenant': 'tenant-4711' },
  body: JSON.stringify({ report: 'daily', rows: Array.from({ length: 100 }, (_, row) => row) }),
} as const;

/** The jobs to keep: `count` of them, which call `ORIGIN/PREFIX/1` and so on, or so many hosts in turn. */
export interface Batch {
  prefix: string;
  count: number;
  hosts?: number;
}

/** Keeps jobs that are not due before tomorrow. */
export async function keepJobs(
  dataDir: string,
  origin: string,
  batches: readonly Batch[],
  { secrets }: { secrets: boolean } = { secrets: false },
): Promise<void> {
  await using local = await openLocal(dataDir);
  const { store } = local;
  const vault = await local.openVault();
  const now = Date.now();
  const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
  const allowTargets = parseAllowTargets([sinkTarget]);
  await store.write(async (tx) => {
    for (const { prefix, count, hosts = 0 } of batches) {
      for (let number = 1; number <= count; number += 1) {
        const url = `${originOf(origin, hosts, number)}/${prefix}/${number}`;
        const every = { scheduleType: 'period', periodSeconds } as const;
        const input = { name: prefix, url, ...every, ...(secrets && secretRequest) };
        const job = defineJob(input, { id: newId(now), workspaceId, now, allowTargets });
        await insertJob(tx, await sealJob(job, vault, () => activeMasterKeyId(tx)));
      }
    }
  });
}

/** Makes the jobs of a batch due at this instant, and a day later again. */
export async function makeDue(dataDir: string, prefix: string, dueAt: number): Promise<void> {
  await using store = await openStore(dataDir);
  await store.write((tx) =>
    tx
      .updateTable('jobs')
      .set({ anchor_at: dueAt - periodSeconds * 1_000, next_run_at: dueAt })
      .where('name', '=', prefix)
      .execute(),
  );
}

/** Whether every job that was due at this instant has a run, and every run is over. */
export async function isOver({ db }: Store, dueAt: number): Promise<boolean> {
  const open = await db.selectFrom('runs').select('id').where(isOpen).limit(1).executeTakeFirst();
  if (open !== undefined) return false;
  const due = await db
    .selectFrom('jobs')
    .select('id')
    .where('next_run_at', '<=', dueAt)
    .where('active_run_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return due === undefined;
}

/** A run as the store recorded it, with the path its job calls. */
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
