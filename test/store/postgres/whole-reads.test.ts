/** Few rows among thousands are looked up by their keys, however many the server expects. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { idList } from '../../../src/store/database/dialect.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();

/** After five executions the server plans once for all values. */
const executions = 8;

/** More jobs, as copies of one: enough for the server to plan with, too few for every plan to be right. */
async function addCopies(db: Db, id: string, count: number): Promise<void> {
  const { rows } = await sql<{ columns: string }>`
    select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
    where table_name = 'jobs' and table_schema = 'jobd' and is_generated = 'NEVER' and column_name <> 'id'`.execute(
    db,
  );
  const columns = sql.raw(rows[0]?.columns ?? '');
  await sql`insert into jobs (id, ${columns}) select 'copy ' || place, ${columns}
    from jobs, generate_series(1, ${count}::bigint) as place where id = ${id}`.execute(db);
  await sql`analyze`.execute(db);
}

/** Lets some of them have a call under way, which the server does not learn of. */
async function occupy(db: Db): Promise<void> {
  await sql`update jobs set active_run_id = 'run of ' || id, active_for = 1, active_since = 1
    where id like 'copy 1___'`.execute(db);
}

interface Reads {
  /** How often all jobs were read. */
  whole: number;
  /** How many were found by indexes. */
  found: number;
}

/** What a transaction reads of the jobs while it works. */
async function readsOf(tx: Db, work: () => Promise<void>): Promise<Reads> {
  const read = async (): Promise<Reads> => {
    const { rows } = await sql<Reads>`
      select seq_scan as whole, idx_tup_fetch as found
      from pg_stat_xact_user_tables where relname = 'jobs'`.execute(tx);
    return rows[0] ?? assert.fail('no table');
  };
  const before = await read();
  await work();
  const after = await read();
  return { whole: after.whole - before.whole, found: after.found - before.found };
}

test(
  'a claim, a record and a search for ids read the jobs that they are about',
  { skip },
  async (t) => {
    const { store, workspaceId, addJob } = await openTestStore(t, await newDatabase());
    const { id } = await addJob();
    await addCopies(store.db, id, 2_000);
    await occupy(store.db);
    for (let at = 1; at <= executions; at += 1) {
      const run = startingRun(`copy ${at}`, at);
      const ended = endedRun({ ...run, runId: run.id, workspaceId }, 'success');
      const execution = {
        ended,
        claimed: { workspaceId, health: 'up' as const, failures: 0, scheduledFor: at },
      };
      await store.write(async (tx) => {
        const reads = await readsOf(tx, async () => {
          await beginRuns(tx, run);
          const recorded = await recordBatch(tx, { executions: [execution] }, { receipts: true });
          assert.deepEqual(recorded.ended, [execution]);
          const found = await sql`select 1 from jobs where id in ${idList([id])}`.execute(tx);
          assert.equal(found.rows.length, 1);
        });
        assert.equal(reads.whole, 0, `whole reads of execution ${at}`);
        assert.ok(reads.found < 20, `execution ${at} reads ${reads.found} jobs`);
        const all = await readsOf(tx, async () => {
          await sql`select count(*) from jobs where notes <> 'other'`.execute(tx);
        });
        assert.equal(all.whole, 1, 'a whole read is counted');
      });
    }
  },
);
