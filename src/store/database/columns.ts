/**
 * The columns of a record, written once for reading and writing: `{ workspaceId: 'workspace_id' }`. Fields are as in
 * `domain/`, columns as in the schema.
 */

type Columns = Readonly<Record<string, string>>;

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
  const entries = Object.entries(columns).map(([field, column]) => [column, record[field]]);
  return Object.fromEntries(entries) as { [Field in keyof Of as Of[Field]]: Values[Field] };
}
