/** What the doctor looks at where the database is a file. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime, msPerDay, type Clock } from '../../domain/clock.ts';
import { found, ok, type Finding } from '../../domain/findings.ts';
import { sizeText } from '../../domain/sizes.ts';
import { findEarlyRemovals } from '../../store/accounts/instance.ts';
import * as inspect from '../../store/database/inspect.ts';
import { newestVersion } from '../../store/database/migrate.ts';
import type { Db } from '../../store/database/store.ts';
import { findForeign } from '../../store/sqlite/foreign.ts';
import { checkDatabase as findDamage } from '../../store/sqlite/inspect.ts';
import { isLocked } from '../../store/sqlite/lock.ts';
import * as reserve from '../../store/sqlite/reserve.ts';
import { diskFreeBytes, logBytes, readSpace } from '../../store/sqlite/space.ts';
import { openReader, storePath } from '../../store/sqlite/reader.ts';
import { requireWritable, unusableDirectory } from '../../store/sqlite/unusable.ts';
import { whoServesFile } from './served.ts';

/** Whether jobd may write its files, and only the owner may use the data directory. */
export function checkDirectory(directory: string): Finding {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusableDirectory(directory, error);
  }
  const database = storePath(directory);
  const written = [database, `${database}-wal`, `${database}-shm`, join(directory, 'serve.lock')];
  for (const path of written) requireWritable(path);
  return checkUsers(directory);
}

/** Whether only the owner may use the data directory: who can write there can replace the database. */
export function checkUsers(directory: string): Finding {
  const { mode: bits, uid: owner } = statSync(directory);
  const user = process.getuid?.() ?? owner;
  const mode = (bits & 0o777).toString(8).padStart(4, '0');
  if ((bits & 0o022) !== 0) return found('directory-writable', { directory, mode });
  if ((bits & 0o055) !== 0) return found('directory-readable', { directory, mode });
  if (owner !== user) return found('directory-of-another', { directory, owner, user });
  return ok(`${directory}, only for its owner`);
}

/** Below `tightBytes` there is soon no space for runs; below `fullBytes` only the reserve is left. */
const tightBytes = 1024 ** 3;
const fullBytes = 1024 ** 2;

/** Whether there is space on the disk. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  const freeBytes = diskFreeBytes(dataDir);
  const isInUse = reserve.isReserveInUse(dataDir);
  if (!isInUse && reserve.lacksReserve(dataDir)) return found('reserve-missing', { freeBytes });
  if (isInUse || freeBytes < fullBytes) {
    const isServed = whoServesFile(dataDir) !== null;
    await using reader = isInUse ? await openReader(storePath(dataDir)).catch(() => null) : null;
    const isSpent = reader !== null && (await reserve.isReserveSpent(dataDir, reader.db));
    return found('disk-full', { freeBytes, isReserveInUse: isInUse, isSpent, isServed });
  }
  if (freeBytes < tightBytes) return found('disk-low', { freeBytes });
  const lack = existsSync(reserve.reservePath(dataDir))
    ? ''
    : '; no reserve for a full disk yet: jobd serve makes it';
  return ok(`${sizeText(freeBytes)} free${lack}`);
}

/** Whether the file is sound, and can be written by those who may. */
export async function checkFile(db: Db, path: string): Promise<Finding> {
  const { pageBytes, pages } = await readSpace(db);
  const damage = await findDamage(db);
  if (damage.length > 0) return found('database-damaged', { path, damage: damage.slice(0, 3) });
  // A jobd that serves writes for milliseconds at a time. Who may not write cannot tell.
  const look = async (): Promise<boolean> => isLocked(path, 'begin immediate; rollback', 3_000);
  if (await look().catch(() => false)) return found('database-locked', { path });
  return ok(`${path}, ${sizeText(pages * pageBytes)}, sound`);
}

/** Whether the schema is as jobd makes it. */
export async function checkSchema(db: Db): Promise<Finding> {
  const differences = await findForeign(db, newestVersion);
  if (differences.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return found('schema-changed', { differences, count: differences.length });
}

/** How long a removal before its time is worth a warning. */
const recentMs = 7 * msPerDay;

/** Whether history is kept as long as plans say. */
export async function checkHistory(db: Db, dataDir: string, clock: Clock): Promise<Finding> {
  const { results, pings, at, limitBytes } = await findEarlyRemovals(db);
  const { pages, freePages, pageBytes } = await readSpace(db);
  const usedBytes = (pages - freePages) * pageBytes + logBytes(dataDir);
  const used =
    limitBytes === null ? null : `${sizeText(usedBytes)} of ${sizeText(limitBytes)} used`;
  const kept =
    at === null
      ? 'kept as long as plans say'
      : `${results} results and ${pings} pings were removed before their time, the last at ${isoTime(at)}`;
  if (used !== null && usedBytes > (limitBytes ?? 0)) {
    return found('history-above-limit', { used, kept });
  }
  if (at !== null && clock.now() - at <= recentMs) return found('history-removed', { used, kept });
  return ok(used === null ? kept : `${kept}; ${used}`);
}

/** Whether the clock went back. */
export async function checkClock(db: Db, clock: Clock): Promise<Finding> {
  const here = isoTime(clock.now());
  const newest = await inspect.newestCall(db);
  if (newest === null || newest <= clock.now()) return ok(here);
  return found('clock-behind', { here, called: isoTime(newest) });
}
