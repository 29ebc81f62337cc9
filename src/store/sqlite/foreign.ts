/**
 * Compares the schema of a database with the one that the migrations make. Somebody who can write the file, or a backup
 * of it, could add a trigger that runs with each statement of jobd, or drop a constraint.
 */

import { Kysely, sql } from 'kysely';
import { makeSchema } from '../database/migrate.ts';
import type { Db } from '../database/schema.ts';
import { dialectOn } from './connection.ts';
import { openInMemory } from './file.ts';

/** The differences from the schema of a version, in sentences; none if it is as jobd makes it. */
export async function findForeign(db: Db, version: number): Promise<string[]> {
  const expected = await expectedSchema(version);
  const found = await schemaOf(db);
  return [
    ...Array.from(found).flatMap(([object, text]) => {
      const known = expected.get(object);
      if (known === undefined) return [`jobd did not make the ${object}`];
      return known === text ? [] : [`the ${object} is not as jobd makes it`];
    }),
    ...Array.from(expected.keys())
      .filter((object) => !found.has(object))
      .map((object) => `the ${object} is missing`),
  ];
}

async function expectedSchema(version: number): Promise<Map<string, string>> {
  const db = new Kysely<unknown>({ dialect: dialectOn(openInMemory()) });
  try {
    await makeSchema(db, version);
    return await schemaOf(db);
  } finally {
    await db.destroy();
  }
}

/** Tables of ANALYZE, which an operator may run. */
const statistics = new Set(['sqlite_stat1', 'sqlite_stat4']);

/** The definition of each object by its kind and name, with white space normalized. */
async function schemaOf<Tables>(db: Kysely<Tables>): Promise<Map<string, string>> {
  const { rows } = await sql<{ type: string; name: string; table: string; text: string | null }>`
    select type, name, tbl_name as "table", sql as text from sqlite_master`.execute(db);
  return new Map(
    rows
      .filter(({ type, name }) => !(type === 'table' && statistics.has(name)))
      .map(({ type, name, table, text }) => [
        `${type} ${name}`,
        `${table} ${text?.replace(/\s+/g, ' ') ?? ''}`,
      ]),
  );
}
