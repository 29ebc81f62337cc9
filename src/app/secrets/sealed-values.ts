/** Which sealed values the available master keys can open, and how people repair the others. */

import { unlessRefused } from '../../domain/errors.ts';
import { placeOf, sealedTables } from '../../domain/secrets/vault.ts';
import type { SealedTable, Vault } from '../../domain/secrets/vault.ts';
import type { Db } from '../../store/database/store.ts';
import { sweep } from '../../store/database/sweep.ts';
import { findSealed, type SealedValue } from '../../store/secrets/sealed.ts';

/** Values in one page of a sweep, and so in one transaction of a rotation. */
export const valuesPerPage = 100;

/** A sealed value, and whether a key that is available opens it. */
export interface CheckedValue extends SealedValue {
  /** The row as `TABLE/ID`. */
  row: string;
  isReadable: boolean;
}

/** Tries to open every sealed value of these tables. */
export async function* checkSealed(
  db: Db,
  vault: Vault,
  tables: readonly SealedTable[] = sealedTables,
): AsyncGenerator<CheckedValue> {
  for (const table of tables) {
    const pages = sweep((page) => findSealed(db, table, page), valuesPerPage);
    for await (const values of pages) {
      for (const value of values) {
        const place = placeOf(table, value);
        const isReadable = unlessRefused(() => vault.open(value.sealed, place)) !== undefined;
        yield { ...value, row: `${table}/${value.id}`, isReadable };
      }
    }
  }
}

const namedAtMost = 10;

/** The first of these rows, for messages. */
export function namesOf(rows: readonly string[]): string {
  return rows.slice(0, namedAtMost).join(', ') + (rows.length > namedAtMost ? ', …' : '');
}

const remedies: Record<SealedTable, string> = {
  jobs: 'set headers and body of a job, both in one update, or delete it',
  channels: 'set the config of a channel, or delete it',
  report_keys: 'restart jobd, which makes a new secret of report URLs',
  signing_keys: 'sign with a new key: jobd signing-key rotate',
  call_keys: 'sign calls with a new key: jobd call-key rotate --now',
};

/** What people can do about rows, as `TABLE/ID`, whose sealed values cannot be opened. */
export function remedyOf(rows: readonly string[]): string {
  return sealedTables
    .filter((table) => rows.some((row) => row.startsWith(`${table}/`)))
    .map((table) => remedies[table])
    .join('; ');
}
