/** What the role of a connection may do in its database. */

import { sql } from 'kysely';
import { tableNames } from '../database/dialect.ts';
import type { Db } from '../database/schema.ts';
import { schemaName } from './own-schema.ts';

/** Why jobd cannot work as this role, in a sentence, and what to do about it. */
export interface Refusal {
  problem: string;
  remedies: string[];
}

/** What is true is 1, what is not is 0. */
interface Access {
  role: string;
  database: string;
  mayCreate: number | null;
  isCopy: number;
  isReadOnly: number;
}

/** What the role lacks, first of all; null if it may read and change everything. */
export async function findRefusal(db: Db): Promise<Refusal | null> {
  const { role, database, mayCreate, isCopy, isReadOnly } = await accessTo(db);
  const { rows: tables } = await sql`${tableNames} limit 1`.execute(db);
  if (isCopy === 1) {
    return { problem: 'the server is a copy, which can only be read', remedies: [] };
  }
  if (isReadOnly === 1) {
    const remedies = [
      `alter database ${database} reset default_transaction_read_only`,
      `alter role ${role} reset default_transaction_read_only`,
    ];
    return {
      problem: 'the database can only be read: default_transaction_read_only is on',
      remedies,
    };
  }
  if (tables.length === 0) {
    if (mayCreate === 1) return null;
    return {
      problem: `the role ${role} may not make tables here`,
      remedies: [`alter database ${database} owner to ${role}`],
    };
  }
  return await findClosedTable(db, role, schemaName);
}

async function accessTo(db: Db): Promise<Access> {
  const { rows } = await sql<Access>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as database,
      coalesce(has_schema_privilege(to_regnamespace(${schemaName}), 'create'),
        has_database_privilege(current_database(), 'create')) as "mayCreate",
      pg_is_in_recovery() as "isCopy",
      current_setting('default_transaction_read_only')::boolean as "isReadOnly"`.execute(db);
  const [access] = rows;
  if (access === undefined) throw new Error('the server says nothing about the role');
  return access;
}

/** The tables that the role may not read and change. */
async function findClosedTable(db: Db, role: string, schema: string): Promise<Refusal | null> {
  const may = sql.join(
    ['select', 'insert', 'update', 'delete'].map(
      (right) => sql`has_table_privilege(pg_class.oid, ${right})`,
    ),
    sql` and `,
  );
  const { rows } = await sql<{ name: string; owner: string; isOwn: number }>`
    select relname as name, quote_ident(rolname) as owner, rolname = current_user as "isOwn"
    from (${tableNames}) as own
      join pg_class on relname = own.name and relnamespace = current_schema()::regnamespace
      join pg_roles on pg_roles.oid = relowner
    where not (${may}) order by relname`.execute(db);
  const [first] = rows;
  if (first === undefined) return null;
  const others = rows.length === 1 ? '' : ` and ${rows.length - 1} more`;
  const problem = `the role ${role} may not read and change the table ${first.name}${others}`;
  if (first.isOwn === 1) {
    return { problem, remedies: [`grant all on all tables in schema ${schema} to ${role}`] };
  }
  const make = `select format('alter table %I.%I owner to ${role}', schemaname, tablename)`;
  return {
    problem: `${problem}, which the role ${first.owner} owns`,
    remedies: [
      `in psql, as ${first.owner} or a superuser: ${make} from pg_tables where schemaname = '${schema}' \\gexec`,
    ],
  };
}
