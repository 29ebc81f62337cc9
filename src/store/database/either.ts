/** Text that each database has in its own words. It is chosen when a statement is compiled, so nobody asks which one it is. */

import { RawNode, sql, type Expression, type OperationNode, type RawBuilder } from 'kysely';

/** The same question in the words of each database. */
interface Words<T> {
  sqlite: RawBuilder<T>;
  postgres: RawBuilder<T>;
}

/** SQLite's words, which kysely's own compiler takes, with PostgreSQL's beside them. */
interface EitherNode extends RawNode {
  readonly postgres: OperationNode;
}

/** A part of a statement that differs between databases. */
export function either<T>({ sqlite, postgres }: Words<T>): RawBuilder<T> {
  const both: Expression<T> = {
    get expressionType() {
      return undefined;
    },
    toOperationNode: (): EitherNode => ({
      ...RawNode.create([''], []),
      ...sqlite.toOperationNode(),
      postgres: postgres.toOperationNode(),
    }),
  };
  return sql<T>`${both}`;
}

/** PostgreSQL's words of a node; the node itself if all databases share its words. */
export function inPostgres(node: OperationNode): OperationNode {
  return 'postgres' in node ? (node as EitherNode).postgres : node;
}
