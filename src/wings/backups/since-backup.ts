/** What the present database knows that a backup does not: for a restore that goes on where that one was. */

import type Database from 'better-sqlite3';
import { openFile } from '../../store/sqlite/file.ts';
import { storePath } from '../../store/sqlite/reader.ts';
import type { Received } from './received.ts';

/**
 * How many runs only the database of a data directory has; null if it cannot be compared, as it is damaged or has other tables.
 * With `continues`, due times that it has called already are not called again with the copy.
 */
export function compareWithPresent(
  { path }: Received,
  dataDir: string,
  continues: boolean,
): number | null {
  const database = openFile(path, 0);
  try {
    database.prepare('attach ? as present').run(storePath(dataDir));
    const runs = runsSince(database);
    if (continues) moveDueTimes(database);
    return runs;
  } catch {
    return null;
  } finally {
    database.close();
  }
}

function runsSince(database: Database.Database): number {
  return database
    .prepare(
      `select count(*) from present.runs as present
       where not exists (select 1 from main.runs where runs.id = present.id)`,
    )
    .pluck()
    .get() as number;
}

/** A due time moves on in the transaction that claims its run. */
function moveDueTimes(database: Database.Database): void {
  database.exec(
    `update main.jobs set next_run_at = present.next_run_at from present.jobs as present
     where present.id = jobs.id and present.next_run_at > jobs.next_run_at`,
  );
}
