/** Poolers such as PgBouncer, which lend each transaction any connection of the server: prepared statements are not where they were. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { findDueJobs, updateClaimedJobs } from '../../../src/store/runs/claims.ts';
import { Names } from '../../../src/store/postgres/connections/names.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { makeDatabase } from '../../support/postgres/database.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { noPostgres, postgresOfFile } from '../../support/postgres/server.ts';
import { openTestStore } from '../../support/running/store.ts';

const missing = noPostgres() ?? false;
const server = postgresOfFile();
const newDatabase = async () => await makeDatabase((await server.started()).url);
const future = Date.parse('2100-01-01T00:00:00Z');
const anyJob = { limit: 1_000, exceptHosts: [], exceptJobs: [] };

/** What a claim does: it finds due jobs, and moves them to this due time. Returns how many. */
async function moveDueJobs(db: Db, now: number, nextRunAt: number): Promise<number> {
  const due = await findDueJobs(db, now, anyJob);
  const none = { activeRunId: null, activeFor: null, startedAt: null, nodeId: null };
  const moved = { nextRunAt, claimedUpTo: null, ...none, missed: 1 };
  await updateClaimedJobs(
    db,
    due.map(({ job }) => ({ ...moved, id: job.id })),
  );
  return due.length;
}

test(
  'through PgBouncer in transaction mode, everything is found and stored',
  { skip: missing || noPgbouncer },
  async (t) => {
    const url = await newDatabase();
    const { store, workspaceId, addJob } = await openTestStore(t, await startPgbouncer(t, url));
    const added = await Promise.all(Array.from({ length: 20 }, () => addJob()));
    for (let round = 0; round < 5; round += 1) {
      const asked = added.map(({ id }) => findJob(store.db, workspaceId, id));
      const written = added.map(({ id }) =>
        store.write(async (tx) => {
          await tx
            .updateTable('jobs')
            .set((job) => ({ total_failed: job('total_failed', '+', 1) }))
            .where('id', '=', id)
            .execute();
          return await findJob(tx, workspaceId, id);
        }),
      );
      const found = await Promise.all([...asked, ...written]);
      assert.deepEqual(
        found.map((job) => job?.id),
        [...added, ...added].map(({ id }) => id),
      );
    }
    const moved = await store.write((tx) => moveDueJobs(tx, future, future + 1));
    assert.equal(moved, added.length);
    const jobs = await store.db.selectFrom('jobs').selectAll().execute();
    for (const job of jobs) {
      assert.deepEqual(
        [job.total_failed, job.total_missed, job.next_run_at],
        [5, 1, future + 1],
        'each was changed once in each round',
      );
    }
  },
);

/** What a pooler may do to the connections of a store. */
const surprises = [
  {
    what: 'is not known to its connection any more',
    surprise: async (db: Db) => void (await sql`deallocate all`.execute(db)),
  },
  {
    what: 'is known to its connection already',
    surprise: async (db: Db) => {
      const { rows } = await sql<{ name: string; statement: string }>`
        select name, statement from pg_prepared_statements
        where name <> '' and statement not like '%search_path%'`.execute(db);
      assert.ok(rows.length > 0, 'it was prepared');
      // Every other connection gets them, as if another client had prepared them.
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db).catch(() => {});
      for (const { name, statement } of rows) {
        await sql`${sql.raw(`prepare "${name}" as ${statement}`)}`.execute(db);
      }
    },
  },
];

for (const { what, surprise } of surprises) {
  test(`a statement that ${what} is asked again`, { skip: missing }, async (t) => {
    const url = await newDatabase();
    const { store, workspaceId, addJob } = await openTestStore(t, url);
    const { id } = await addJob();
    assert.equal((await findJob(store.db, workspaceId, id))?.id, id);
    await surprise(store.db);
    assert.equal((await findJob(store.db, workspaceId, id))?.id, id);
    assert.equal(await preparedIn(store.db), 0, 'from then on nothing is prepared');
  });

  test(`a transaction with a statement that ${what} begins again`, { skip: missing }, async (t) => {
    const url = await newDatabase();
    const { store, addJob } = await openTestStore(t, url);
    await addJob();
    await store.write((tx) => moveDueJobs(tx, future, future));
    await surprise(store.db);
    let tries = 0;
    const moved = await store.write(async (tx) => {
      tries += 1;
      await tx.updateTable('jobs').set({ total_failed: tries }).execute();
      return await moveDueJobs(tx, future, future + tries);
    });
    assert.deepEqual([moved, tries], [1, 2]);
    const job = await store.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([job.next_run_at, job.total_missed, job.total_failed], [future + 2, 2, 2]);
    assert.equal(await preparedIn(store.db), 0, 'from then on nothing is prepared');
  });
}

/** How many named statements the connection has that is lent now. */
async function preparedIn(db: Db): Promise<number> {
  await sql`deallocate all`.execute(db);
  await findDueJobs(db, 0, anyJob);
  const { rows } = await sql`select 1 from pg_prepared_statements where name <> ''`.execute(db);
  return rows.length;
}

test('the name of a statement says its text', () => {
  const [one, other] = [new Names(), new Names()];
  assert.equal(one.of('select 1'), other.of('select 1'));
  assert.notEqual(one.of('select 1'), one.of('select 2'));
  assert.ok((one.of('select 1') ?? '').length < 64, 'PostgreSQL cuts longer ones');
  one.giveUp();
  assert.equal(one.of('select 1'), undefined);
  assert.notEqual(other.of('select 1'), undefined);
});
