import { sql } from 'kysely';
import { isShared } from '../../../src/store/database/statement.ts';
import type { Db } from '../../../src/store/database/store.ts';

/** Lets the database refuse rows of a table in which this is true of `new`. Returns what lets it take them again. */
export async function refuseRows(
  db: Db,
  table: string,
  condition: string,
): Promise<() => Promise<void>> {
  if (isShared(db)) {
    const check = condition.replaceAll('new.', '');
    await sql.raw(`alter table ${table} add constraint refusal check (not (${check}))`).execute(db);
    return async () =>
      void (await sql.raw(`alter table ${table} drop constraint refusal`).execute(db));
  }
  const refuse = `begin select raise(abort, 'refusal') where ${condition}; end`;
  await sql.raw(`create trigger refusal before insert on ${table} ${refuse}`).execute(db);
  return async () => void (await sql.raw('drop trigger refusal').execute(db));
}
