/** What the doctor looks at where the database is a file. */

import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { sizeText } from '../../domain/sizes.ts';
import { findEarlyRemovals } from '../../store/accounts/instance.ts';
import * as inspect from '../../store/database/inspect.ts';
import { newestVersion } from '../../store/database/migrate.ts';
import type { Db } from '../../store/database/store.ts';
import { findForeign } from '../../store/sqlite/foreign.ts';
import { checkDatabase as findDamage } from '../../store/sqlite/inspect.ts';
import { isReserveInUse, lacksReserve } from '../../store/sqlite/reserve.ts';
import { logBytes, readSpace } from '../../store/sqlite/space.ts';
import { fail, ok, warn } from './finding.ts';
import type { Result } from './finding.ts';

/** Whether only the owner may use the data directory. */
export function checkDirectory(dataDir: string): Result {
  const { mode, uid } = statSync(dataDir);
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const user = process.getuid?.();
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o022) !== 0) {
    return fail(`other users can write to ${dataDir} (mode ${bits}): chmod 700 it`);
  }
  if ((mode & 0o055) !== 0) {
    return warn(`other users can read ${dataDir} (mode ${bits}): chmod 700 it`);
  }
  if (user !== undefined && uid !== user) {
    return warn(`${dataDir} belongs to user ${uid}, this command runs as user ${user}`);
  }
  return ok(`${dataDir}, only for its owner`);
}

/** Below `tightBytes` there is soon no space for runs; below `fullBytes` only the reserve is left. */
const tightBytes = 1024 ** 3;
const fullBytes = 1024 ** 2;

/** Whether there is space on the disk. */
export async function checkDisk(dataDir: string): Promise<Result> {
  const { bavail, bsize } = await statfs(dataDir);
  const bytes = bavail * bsize;
  const free = `${sizeText(bytes)} free`;
  if (isReserveInUse(dataDir)) {
    return fail(`${free}, and the disk was full: free some space, or delete jobs or monitors`);
  }
  if (lacksReserve(dataDir)) {
    return fail(`${free}, and there is no reserve for a full disk: free some space`);
  }
  if (bytes < fullBytes) return fail(`${free}: free some space`);
  return bytes < tightBytes ? warn(`${free}, which is soon too little: free some space`) : ok(free);
}

/** Whether the file is sound. */
export async function checkFile(db: Db, path: string): Promise<Result> {
  const { pageBytes, pages } = await readSpace(db);
  const damage = await findDamage(db);
  if (damage.length === 0) return ok(`${path}, ${sizeText(pages * pageBytes)}, sound`);
  return fail(
    `${path} is damaged: ${damage.slice(0, 3).join('; ')}; restore a backup: jobd restore`,
  );
}

/** Whether the schema is as jobd makes it. */
export async function checkSchema(db: Db): Promise<Result> {
  const foreign = await findForeign(db, newestVersion);
  if (foreign.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return fail(
    `${foreign.slice(0, 3).join('; ')}: find out who changed the file, and restore a backup`,
  );
}

/** How long a removal before its time is worth a warning. */
const recentMs = 7 * msPerDay;

/** Whether history is kept as long as plans say. */
export async function checkHistory(db: Db, dataDir: string, clock: Clock): Promise<Result> {
  const { results, pings, at, limitBytes } = await findEarlyRemovals(db);
  const { pages, freePages, pageBytes } = await readSpace(db);
  const used = (pages - freePages) * pageBytes + logBytes(dataDir);
  const limit = limitBytes === null ? '' : `; ${sizeText(used)} of ${sizeText(limitBytes)} used`;
  const kept =
    at === null
      ? 'kept as long as plans say'
      : `${results} results and ${pings} pings were removed before their time, the last at ${isoTime(at)}`;
  const orMore = limitBytes === null ? '' : 'raise --max-database-size, ';
  if (limitBytes !== null && used > limitBytes) {
    return warn(
      `above the limit, so the oldest history goes; if that lasts, ${orMore}or delete jobs or monitors; ${kept}${limit}`,
    );
  }
  if (at === null || clock.now() - at > recentMs) return ok(`${kept}${limit}`);
  return warn(
    `${kept}, as space was short${limit}: ${orMore}free space on the disk, or choose smaller plans`,
  );
}

/** Whether the clock went back. */
export async function checkClock(db: Db, clock: Clock): Promise<Result> {
  const now = clock.now();
  const newest = await inspect.newestCall(db);
  if (newest === null || newest <= now) return ok(isoTime(now));
  return fail(
    `it is ${isoTime(now)} here, and a job was already called at ${isoTime(newest)}: set the clock`,
  );
}
