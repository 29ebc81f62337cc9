/**
 * Compares the schema of a database with the one that the migrations make. The server makes it once more, in a transaction
 * that is rolled back, and describes both: so it does not matter how a version of it words a definition.
 */

import { sql, type Kysely } from 'kysely';
import { activeObjects } from '../database/dialect.ts';
import { makeSchema } from '../database/migrate.ts';
import type { Db } from '../database/schema.ts';

/** The differences from the schema of a version, in sentences; none if it is as jobd makes it. Nothing is changed. */
export async function findForeignOnServer(db: Db, version: number): Promise<string[]> {
  return await rolledBack(db, async (tx) => {
    const found = await schemaOf(tx);
    const active = await sql<{ type: string; name: string }>`${activeObjects}`.execute(tx);
    const strange = active.rows.map(({ type, name }) => `jobd did not make the ${type} ${name}`);
    if (!(await mayMakeSchemas(tx))) return strange;
    await sql`create schema ${sql.id(expectedSchema)}`.execute(tx);
    await sql`set local search_path to ${sql.id(expectedSchema)}, pg_temp`.execute(tx);
    await makeSchema(tx as Kysely<unknown>, version);
    return [...strange, ...differences(found, await schemaOf(tx))];
  });
}

/** Does work in a transaction that is rolled back. */
export async function rolledBack<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute();
  try {
    return await work(tx);
  } finally {
    await tx.rollback().execute();
  }
}

/** Nobody sees it outside of the transaction. */
const expectedSchema = 'jobd_as_expected';

async function mayMakeSchemas(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: number }>`
    select has_database_privilege(current_database(), 'create') as may`.execute(db);
  return rows[0]?.may === 1;
}

/** Of a table that only one of them has, the table alone. */
function differences(found: Objects, expected: Objects): string[] {
  const isShared = ({ object, table }: SchemaObject): boolean => {
    const whole = `table ${table}`;
    return object === whole || (found.has(whole) && expected.has(whole));
  };
  const foreign = Array.from(found.values(), (own) => {
    const known = expected.get(own.object);
    if (known === undefined) return isShared(own) ? `jobd did not make the ${own.object}` : null;
    return known.text === own.text ? null : `the ${own.object} is not as jobd makes it`;
  });
  const missing = Array.from(expected.values(), (known) =>
    isShared(known) && !found.has(known.object) ? `the ${known.object} is missing` : null,
  );
  return [...missing, ...foreign].filter((sentence) => sentence !== null);
}

/** What a schema consists of: a table, or a part of one. */
interface SchemaObject {
  /** Its kind and name. */
  object: string;
  table: string;
  text: string;
}

type Objects = ReadonlyMap<string, SchemaObject>;

/** The definition of each table, column, index and constraint of the current schema by its kind and name. */
async function schemaOf(db: Db): Promise<Objects> {
  const { rows } = await sql<SchemaObject>`
    with own as (
      select oid, relname, relkind, relpersistence, relrowsecurity, relhassubclass from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
        and not exists (
          select from pg_depend
          where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
        )
    )
    select 'table ' || relname as object, relname as "table", concat_ws(' ', relkind,
      case when relpersistence = 'u' then 'unlogged' end,
      case when relrowsecurity then 'with row security' end,
      case when relhassubclass and exists (select from pg_inherits where inhparent = own.oid)
        then 'with heirs' end) as text
    from own
    union all
    select 'column ' || relname || '.' || attname, relname, concat_ws(' ',
      format_type(atttypid, atttypmod), attcollation::regcollation,
      case when attnotnull then 'not null' end,
      attgenerated, attidentity, pg_get_expr(adbin, adrelid))
    from own join pg_attribute on attrelid = own.oid
      left join pg_attrdef on adrelid = own.oid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select 'index ' || indexes.relname, own.relname, concat_ws(' ',
      regexp_replace(pg_get_indexdef(indexrelid), ' ON (ONLY )?[^ ]+[.]', ' ON '),
      case when not indisvalid then 'not valid' end)
    from own join pg_index on indrelid = own.oid join pg_class as indexes on indexes.oid = indexrelid
    union all
    select 'constraint ' || relname || '.' || conname, relname, pg_get_constraintdef(pg_constraint.oid)
    from own join pg_constraint on conrelid = own.oid
    where contype in ('c', 'f', 'p', 'u', 'x')`.execute(db);
  return new Map(rows.map((row) => [row.object, row]));
}
