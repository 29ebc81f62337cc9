/** Checks an installation for problems without changing anything. */

import { isoTime, msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { counted } from '../../domain/counted.ts';
import { messageOf } from '../../domain/errors.ts';
import { availableIds, needsMasterKey } from '../../secrets/master-keys.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { openVault } from '../../secrets/vault.ts';
import { findGuessedUrl, findSiteUrl, findUntrustedProxy } from '../../store/accounts/instance.ts';
import * as inspect from '../../store/database/inspect.ts';
import { findLastLedgerCheck } from '../../store/runs/ledger-checks.ts';
import { zoneDataText, zoneDataTrouble } from '../../domain/schedule/zone-data.ts';
import { quoted } from '../../domain/quote.ts';
import { isWhole } from '../../domain/runs/ledger-check.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import { findLiveNodes } from '../../store/nodes/nodes.ts';
import { databaseClockOf } from '../../store/nodes/database-clock.ts';
import { openReader, storePath } from '../../store/sqlite/reader.ts';
import type { Db } from '../../store/database/store.ts';
import { openServerReader } from '../../store/open.ts';
import {
  checkClock,
  checkDirectory,
  checkDisk,
  checkFile,
  checkHistory,
  checkSchema,
} from './doctor-file.ts';
import { checkBackups } from './doctor-backups.ts';
import {
  checkAccess,
  checkDeadRows,
  checkLocks,
  checkNodes,
  checkOtherRoles,
  checkServer,
  checkServerClock,
  checkServerSchema,
  checkWrite,
} from './doctor-server.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding, Result } from './finding.ts';
import { isElsewhere, whoServes } from './served.ts';
import type { Place } from './served.ts';
import { findMissingKey } from '../secrets/missing-key.ts';
import { checkSealed, namesOf, remedyOf } from '../secrets/sealed-values.ts';

export interface DoctorParts {
  place: Place;
  /** The place, for messages. */
  name: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether the settings that were checked configure a mail server. */
  hasMailServer: boolean;
  /** Whether it fails if no jobd serves the place, as an enabled service does. */
  mustServe: boolean;
}

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
  const { place, name, masterKeys, clock: machine } = parts;
  const serverClock = place.database === null ? null : await databaseClockOf(db, machine);
  const clock = serverClock ?? machine;
  yield await finding('database', () =>
    place.database === null ? checkFile(db, storePath(place.dataDir)) : checkServer(db, name),
  );
  const access = place.database === null ? null : await finding('access', () => checkAccess(db));
  if (access !== null) yield access;
  if (access?.result === 'fail') return;
  if (access !== null) {
    yield await finding('other roles', () => checkOtherRoles(db));
    yield await finding('locks', () => checkLocks(db));
  }
  const version = await schemaVersion(db);
  if (version !== newestVersion) {
    const isEmpty = version === 0 && place.database !== null;
    yield { check: 'schema', ...(isEmpty ? nothingYet : checkOtherVersion(version)) };
    return;
  }
  const schema = await finding('schema', () =>
    place.database === null ? checkSchema(db) : checkServerSchema(db),
  );
  yield schema;
  // What somebody added to the schema may act on a write.
  if (place.database !== null && schema.result !== 'fail') {
    yield await finding('write', () => checkWrite(db));
  }
  const who = await whoServes(place, db);
  const isMade = place.database === null;
  const masterKey = await finding('master key', () => checkMasterKey(db, masterKeys, isMade));
  yield masterKey;
  // A remedy for a single job would be wrong while one for the key opens all of them again.
  const isKeyGood = masterKey.result !== 'fail';
  yield await finding('secrets', async () =>
    isKeyGood ? await checkSecrets(db, masterKeys) : fail(untilKeyIsThere),
  );
  yield { check: 'daemon', ...checkDaemon(who, parts) };
  if (place.database !== null) {
    yield await finding('dead rows', () => checkDeadRows(db));
    yield await finding('nodes', () => checkNodes(db, clock.now()));
  }
  yield await finding('site URL', () => checkSiteUrl(db));
  yield await finding('clock', () =>
    serverClock === null ? checkClock(db, machine) : checkServerClock(serverClock),
  );
  yield { check: 'time zones', ...checkZoneData(clock) };
  yield await finding('schedule', () => checkSchedule(db, clock, who !== null));
  yield await finding('ledger', () => checkLastLedger(db, clock));
  if (place.database === null)
    yield await finding('history', () => checkHistory(db, place.dataDir, clock));
  yield await finding('alerts', () => checkAlerts(db, parts));
  yield await finding('results', () => checkResults(db, clock));
  if (isMade) yield await finding('backups', () => checkBackups(place.dataDir, machine));
}

async function finding(check: string, run: () => Promise<Result> | Result): Promise<Finding> {
  try {
    return { check, ...(await run()) };
  } catch (error) {
    return { check, ...fail(messageOf(error)) };
  }
}

const nothingYet = warn('the database is empty: jobd serve makes the tables');

function checkOtherVersion(version: number): Result {
  if (version > newestVersion) {
    return fail(`version ${version} is from a newer jobd, this one knows ${newestVersion}`);
  }
  return warn(
    `version ${version}; the next start updates it to ${newestVersion}: back it up first`,
  );
}

