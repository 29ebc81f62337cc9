/**
 * One statement for all rows of a batch, made from the statement for one row: the rows become a table `given`, and each named
 * parameter a column of it. Row by row, each would wait for an answer from the network.
 */

import {
  AliasNode,
  DeleteQueryNode,
  FromNode,
  InsertQueryNode,
  RawNode,
  ReturningNode,
  SelectQueryNode,
  SelectionNode,
  UpdateQueryNode,
  UsingNode,
  ValueNode,
  ValuesNode,
  createQueryId,
} from 'kysely';
import type { OperationNode, RootOperationNode } from 'kysely';
import { fewRows } from '../database/dialect.ts';
import { Named } from '../database/statement.ts';
import { Compiler } from './compiler.ts';

/** What a column holds. `null` stands for no value in any row: it fits columns of every type. */
type ColumnType = 'text' | 'bigint' | 'null';

/** The columns of `given`. */
export type Columns = ReadonlyMap<string, ColumnType>;

export interface Batch {
  readonly sql: string;
  /** One of them is `allRows`. */
  readonly parameters: readonly unknown[];
  /** The parameters that it uses: whether their texts are stored byte for byte, which are sent as Base64. */
  readonly sent: ReadonlyMap<string, boolean>;
  /** The parameter that returned rows contain; null if all rows are written or none. */
  readonly key: string | null;
}

/** Stands for the parameter with all rows, as JSON. */
export const allRows = Symbol('all rows');

/** The number of a row in its batch. */
export const place = '#';

/** The column of a parameter: no table has one of that name. */
export function given(parameter: string): string {
  return `:${parameter}`;
}

/** The columns of rows that are alike, by what is in them. */
export function columnsIn(rows: readonly object[]): Columns {
  const [first = {}] = rows;
  return new Map(Object.keys(first).map((name) => [name, typeIn(rows, name as keyof object)]));
}

function typeIn(rows: readonly object[], name: keyof object): ColumnType {
  const known = rows.find((row) => row[name] !== null);
  if (known === undefined) return 'null';
  return typeof known[name] === 'number' ? 'bigint' : 'text';
}

/** Makes the statement for all rows from that for one. */
export function batchOf(query: RootOperationNode, columns: Columns): Batch {
  const compiler = new BatchCompiler(columns);
  const { node, key } = forAll(query, table(columns));
  const { sql, parameters } = compiler.compileQuery(node, createQueryId());
  return { sql, parameters, sent: compiler.sent, key };
}

class BatchCompiler extends Compiler {
  readonly sent = new Map<string, boolean>();
  readonly #columns: Columns;

  constructor(columns: Columns) {
    super();
    this.#columns = columns;
  }

  protected override appendValue(value: unknown): void {
    if (!(value instanceof Named)) return super.appendValue(value);
    const { name, isBytes } = value;
    if (this.#columns.get(name) === 'null') return this.append('null');
    const column = `given.${quoted(given(name))}`;
    this.sent.set(name, isBytes);
    this.append(isBytes ? `decode(${column}, 'base64')` : column);
  }
}

function table(columns: Columns): OperationNode {
  const typed = Array.from(
    columns,
    ([name, type]) => `${quoted(given(name))} ${type === 'null' ? 'text' : type}`,
  );
  const all = [...typed, `${quoted(place)} bigint`].join(', ');
  return RawNode.create(
    ['(select * from json_to_recordset(', `) as given(${all}) ${fewRows}) as given`],
    [ValueNode.create(allRows)],
  );
}

function forAll(query: RootOperationNode, rows: OperationNode) {
  if (InsertQueryNode.is(query)) return insertAll(query, rows);
  const returning = returningText(`given.${quoted(place)} as "key"`);
  if (UpdateQueryNode.is(query)) {
    return { node: { ...query, from: FromNode.create([rows]), returning }, key: place };
  }
  if (DeleteQueryNode.is(query)) {
    return { node: { ...query, using: UsingNode.create([rows]), returning }, key: place };
  }
  throw new Error('a batch writes, and does nothing else');
}

/** An insert returns columns of its table only: one whose value is a parameter tells which rows were written. */
function insertAll(query: InsertQueryNode, rows: OperationNode) {
  const { values } = query;
  const selected = valuesOf(values);
  const first = selected.findIndex((value) => parameterOf(value) !== undefined);
  const [column, parameter] = [query.columns?.[first], parameterOf(selected[first])];
  if (column === undefined || parameter === undefined) {
    throw new Error('a batch needs a column that is one of its parameters');
  }
  const returning = returningText(`${quoted(column.column.name)} as "key"`);
  const isAllOrNone =
    query.onConflict === undefined && values !== undefined && ValuesNode.is(values);
  const node = { ...query, values: selectFrom(values, selected, rows) };
  if (isAllOrNone) return { node, key: null };
  return { node: { ...node, returning }, key: parameter };
}

function valuesOf(values: OperationNode | undefined): readonly OperationNode[] {
  if (values === undefined) return [];
  if (SelectQueryNode.is(values)) return values.selections ?? [];
  if (!ValuesNode.is(values)) return [];
  return (values.values[0]?.values ?? []).map((value) =>
    isNode(value) ? value : ValueNode.create(value),
  );
}

function selectFrom(
  values: OperationNode | undefined,
  selected: readonly OperationNode[],
  rows: OperationNode,
): OperationNode {
  if (values !== undefined && SelectQueryNode.is(values)) {
    return {
      ...values,
      from: FromNode.create([...(values.from?.froms ?? []), rows]),
    } as SelectQueryNode;
  }
  const between = selected.map((_, index) => (index === 0 ? 'select ' : ', '));
  return RawNode.create([...between, ' from ', ''], [...selected, rows]);
}

/** The name of the parameter that a value is, or undefined. */
function parameterOf(node: OperationNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (SelectionNode.is(node)) return parameterOf(node.selection);
  if (AliasNode.is(node)) return parameterOf(node.node);
  if (RawNode.is(node))
    return node.sqlFragments.join('') === '' ? parameterOf(node.parameters[0]) : undefined;
  return ValueNode.is(node) && node.value instanceof Named ? node.value.name : undefined;
}

function returningText(text: string): ReturningNode {
  return ReturningNode.create([SelectionNode.create(RawNode.createWithSql(text) as never)]);
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
