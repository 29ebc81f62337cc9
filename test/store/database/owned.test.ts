/** Deleted rows are removed with all rows that they own, and `ownedBy` is complete. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { findDeleted, ownedBy, removeDeleted } from '../../../src/store/database/owned.ts';
import type { DeletableTable } from '../../../src/store/database/owned.ts';
import { openTestStore } from '../../support/running/store.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

const tables = Object.keys(ownedBy) as DeletableTable[];

/** Not owned: rows of the outbox are removed when they are expanded. Deliveries and entries outlive their subject. */
const notOwned = new Set([
  'outbox.workspace_id',
  // Removed with its job.
  'runs.workspace_id',
  'outbox.subject_id',
  'deliveries.subject_id',
  'audit_entries.subject_id',
  // A repeated request is told that its subject was deleted.
  'made_once.subject_id',
]);

/** The owners that a column of this name refers to. */
const ownersByColumn: Record<string, DeletableTable[]> = {
  workspace_id: ['workspaces'],
  job_id: ['jobs'],
  monitor_id: ['monitors'],
  channel_id: ['channels'],
  subject_id: ['jobs', 'monitors'],
};

sqliteTest('every row that refers to a deletable row is removed with it', async (t) => {
  const { store } = await openTestStore(t);
  const { rows: columns } = await sql<{ table: string; name: string; target: string | null }>`
    select tables.name as "table", columns.name, refs."table" as target
    from sqlite_master as tables join pragma_table_info(tables.name) as columns
    left join pragma_foreign_key_list(tables.name) as refs on refs."from" = columns.name
    where tables.type = 'table'`.execute(store.db);
  const deletable = columns.filter(({ name }) => name === 'deleted_at');
  assert.deepEqual(deletable.map(({ table }) => table).toSorted(), tables.toSorted());
  const referring = columns
    .filter(({ table, name }) => !notOwned.has(`${table}.${name}`))
    .flatMap(({ table, name, target }) =>
      tables
        .filter((owner) => owner === target || ownersByColumn[name]?.includes(owner))
        .map((owner) => `${owner} ← ${table}.${name}`),
    );
  const listed = tables.flatMap((owner) =>
    ownedBy[owner].map(({ table, by }) => `${owner} ← ${table}.${by}`),
  );
  assert.deepEqual(listed.toSorted(), referring.toSorted());
});

test('an owner stays until its deleted rows are removed', async (t) => {
  const { store, addJob, workspaceId } = await openTestStore(t);
  const job = await addJob();
  await store.db
    .updateTable('jobs')
    .set({ deleted_at: 1, next_run_at: null })
    .where('id', '=', job.id)
    .execute();
  await store.db
    .updateTable('workspaces')
    .set({ deleted_at: 1 })
    .where('id', '=', workspaceId)
    .execute();
  assert.equal(await removeDeleted(store.db, 'workspaces', workspaceId, 5), 0);
  // With the record of its schedule.
  assert.equal(await removeDeleted(store.db, 'jobs', job.id, 5), 2);
  assert.equal(await removeDeleted(store.db, 'workspaces', workspaceId, 5), 1);
  assert.equal(await findDeleted(store.db, 'workspaces'), undefined);
});