/** `isMade`: whether the first start makes a key if there is none. */
async function checkMasterKey(db: Db, masterKeys: MasterKeys, isMade: boolean): Promise<Result> {
  const known = await listMasterKeys(db);
  const missing = findMissingKey(known, masterKeys, await findLiveNodes(db));
  if (missing !== null) return fail(missing.problem, missing.remedies);
  const [active] = known;
  if (active === undefined) {
    if (!isMade && availableIds(masterKeys).length === 0) return fail(needsMasterKey().message);
    return ok(isMade ? 'none yet: the first start makes it' : `that of ${masterKeys.name}`);
  }
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

function checkDaemon(who: string | null, { name, mustServe, place }: DoctorParts): Result {
  if (place.database === null && isElsewhere(place.dataDir)) {
    return fail(
      `${who} has another file open than ${storePath(place.dataDir)}, which was removed or replaced: what it stored since is not in this one; stop it, put the right file there, and start it`,
    );
  }
  if (who === null) {
    const sentence = `no jobd serves ${name}: nothing is called`;
    if (!mustServe) return warn(sentence);
    return fail(sentence, [
      'the service is enabled: systemctl start jobd',
      'why it does not run: journalctl -u jobd -p warning',
    ]);
  }
  return ok(`serves ${name} (${who})`);
}

async function checkSiteUrl(db: Db): Promise<Result> {
  const guessed = await findGuessedUrl(db);
  if (guessed !== null) {
    const remedy = 'set --base-url or JOBD_BASE_URL for jobd serve';
    return warn(`receipts and links say ${guessed}, which only works on this machine: ${remedy}`);
  }
  const proxy = await findUntrustedProxy(db);
  if (proxy !== null) {
    const remedy = `set --trusted-proxy ${proxy} or JOBD_TRUSTED_PROXY for jobd serve`;
    return warn(
      `requests come through a proxy at ${proxy} that is not trusted, so all its clients share the limits of one address: ${remedy}`,
    );
  }
  const url = await findSiteUrl(db);
  return ok(url === null ? 'not known before jobd serve ran' : `receipts and links say ${url}`);
}

/** The process that serves looks at the same files. */
function checkZoneData(clock: Clock): Result {
  const trouble = zoneDataTrouble(clock.now());
  return trouble === null ? ok(`data of ${zoneDataText()}`) : warn(trouble);
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

/** It is checked once a day, and a check may take a while. */
const ledgerCheckedWithinMs = 2 * msPerDay;

async function checkLastLedger(db: Db, clock: Clock): Promise<Result> {
  const last = await findLastLedgerCheck(db);
  if (last === undefined) return ok('not checked yet: jobd serve does it a minute after its start');
  const { checkedAt, after, called, missed, unaccounted, unexpected, example } = last;
  const when = `checked at ${isoTime(checkedAt)}`;
  if (!isWhole(last)) {
    return fail(
      `${unaccounted} due times without a trace, ${unexpected} runs that were not due (${when})`,
      [
        ...(example === null ? [] : [example]),
        `see all: jobd ledger check --since ${isoTime(after)}`,
      ],
    );
  }
  if (clock.now() - checkedAt > ledgerCheckedWithinMs) {
    return warn(`last ${when}: jobd serve does it once a day while it runs`);
  }
  const due = called + missed === 1 ? 'the one due time' : `all ${called + missed} due times`;
  return ok(
    called + missed === 0
      ? `nothing was due (${when})`
      : `${due} since ${isoTime(after)} accounted for (${when})`,
  );
}

/** Alerts arrive within seconds. If one waits longer, its channel does not answer. */
const slowAlertMs = 5 * 60_000;

async function checkAlerts(db: Db, { clock, hasMailServer }: DoctorParts): Promise<Result> {
  const failed = await inspect.countFailedDeliveries(db, 'alerts', clock.now() - 7 * msPerDay);
  if (failed > 0) {
    return warn(`${failed} not delivered in the last 7 days: jobd channels deliveries CHANNEL`);
  }
  const waiting = await inspect.longestWaiting(db, 'alerts', clock.now() - slowAlertMs);
  if (waiting !== undefined) {
    return warn(
      `${waitingWords(waiting, 'alert', 'to the channel')}: jobd channels deliveries ${quoted(waiting.name)}`,
    );
  }
  if (!hasMailServer && (await inspect.hasMailChannel(db))) {
    return warn('there are mail channels, but no JOBD_SMTP_URL here: check that the daemon has it');
  }
  return ok('none was lost in the last 7 days');
}

function waitingWords(
  { name, count, since }: inspect.Waiting,
  what: string,
  whose: string,
): string {
  return `${counted(count, what)} ${whose} ${name} waiting since ${isoTime(since)}`;
}

/** What the targets of users take is not in the operator's hands, so this never fails. */
async function checkResults(db: Db, clock: Clock): Promise<Result> {
  const waiting = await inspect.longestWaiting(db, 'results', clock.now() - slowAlertMs);
  if (waiting !== undefined) {
    return warn(
      `${waitingWords(waiting, 'result', 'of the job')}: jobd jobs callbacks ${quoted(waiting.name)}`,
    );
  }
  const failed = await inspect.countFailedDeliveries(db, 'results', clock.now() - 7 * msPerDay);
  if (failed > 0)
    return warn(`${failed} not delivered in the last 7 days: jobd jobs callbacks JOB`);
  return ok('none was lost in the last 7 days');
}
