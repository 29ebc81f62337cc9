/**
 * The schema of jobd's tables. Names in statements mean what is in it, or is PostgreSQL's own: nobody else can put a table, a
 * function or an operator of the same name before jobd's, neither into `public` nor into a schema named like the role. Temporary
 * tables would come first if they were not listed last.
 */

import { sql } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import type { Db } from '../database/schema.ts';
import type { Unmigrated } from '../database/migrate.ts';

export const schemaName = 'jobd';

/** The search path of every statement. */
export const searchPath = `${schemaName}, pg_temp`;

/** Makes it if it is missing. Throws `unavailable` if it is somebody else's. */
export async function makeOwnSchema(store: Unmigrated): Promise<void> {
  if (await hasOwnSchema(store.db)) return;
  await store.write((tx) => sql`create schema if not exists ${sql.id(schemaName)}`.execute(tx));
  await hasOwnSchema(store.db);
}

interface Found {
  owner: string;
  role: string;
  isTrusted: number;
  mayUse: number;
}

/**
 * Whether it is there. Throws `unavailable` if it is somebody else's, who could change what is in it, or if this role may not use
 * it. The schema is asked about by its number: where another process has just made it, its name may not be known yet to this
 * connection, though its row is visible already.
 */
export async function hasOwnSchema(db: Db): Promise<boolean> {
  const { rows } = await sql<Found>`
    select rolname as owner, rolsuper or rolname = current_user or nspowner = datdba as "isTrusted",
      quote_ident(current_user) as role, has_schema_privilege(pg_namespace.oid, 'usage') as "mayUse"
    from pg_namespace join pg_roles on pg_roles.oid = nspowner
      join pg_database on datname = current_database()
    where nspname = ${schemaName}`.execute(db);
  const [schema] = rows;
  if (schema === undefined) return false;
  if (schema.isTrusted === 1 && schema.mayUse === 0) throw mayNotUse(schema);
  if (schema.isTrusted === 1) return true;
  throw new JobdError(
    'unavailable',
    `the schema ${schemaName} of the database belongs to the role ${JSON.stringify(schema.owner)}, which could change what jobd reads: ` +
      `if you made it, alter schema ${schemaName} owner to the role of jobd; otherwise find out who did, and drop it`,
  );
}

function mayNotUse({ owner, role }: Found): JobdError {
  const sentence = `the role ${role} may not use the schema ${schemaName}, which the role ${owner} owns`;
  const remedy = `in psql, as ${owner} or a superuser: alter schema ${schemaName} owner to ${role}`;
  return new JobdError('unavailable', sentence, { notes: [remedy] });
}
