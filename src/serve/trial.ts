/** A copy of a data directory, in which a jobd can try whether it works with the data. */

import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { JobdError } from '../domain/errors.ts';
import { sizeText } from '../domain/sizes.ts';
import { keyFilePath } from '../secrets/key-file.ts';
import { countContents, type Contents } from '../store/database/contents.ts';
import { newer, newestVersion, schemaVersion } from '../store/database/migrate.ts';
import { copyDatabase } from '../store/sqlite/copy.ts';
import { checkDatabase } from '../store/sqlite/inspect.ts';
import { openReader, storePath } from '../store/sqlite/reader.ts';
import { diskFreeBytes, readSpace } from '../store/sqlite/space.ts';

export type { Contents };

/** How much more than the copy must be free: it may grow when its tables change, and jobd continues writing meanwhile. */
const spare = { times: 2, bytes: 64 * 1024 * 1024 };

/** A copy to try a jobd with. Disposing of it removes it. */
export interface Trial extends Disposable {
  dataDir: string;
  schema: number;
  /** Null if this jobd cannot count in the tables of the other version. */
  contents: Contents | null;
}

/**
 * Copies the database and the file of master keys to a directory in the data directory. Throws `unavailable` if a newer jobd wrote
 * the database, or there is no space.
 */
export async function makeTrial(dataDir: string): Promise<Trial> {
  const trialDir = join(dataDir, 'self-test');
  const remove = (): void => rmSync(trialDir, { recursive: true, force: true });
  remove();
  try {
    await using reader = await openReader(storePath(dataDir));
    const schema = await schemaVersion(reader.db);
    if (schema > newestVersion) throw newer(schema);
    const { pages, freePages, pageBytes } = await readSpace(reader.db);
    requireSpace(dataDir, (pages - freePages) * pageBytes * spare.times + spare.bytes);
    mkdirSync(trialDir, { mode: 0o700 });
    const target = { path: storePath(trialDir), descriptor: null };
    await copyDatabase(reader.db, dataDir, target);
    const keyFile = keyFilePath(dataDir);
    if (existsSync(keyFile)) copyFileSync(keyFile, join(trialDir, basename(keyFile)));
    return {
      dataDir: trialDir,
      schema,
      contents: await contentsOf(storePath(trialDir)),
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What the tables of another version hold; null if this jobd cannot count in them. */
async function contentsOf(path: string): Promise<Contents | null> {
  await using reader = await openReader(path);
  return await countContents(reader.db).catch(() => null);
}

/** What is in a trial after this jobd has opened it. Throws `unavailable` if it is damaged. */
export async function inspectTrial({ dataDir }: Trial): Promise<Contents> {
  await using reader = await openReader(storePath(dataDir));
  const [damage] = await checkDatabase(reader.db);
  if (damage !== undefined)
    throw new JobdError('unavailable', `the copy is damaged now: ${damage}`);
  return await countContents(reader.db);
}

function requireSpace(dataDir: string, needed: number): void {
  const free = diskFreeBytes(dataDir);
  if (free >= needed) return;
  throw new JobdError(
    'unavailable',
    `the disk of ${dataDir} has no space for a copy to try: it needs ${sizeText(needed)}, and ${sizeText(free)} are free; ` +
      'nothing was changed',
    { notes: ['free some space and try again'] },
  );
}
