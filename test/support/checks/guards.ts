/**
 * Tests of conditions that guard rare states: a row is found, and is not found any more after one change of it or of a row that
 * it depends on. What finds may also write: whether it changed the row is what it found.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Schema } from '../../../src/store/database/schema.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { noRun } from '../../../src/store/runs/ended.ts';
import { seedRareStates } from '../records/rare-states.ts';
import { openTestStore } from '../running/store.ts';

/** Returns what it found: nothing is a false value, 0, or what is empty. */
type Find = (tx: Db) => Promise<unknown>;

/** Brings about a state in which nothing is to be found. */
export type Change = (tx: Db) => Promise<unknown>;

/** Promises, each with what finds and all changes of which each one alone hides. */
export type Guards = Readonly<Record<string, readonly [find: Find, ...hide: Change[]]>>;

/** Tests each of these on the rows of `seedRareStates`, in transactions that are rolled back. */
export function testGuards(guards: Guards): void {
  test('rare states', async (t) => {
    const { store } = await openTestStore(t);
    await store.write(seedRareStates);
    for (const [promise, [find, ...changes]] of Object.entries(guards)) {
      await t.test(promise, async () => {
        assert.equal(await isFoundAfter(store, find, async () => {}), true, 'as it is');
        for (const [index, change] of changes.entries()) {
          const isFound = await isFoundAfter(store, find, change);
          assert.equal(isFound, false, `after change ${index + 1} of ${changes.length}`);
        }
      });
    }
  });
}

async function isFoundAfter(store: Store, find: Find, change: Change): Promise<boolean> {
  const undo = new Error('undo');
  let found: unknown;
  const work = async (tx: Db): Promise<never> => {
    await change(tx);
    found = await find(tx);
    throw undo;
  };
  await assert.rejects(store.write(work), (error) => error === undo);
  if (found instanceof Map || found instanceof Set) return found.size > 0;
  return Array.isArray(found) ? found.length > 0 : Boolean(found);
}

type Values = Readonly<Record<string, string | number | null>>;

/** Changes the row that `by` names. */
export function changed(table: keyof Schema, id: string, columns: Values, by = 'id'): Change {
  const set = Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  return async (tx) => {
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${sql.join(set)} where ${sql.ref(by)} = ${id}`.execute(tx);
    assert.equal(numAffectedRows, 1n, `${table} has ${id}`);
  };
}

/** Marks a row as deleted, with what a deleted row may not have. */
export function deleted(
  table: 'jobs' | 'monitors' | 'channels' | 'workspaces',
  id: string,
): Change {
  const idle = table === 'jobs' && { next_run_at: null, ...noRun };
  return changed(table, id, { deleted_at: 1, ...idle });
}

/** Puts a run in another state. */
export function runBecame(id: string, status: 'running' | 'success'): Change {
  const ended = status === 'success' && { finished_at: 2, http_status: 200 };
  return changed('runs', id, { status, started_at: 1, ...ended });
}

/** Those of the rows that have a text in one of their columns. */
export function rowsWith(text: string, rows: Iterable<object>): object[] {
  return Array.from(rows).filter((row) => Object.values(row).includes(text));
}

/** The values of a row that has this id. */
export async function rowOf(tx: Db, table: keyof Schema, id: string): Promise<Values> {
  const { rows } = await sql<Values>`
    select * from ${sql.table(table)} where id = ${id}`.execute(tx);
  return rows[0] ?? {};
}
