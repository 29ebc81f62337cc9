/** PostgreSQL for kysely: its texts, and batches as one statement. */

import { PostgresAdapter, PostgresIntrospector, createQueryId } from 'kysely';
import type { Dialect, Driver, RootOperationNode } from 'kysely';
import { madeStorable } from '../../domain/characters.ts';
import type { BatchAdapter, RowsAtOnce } from '../database/statement.ts';
import { allRows, batchOf, columnsIn, given, place, type Batch } from './batch.ts';
import { Compiler } from './compiler.ts';

/** Keeps the texts of a batch: one for each set of columns that have a value in some row. */
class Adapter extends PostgresAdapter implements BatchAdapter {
  readonly #batches = new WeakMap<RootOperationNode, Map<string, Batch>>();

  forRows(query: RootOperationNode, rows: readonly object[]): RowsAtOnce {
    const columns = columnsIn(rows);
    const batches = this.#batches.get(query) ?? new Map<string, Batch>();
    this.#batches.set(query, batches);
    const shape = Array.from(columns, (entry) => entry.join(' ')).join();
    const batch = batches.get(shape) ?? batchOf(query, columns);
    batches.set(shape, batch);
    const { sql, key } = batch;
    const json = jsonOf(rows, batch);
    return {
      query,
      queryId: createQueryId(),
      sql,
      parameters: batch.parameters.map((one) => (one === allRows ? json : one)),
      isFrequent: true,
      changedIn: (found) => changedRows(rows, key, found as readonly { key: unknown }[]),
    };
  }
}

/** What JSON escapes reaches the database as it is: one text that it cannot keep would fail the whole batch. */
function jsonOf(rows: readonly object[], { sent }: Batch): string {
  const columns = Array.from(sent, ([name, isBytes]) => ({ name, label: given(name), isBytes }));
  return JSON.stringify(
    rows.map((row, index) => {
      const values: Record<string, unknown> = { [place]: index };
      for (const { name, label, isBytes } of columns) {
        const value: unknown = row[name as keyof typeof row];
        values[label] = typeof value === 'string' ? textSent(value, isBytes) : value;
      }
      return values;
    }),
  );
}

function textSent(text: string, isBytes: boolean): string {
  return isBytes ? Buffer.from(text).toString('base64') : madeStorable(text);
}

function changedRows(
  rows: readonly object[],
  key: string | null,
  found: readonly { key: unknown }[],
): boolean[] {
  if (key === null) return rows.map(() => true);
  const keys = new Set(found.map((row) => row.key));
  return rows.map((row, index) => keys.has(key === place ? index : row[key as keyof typeof row]));
}

/** One for all databases: compiled statements are kept by it. */
const adapter = new Adapter();

/** A kysely dialect with this driver. */
export function dialectWith(driver: Driver): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  };
}
