/** Whether every role of the server may connect to the database, as PostgreSQL lets them by default. */

import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';

interface Access {
  database: string;
  role: string;
  isPublic: number;
  /** Whether this role may connect without that: as the owner, or as somebody granted it. */
  mayConnect: number;
}

/** What lets jobd's role alone connect, in statements; null if not every role may. */
export async function closePublicAccess(db: Db): Promise<string[] | null> {
  const { rows } = await sql<Access>`
    select quote_ident(datname) as database, quote_ident(current_user) as role,
      bool_or(grantee = 0) as "isPublic",
      bool_or(grantee <> 0 and pg_has_role(grantee, 'usage')) as "mayConnect"
    from pg_database
      cross join lateral aclexplode(coalesce(datacl, acldefault('d', datdba)))
    where datname = current_database() and privilege_type = 'CONNECT'
    group by datname`.execute(db);
  const [access] = rows;
  if (access?.isPublic !== 1) return null;
  const { database, role, mayConnect } = access;
  const grant = `grant connect on database ${database} to ${role}`;
  const revoke = `revoke connect on database ${database} from public`;
  return mayConnect === 1 ? [revoke] : [grant, revoke];
}
