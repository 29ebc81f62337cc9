/** Checks an installation for problems without changing anything. */

import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { messageOf } from '../../domain/errors.ts';
import { sizeText } from '../../domain/sizes.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { openVault } from '../../secrets/vault.ts';
import { findGuessedUrl, findSiteUrl } from '../../store/accounts/instance.ts';
import { findForeign } from '../../store/sqlite/foreign.ts';
import * as inspect from '../../store/database/inspect.ts';
import { serverFacts } from '../../store/postgres/facts.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { openReader, storePath } from '../../store/sqlite/open.ts';
import type { Db } from '../../store/database/store.ts';
import { isReserveInUse, lacksReserve } from '../../store/sqlite/reserve.ts';
import { checkDatabase as findDamage } from '../../store/sqlite/inspect.ts';
import { readSpace } from '../../store/sqlite/space.ts';
import { openServerReader } from '../../store/open.ts';
import { whoServes } from './served.ts';
import type { Place } from './served.ts';
import { findMissingKey } from '../secrets/missing-key.ts';
import { checkSealed, namesOf, remedyOf } from '../secrets/sealed-values.ts';

/** The result of one check. */
export interface Finding {
  check: string;
  /** `fail`: jobd does not work, or loses something; `warn`: an operator should read the detail. */
  result: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What belongs to the detail, a line each: places, remedies. */
  notes: readonly string[];
}

export interface DoctorParts {
  place: Place;
  /** The place, for messages. */
  name: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether the environment of this command configures a mail server. */
  hasMailServer: boolean;
}

type Result = Omit<Finding, 'check'>;
const ok = (detail: string): Result => ({ result: 'ok', detail, notes: [] });
const warn = (detail: string): Result => ({ result: 'warn', detail, notes: [] });
const fail = (detail: string, notes: readonly string[] = []): Result => {
  return { result: 'fail', detail, notes };
};

/** Runs all checks of a place with a database in turn. A check that throws is a failed one. */
export async function* examine(parts: DoctorParts): AsyncGenerator<Finding> {
  const { dataDir, database } = parts.place;
  if (database === null) {
    yield await finding('data directory', () => checkDirectory(dataDir));
    yield await finding('disk', () => checkDisk(dataDir));
  }
  try {
    await using reader =
      database === null ? await openReader(storePath(dataDir)) : await openServerReader(database);
    yield* examineDatabase(reader.db, parts);
  } catch (error) {
    yield { check: 'database', ...fail(messageOf(error)) };
  }
}

async function* examineDatabase(db: Db, parts: DoctorParts): AsyncGenerator<Finding> {
  const { place, name, masterKeys, clock } = parts;
  yield await finding('database', () =>
    place.database === null ? checkFile(db, storePath(place.dataDir)) : checkServer(db, name),
  );
  const version = await schemaVersion(db);
  if (version !== newestVersion) {
    yield { check: 'schema', ...checkOtherVersion(version) };
    return;
  }
  yield await finding('schema', () =>
    place.database === null ? checkSchema(db) : ok(`version ${newestVersion}`),
  );
  const who = await whoServes(place, db);
  const masterKey = await finding('master key', () => checkMasterKey(db, masterKeys));
  yield masterKey;
  // A remedy for a single job would be wrong while one for the key opens all of them again.
  const isKeyGood = masterKey.result !== 'fail';
  yield await finding('secrets', async () =>
    isKeyGood ? await checkSecrets(db, masterKeys) : fail(untilKeyIsThere),
  );
  yield { check: 'daemon', ...checkDaemon(who, name) };
  yield await finding('site URL', () => checkSiteUrl(db));
  yield await finding('clock', () => checkClock(db, clock));
  yield await finding('schedule', () => checkSchedule(db, clock, who !== null));
  yield await finding('alerts', () => checkAlerts(db, parts));
}

async function finding(check: string, run: () => Promise<Result> | Result): Promise<Finding> {
  try {
    return { check, ...(await run()) };
  } catch (error) {
    return { check, ...fail(messageOf(error)) };
  }
}

