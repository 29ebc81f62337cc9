/**
 * The columns of a record, written once for reading and writing: `{ workspaceId: 'workspace_id' }`. Fields are as in
 * `domain/`, columns as in the schema.
 */

import type { Fields } from '../../domain/fields.ts';

type Columns = Readonly<Record<string, string>>;

/** The column of a field: `periodSeconds` is `period_seconds`. */
type ColumnOf<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : '';

/** What a column keeps of a value: truth is 0 or 1, a list or a mapping is JSON. */
type Kept<Value> = Value extends boolean ? number : Value extends object ? string : Value;

/** The columns of values that people set, as the schema has them. */
export type ColumnsOf<Values> = {
  [Name in keyof Values & string as ColumnOf<Name>]: Kept<Values[Name]>;
};

/** The columns of a table of fields. */
export function columnsFor<Of extends Fields>(fields: Of) {
  const entries = Object.keys(fields).map((name) => [
    name,
    name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
  ]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Of & string]: ColumnOf<Name> };
}

/** For `select`: each column under the name of its field. */
export function selectionOf<const Of extends Columns>(columns: Of) {
  type Selected = { [Field in keyof Of & string]: `${Of[Field]} as ${Field}` };
  const selected = Object.entries(columns).map(([field, column]) => `${column} as ${field}`);
  return selected as Selected[keyof Selected][];
}

/** For `values` and `set`: the fields of a record under the names of their columns. */
export function toRow<const Of extends Columns, Values extends { [Field in keyof Of]: unknown }>(
  columns: Of,
  record: Values,
) {
  const entries = Object.entries(columns).map(([field, column]) => [column, kept(record[field])]);
  return Object.fromEntries(entries) as { [Field in keyof Of as Of[Field]]: Kept<Values[Field]> };
}

function kept(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** The columns of a schedule that is kept of a job, for `select`: all that `scheduleOf` needs. */
export const scheduleColumns = [
  'schedule_type as scheduleType',
  'cron_expr as cronExpr',
  'timezone',
  'period_seconds as periodSeconds',
  'anchor_at as anchorAt',
  'adjustments',
] as const;
