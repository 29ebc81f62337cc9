/** What may be wrong with an installation, looked at without changing anything. */

import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { messageOf } from '../../domain/errors.ts';
import { ifOpens, placeOf, rowOf, sealedTables } from '../../domain/secrets/vault.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { openVault } from '../../secrets/vault.ts';
import { findForeign } from '../../store/database/foreign.ts';
import * as inspect from '../../store/database/inspect.ts';
import { whoServes } from '../../store/database/lock.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { hasDatabase, openReader, storePath } from '../../store/database/open.ts';
import type { Db } from '../../store/database/open.ts';
import { isReserveInUse, lacksReserve } from '../../store/database/reserve.ts';
import { readSpace } from '../../store/database/space.ts';
import { remedyOf, sealedValues } from '../secrets/master-keys.ts';

/** What was looked at, and what was seen. */
export interface Finding {
  check: string;
  /** `fail`: jobd does not do its work, or loses something; `warn`: somebody should look at it. */
  result: 'ok' | 'warn' | 'fail';
  detail: string;
}

export interface DoctorParts {
  dataDir: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether a mail server is configured, as far as this command can see. */
  hasMailServer: boolean;
}

type Seen = Omit<Finding, 'check'>;
const ok = (detail: string): Seen => ({ result: 'ok', detail });
const warn = (detail: string): Seen => ({ result: 'warn', detail });
const fail = (detail: string): Seen => ({ result: 'fail', detail });

/** Looks at everything, one thing after another; what cannot be looked at is a finding too. */
export async function* examine(parts: DoctorParts): AsyncGenerator<Finding> {
  const { dataDir } = parts;
  try {
    if (!hasDatabase(dataDir)) {
      yield { check: 'database', ...fail(`there is none in ${dataDir}: jobd serve makes it`) };
      return;
    }
  } catch (error) {
    yield { check: 'data directory', ...fail(messageOf(error)) };
    return;
  }
  yield await finding('data directory', () => seeDirectory(dataDir));
  yield await finding('disk', () => seeDisk(dataDir));
  try {
    await using reader = await openReader(storePath(dataDir));
    yield* examineDatabase(reader.db, parts);
  } catch (error) {
    yield { check: 'database', ...fail(messageOf(error)) };
  }
}

async function* examineDatabase(db: Db, parts: DoctorParts): AsyncGenerator<Finding> {
  const { dataDir, masterKeys, clock } = parts;
  yield await finding('database', () => seeDatabase(db, storePath(dataDir)));
  const version = await schemaVersion(db);
  if (version !== newestVersion) {
    yield { check: 'schema', ...seeOtherVersion(version) };
    return;
  }
  yield await finding('schema', () => seeSchema(db));
  const pid = whoServes(dataDir);
  yield await finding('master key', () => seeMasterKey(db, masterKeys));
  yield await finding('secrets', () => seeSecrets(db, masterKeys));
  yield { check: 'daemon', ...seeDaemon(pid, dataDir) };
  yield await finding('clock', () => seeClock(db, clock));
  yield await finding('schedule', () => seeSchedule(db, clock, pid !== undefined));
  yield await finding('alerts', () => seeAlerts(db, parts));
}

async function finding(check: string, look: () => Promise<Seen> | Seen): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, ...fail(messageOf(error)) };
  }
}

function seeDirectory(dataDir: string): Seen {
  const { mode, uid } = statSync(dataDir);
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const me = process.getuid?.();
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o022) !== 0)
    return fail(`others may write in ${dataDir} (mode ${bits}): chmod 700 it`);
  if ((mode & 0o055) !== 0)
    return warn(`others may look into ${dataDir} (mode ${bits}): chmod 700 it`);
  if (me !== undefined && uid !== me) {
    return warn(`${dataDir} belongs to user ${uid}, this command runs as user ${me}`);
  }
  return ok(`${dataDir}, only for its owner`);
}

/** Below this there is soon no room for runs; below the other there is none, but for the reserve. */
const tightBytes = 1024 ** 3;
const fullBytes = 1024 ** 2;

async function seeDisk(dataDir: string): Promise<Seen> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const words = `${sizeText(free)} free`;
  if (isReserveInUse(dataDir)) {
    return fail(`${words}, and the disk was full: make room, or delete jobs or monitors`);
  }
  if (lacksReserve(dataDir)) {
    return fail(`${words}, and no reserve for the time when the disk is full: make room`);
  }
  if (free < fullBytes) return fail(`${words}: make room`);
  return free < tightBytes ? warn(`${words}, which is soon too little: make room`) : ok(words);
}

async function seeDatabase(db: Db, path: string): Promise<Seen> {
  const { pageBytes, pages } = await readSpace(db);
  const damage = await inspect.checkDatabase(db);
  if (damage.length === 0) return ok(`${path}, ${sizeText(pages * pageBytes)}, sound`);
  return fail(
    `${path} is damaged: ${damage.slice(0, 3).join('; ')}; restore a backup: jobd restore`,
  );
}

