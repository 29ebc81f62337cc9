/** What `jobd doctor` looks at where the database is on a server. Every role may see what it asks. */

import { sql } from 'kysely';
import { isoTime } from '../../domain/clock.ts';
import { found, ok, type Finding } from '../../domain/findings.ts';
import { oneLine } from '../../domain/one-line.ts';
import { sizeText } from '../../domain/sizes.ts';
import { tableNames } from '../database/dialect.ts';
import { newestVersion } from '../database/migrate.ts';
import type { Db } from '../database/schema.ts';
import { findForeignOnServer, rolledBack } from './foreign.ts';
import { schemaName } from './own-schema.ts';

/** The version as text, as a number such as 180004, the encoding of texts, and the size of the database in bytes. */
export interface ServerFacts {
  version: string;
  versionNumber: number;
  encoding: string;
  bytes: number;
}

/** Asks for them. */
export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as "versionNumber",
      current_setting('server_encoding') as encoding,
      pg_database_size(current_database()) as bytes`.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error('the server says nothing about itself');
  return facts;
}

/** Which server it is, and how much it holds. */
export async function checkServer(db: Db, name: string): Promise<Finding> {
  const { version, bytes } = await serverFacts(db);
  return ok(`PostgreSQL ${version} at ${name}, ${sizeText(bytes)}`);
}

/** What is true is 1, what is not is 0. */
interface Access {
  role: string;
  database: string;
  mayCreate: number | null;
  isCopy: number;
  isReadOnly: number;
}

/** Whether the role may read and change everything. */
export async function checkAccess(db: Db): Promise<Finding> {
  const { role, database, mayCreate, isCopy, isReadOnly } = await accessTo(db);
  const { rows: tables } = await sql`${tableNames} limit 1`.execute(db);
  if (isCopy === 1) return refused('the server is a copy, which can only be read');
  if (isReadOnly === 1) {
    return refused('the database can only be read: default_transaction_read_only is on', [
      `alter database ${database} reset default_transaction_read_only`,
      `alter role ${role} reset default_transaction_read_only`,
    ]);
  }
  if (tables.length === 0 && mayCreate !== 1) {
    return refused(`the role ${role} may not make tables here`, [
      `alter database ${database} owner to ${role}`,
    ]);
  }
  const closed = tables.length === 0 ? null : await findClosedTable(db, role, schemaName);
  return closed ?? ok('this role may read and change everything of jobd');
}

function refused(reason: string, remedies: readonly string[] = []): Finding {
  return found('access-refused', { reason }, remedies);
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
async function findClosedTable(db: Db, role: string, schema: string): Promise<Finding | null> {
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
    return refused(problem, [`grant all on all tables in schema ${schema} to ${role}`]);
  }
  const make = `select format('alter table %I.%I owner to ${role}', schemaname, tablename)`;
  return refused(`${problem}, which the role ${first.owner} owns`, [
    `in psql, as ${first.owner} or a superuser: ${make} from pg_tables where schemaname = '${schema}' \\gexec`,
  ]);
}

/** Whether every role of the server may connect, as PostgreSQL lets them by default; and what lets jobd's role alone. */
export async function checkOtherRoles(db: Db): Promise<Finding> {
  // `mayConnect`: also without that, as the owner, or as somebody granted it.
  const { rows } = await sql<{
    database: string;
    role: string;
    isPublic: number;
    mayConnect: number;
  }>`
    select quote_ident(datname) as database, quote_ident(current_user) as role,
      bool_or(grantee = 0) as "isPublic",
      bool_or(grantee <> 0 and pg_has_role(grantee, 'usage')) as "mayConnect"
    from pg_database
      cross join lateral aclexplode(coalesce(datacl, acldefault('d', datdba)))
    where datname = current_database() and privilege_type = 'CONNECT'
    group by datname`.execute(db);
  const [access] = rows;
  if (access?.isPublic !== 1) return ok('only roles that were allowed to may connect');
  const { database, role, mayConnect } = access;
  const grant = mayConnect === 1 ? [] : [`grant connect on database ${database} to ${role}`];
  return found('access-public', {}, [
    ...grant,
    `revoke connect on database ${database} from public`,
  ]);
}

/** Whether the schema is as jobd makes it. */
export async function checkServerSchema(db: Db): Promise<Finding> {
  const differences = await findForeignOnServer(db, newestVersion);
  if (differences.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return found('schema-changed', { differences, count: differences.length }, differences.slice(3));
}

/** Whether the server takes a write: of a row that stays as it is. */
export async function checkWrite(db: Db): Promise<Finding> {
  await rolledBack(db, (tx) => sql`update instance set id = id`.execute(tx));
  return ok('a row was written, and taken back');
}

/** jobd's own transactions hold theirs for 5 s at most, even where a process hangs. */
const longLockMs = 5_000;

interface LockHolder {
  pid: number;
  role: string | null;
  /** What the program calls itself; it may be empty. */
  program: string;
  /** A table that it has locked, or rows of it. */
  table: string;
  /** When its transaction began, in epoch milliseconds; null if this role may not see that. */
  since: number | null;
}

/** Whether some session holds a lock for so long that jobd cannot work. Only catalogs are asked: no lock holds this up. */
export async function checkLocks(db: Db): Promise<Finding> {
  const { rows } = await sql<LockHolder>`
    select pg_locks.pid, usename as role, coalesce(application_name, '') as program,
      min(relname) as "table", (extract(epoch from min(xact_start)) * 1000)::bigint as since
    from pg_locks
      join pg_class on pg_class.oid = relation and relnamespace = to_regnamespace(${schemaName})
      left join pg_stat_activity on pg_stat_activity.pid = pg_locks.pid
    where locktype = 'relation' and granted and mode <> 'AccessShareLock' and relkind = 'r'
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and usename is not null
      and (xact_start is null or xact_start < clock_timestamp() - ${longLockMs} * interval '1 ms')
    group by 1, 2, 3
    order by since nulls last limit 5`.execute(db);
  const [longest, ...more] = rows;
  if (longest === undefined) return ok('no session holds a lock for long');
  return found('lock-held', { lock: lockText(longest), count: rows.length }, [
    ...more.map(lockText),
    `end it where it runs, or in psql, as its role or a superuser: select pg_terminate_backend(${longest.pid})`,
  ]);
}

function lockText({ pid, role, program, table, since }: LockHolder): string {
  const name = program === '' ? '' : ` (${oneLine(program)})`;
  const time = since === null ? '' : `, in a transaction that began at ${isoTime(since)}`;
  return `the session ${pid} of the role ${role}${name} holds a lock on the table ${table}${time}: what jobd wants to change there waits`;
}

/** What is usual between two runs of autovacuum: this number of dead rows, or this multiple of the live ones. */
const usualRows = 10_000;
const usualShare = 5;

/** Whether the server can remove rows that nobody needs any more. Else something keeps them, and each look at the table takes longer. */
export async function checkDeadRows(db: Db): Promise<Finding> {
  const { rows } = await sql<{ table: string; dead: number; live: number }>`
    select relname as "table", n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where schemaname = ${schemaName} and n_dead_tup > ${usualRows}
      and n_dead_tup > ${usualShare} * n_live_tup
    order by n_dead_tup desc limit 1`.execute(db);
  const [swollen] = rows;
  if (swollen === undefined) return ok('the server removes rows that nobody needs any more');
  return found('dead-rows', swollen, [
    'transactions that are open for long, as a superuser: select pid, usename, xact_start, query from pg_stat_activity where xact_start is not null order by xact_start',
    'copies that do not take what is kept for them: select slot_name, active from pg_replication_slots',
    'neither: autovacuum may be off or too slow',
  ]);
}