function checkDirectory(dataDir: string): Result {
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

async function checkDisk(dataDir: string): Promise<Result> {
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

async function checkFile(db: Db, path: string): Promise<Result> {
  const { pageBytes, pages } = await readSpace(db);
  const damage = await findDamage(db);
  if (damage.length === 0) return ok(`${path}, ${sizeText(pages * pageBytes)}, sound`);
  return fail(
    `${path} is damaged: ${damage.slice(0, 3).join('; ')}; restore a backup: jobd restore`,
  );
}

async function checkServer(db: Db, name: string): Promise<Result> {
  const { version, bytes } = await serverFacts(db);
  return ok(`PostgreSQL ${version} at ${name}, ${sizeText(bytes)}`);
}

function checkOtherVersion(version: number): Result {
  if (version > newestVersion) {
    return fail(`version ${version} is from a newer jobd, this one knows ${newestVersion}`);
  }
  return warn(
    `version ${version}; the next start updates it to ${newestVersion}: back it up first`,
  );
}

async function checkSchema(db: Db): Promise<Result> {
  const foreign = await findForeign(db, newestVersion);
  if (foreign.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return fail(
    `${foreign.slice(0, 3).join('; ')}: find out who changed the file, and restore a backup`,
  );
}

async function checkMasterKey(db: Db, masterKeys: MasterKeys): Promise<Result> {
  const known = await listMasterKeys(db);
  const missing = findMissingKey(known, masterKeys);
  if (missing !== null) return fail(missing.problem, missing.remedies);
  const [active] = known;
  if (active === undefined) return ok('none yet: the first start makes it');
  if (known.length > 1) return warn('a rotation was interrupted: jobd secrets rotate');
  return ok(`${active} in ${masterKeys.name}: keep a copy of it elsewhere`);
}

const untilKeyIsThere =
  'not checked: they need the master key; repair that first, and change no job or channel until then';

async function checkSecrets(db: Db, masterKeys: MasterKeys): Promise<Result> {
  const damaged: string[] = [];
  let count = 0;
  for await (const { row, isReadable, isDeleted } of checkSealed(db, openVault(masterKeys))) {
    count += 1;
    if (!isReadable && isDeleted === 0) damaged.push(row);
  }
  if (damaged.length === 0) return ok(`${count} sealed, all can be opened`);
  return fail(
    `${damaged.length} of ${count} sealed cannot be opened: ${namesOf(damaged)}: ${remedyOf(damaged)}`,
  );
}

function checkDaemon(who: string | null, name: string): Result {
  if (who === null) return warn(`no jobd serves ${name}: nothing is called`);
  return ok(`serves ${name} (${who})`);
}

async function checkSiteUrl(db: Db): Promise<Result> {
  const guessed = await findGuessedUrl(db);
  if (guessed !== null) {
    const remedy = 'set --base-url or JOBD_BASE_URL for jobd serve';
    return warn(`receipts and links say ${guessed}, which only works on this machine: ${remedy}`);
  }
  const url = await findSiteUrl(db);
  return ok(url === null ? 'not known before jobd serve ran' : `receipts and links say ${url}`);
}

async function checkClock(db: Db, clock: Clock): Promise<Result> {
  const now = clock.now();
  const newest = await inspect.newestCall(db);
  if (newest === null || newest <= now)
    return ok(`${isoTime(now)}, zones of ${process.versions.tz}`);
  return fail(
    `it is ${isoTime(now)} here, and a job was already called at ${isoTime(newest)}: set the clock`,
  );
}

/** A job is called within a minute of its due time, or the run is recorded as missed. */
const lateMs = 60_000;

async function checkSchedule(db: Db, clock: Clock, isServed: boolean): Promise<Result> {
  const overdue = await inspect.countOverdueJobs(db, clock.now() - lateMs);
  if (overdue === 0) return ok('no job is overdue');
  const words = `${overdue} ${overdue === 1 ? 'job is' : 'jobs are'} overdue by more than a minute`;
  return isServed
    ? fail(`${words}: see the log of the daemon, and /readyz`)
    : warn(`${words}: jobd is not running`);
}

/** Alerts arrive within seconds. If one waits longer, its channel does not answer. */
const slowAlertMs = 5 * 60_000;

async function checkAlerts(db: Db, { clock, hasMailServer }: DoctorParts): Promise<Result> {
  const failed = await inspect.countFailedDeliveries(db, clock.now() - 7 * msPerDay);
  if (failed > 0) {
    return warn(`${failed} not delivered in the last 7 days: jobd channels deliveries CHANNEL`);
  }
  const waiting = await inspect.longestWaiting(db, clock.now() - slowAlertMs);
  if (waiting !== undefined) {
    const { name, count, since } = waiting;
    const alerts = count === 1 ? '1 alert' : `${count} alerts`;
    return warn(
      `${alerts} to the channel ${name} waiting since ${isoTime(since)}: jobd channels deliveries ${name}`,
    );
  }
  if (!hasMailServer && (await inspect.hasMailChannel(db))) {
    return warn('there are mail channels, but no JOBD_SMTP_URL here: check that the daemon has it');
  }
  return ok('none was lost in the last 7 days');
}