function seeOtherVersion(version: number): Seen {
  if (version > newestVersion) {
    return fail(`version ${version} is of a newer jobd, this one knows ${newestVersion}`);
  }
  return warn(
    `version ${version}; the next start brings it to ${newestVersion}: make a backup before`,
  );
}

async function seeSchema(db: Db): Promise<Seen> {
  const foreign = await findForeign(db, newestVersion);
  if (foreign.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return fail(`${foreign.slice(0, 3).join('; ')}: find out who changed the file, restore a backup`);
}

async function seeMasterKey(db: Db, masterKeys: MasterKeys): Promise<Seen> {
  const known = await listMasterKeys(db);
  const here = new Set(masterKeys.read().map(({ id }) => id));
  const missing = known.filter(({ keyId }) => !here.has(keyId)).map(({ keyId }) => keyId);
  if (missing.length > 0) {
    return fail(
      `${missing.join(' and ')} is not in ${masterKeys.name}: jobd cannot start without it: add it, ` +
        `or give up what it sealed: jobd secrets forget ${missing[0]}`,
    );
  }
  const [active] = known;
  if (active === undefined) return ok('none yet, the first start makes it');
  if (known.length > 1) return warn('a rotation was begun and not finished: jobd secrets rotate');
  return ok(`${active.keyId} in ${masterKeys.name}: keep a copy of it elsewhere`);
}

const namedAtMost = 10;

async function seeSecrets(db: Db, masterKeys: MasterKeys): Promise<Seen> {
  const vault = openVault(masterKeys);
  const damaged: string[] = [];
  let count = 0;
  for (const table of sealedTables) {
    for await (const value of sealedValues(db, table)) {
      const place = placeOf(table, value);
      count += 1;
      if (value.isDeleted === 1) continue;
      if (ifOpens(() => vault.open(value.sealed, place)) === undefined) damaged.push(rowOf(place));
    }
  }
  if (damaged.length === 0) return ok(`${count} sealed, all can be opened`);
  const named = damaged.slice(0, namedAtMost).join(', ');
  const more = damaged.length > namedAtMost ? ', …' : '';
  return fail(
    `${damaged.length} of ${count} sealed cannot be opened: ${named}${more}: ${remedyOf(damaged)}`,
  );
}

function seeDaemon(pid: string | undefined, dataDir: string): Seen {
  if (pid === undefined) return warn(`no jobd serves ${dataDir}: nothing is called`);
  return ok(`serves ${dataDir} (pid ${pid})`);
}

async function seeClock(db: Db, clock: Clock): Promise<Seen> {
  const now = clock.now();
  const newest = await inspect.newestCall(db);
  if (newest === null || newest <= now)
    return ok(`${isoTime(now)}, zones of ${process.versions.tz}`);
  return fail(
    `it is ${isoTime(now)} here, and a job was called at ${isoTime(newest)}: set the clock`,
  );
}

/** A due time is called within a minute, or recorded as missed. */
const lateMs = 60_000;

async function seeSchedule(db: Db, clock: Clock, isServed: boolean): Promise<Seen> {
  const overdue = await inspect.countOverdueJobs(db, clock.now() - lateMs);
  if (overdue === 0) return ok('no job is overdue');
  const words = `${overdue} ${overdue === 1 ? 'job is' : 'jobs are'} overdue by more than a minute`;
  return isServed
    ? fail(`${words}: see the log of the daemon, and /readyz`)
    : warn(`${words}, as nothing serves them`);
}

/** An alert arrives within seconds; one that waits longer met a channel that gives no answer. */
const slowAlertMs = 5 * 60_000;

async function seeAlerts(db: Db, { clock, hasMailServer }: DoctorParts): Promise<Seen> {
  const failed = await inspect.countFailedDeliveries(db, clock.now() - 7 * msPerDay);
  if (failed > 0) {
    return warn(`${failed} did not arrive in the last 7 days: jobd channels deliveries CHANNEL`);
  }
  const waiting = await inspect.longestWaiting(db, clock.now() - slowAlertMs);
  if (waiting !== undefined) {
    const { name, count, since } = waiting;
    const alerts = count === 1 ? '1 alert' : `${count} alerts`;
    return warn(
      `${alerts} to the channel ${name} ${count === 1 ? 'waits' : 'wait'} since ${isoTime(since)}: jobd channels deliveries ${name}`,
    );
  }
  if (!hasMailServer && (await inspect.hasMailChannel(db))) {
    return warn('there are mail channels, and no JOBD_SMTP_URL here: see that the daemon has it');
  }
  return ok('none was lost in the last 7 days');
}

function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(power < 2 ? 0 : 1))} ${units[power]}`;
}
