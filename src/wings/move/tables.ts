/** What a move from one database to another carries: every table but those that belong to the processes of a server. */

import { sql } from 'kysely';
import type { Db, Schema } from '../../store/database/schema.ts';

/** The tables, each after those that its rows refer to. */
export const movedTables = [
  'accounts',
  'workspaces',
  'keys',
  'badges',
  'audit_entries',
  'made_once',
  'instance',
  'sessions',
  'sign_in_codes',
  'master_keys',
  'signing_keys',
  'report_keys',
  'call_keys',
  'jobs',
  'schedule_spans',
  'ledger_checks',
  'runs',
  'receipts',
  'reports',
  'monitors',
  'pings',
  'channels',
  'outbox',
  'deliveries',
  'delivery_attempts',
  'alert_states',
  'digests',
] as const satisfies readonly (keyof Schema)[];

/** Of the processes that serve a server's database: they are others, or none, after a move. */
export const ownTables = ['nodes', 'admissions', 'hint_channel'];

/** A table as both databases have it. */
export interface MovedTable {
  name: (typeof movedTables)[number];
  columns: string[];
  /** The columns of its primary key, in order. */
  key: string[];
}

/** Describes the tables by the database that is in a file. Columns that a database computes itself are left out. */
export async function describeTables(file: Db): Promise<MovedTable[]> {
  const described: MovedTable[] = [];
  for (const name of movedTables) {
    const { rows } = await sql<{ name: string; pk: number }>`
      select name, pk from pragma_table_info(${name}) order by cid`.execute(file);
    const key = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk);
    described.push({
      name,
      columns: rows.map((column) => column.name),
      key: key.map((column) => column.name),
    });
  }
  return described;
}
