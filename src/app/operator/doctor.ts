/** Checks an installation for problems without changing anything. */

import { isoTime, msPerDay, wrongClockMs, type Clock } from '../../domain/clock.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import { found, ok, type Finding } from '../../domain/findings.ts';
import { availableIds, needsMasterKey, type MasterKeys } from '../../secrets/master-keys.ts';
import { openVault } from '../../secrets/vault.ts';
import { aboutOf, aboutText } from '../../domain/window-words.ts';
import { periodAfter, shareOf, whatIsDone, type WindowEffect } from '../../domain/windows.ts';
import { findGuessedUrl, findSiteUrl, findUntrustedProxy } from '../../store/accounts/instance.ts';
import { listAllWindows } from '../../store/accounts/windows.ts';
import * as inspect from '../../store/database/inspect.ts';
import { newestVersion, schemaVersion } from '../../store/database/migrate.ts';
import type { Db } from '../../store/database/store.ts';
import { databaseClockOf, type DatabaseClock } from '../../store/nodes/database-clock.ts';
import { findLiveNodes } from '../../store/nodes/nodes.ts';
import { openServerReader } from '../../store/open.ts';
import * as server from '../../store/postgres/doctor.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { movedDatabase } from '../../store/sqlite/lost.ts';
import { openReader, storePath } from '../../store/sqlite/reader.ts';
import { lastSign } from '../../store/sqlite/sign-of-life.ts';
import { findMissingKey } from '../secrets/missing-key.ts';
import { checkSealed, namesOf, remedyOf } from '../secrets/sealed-values.ts';
import { checks } from './checks.ts';
import * as file from './doctor-file.ts';
import { leadText, notGiven } from './nodes.ts';
import { whoServes, whoServesFile, type Place } from './served.ts';

export interface DoctorParts {
  place: Place;
  /** The place, for messages. */
  name: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether the settings that were checked configure a mail server. */
  hasMailServer: boolean;
  /** Whether a jobd should serve the place; it may be at rest else, a restored one for example. */
  shouldServe: boolean;
  /** Whether it is the place of the service. */
  isOfService: boolean;
}

/** A finding, and the check that made it. */
export interface Checked extends Finding {
  check: string;
}

/** Runs all checks of a place with a database in turn. A check that throws is a failed one. */
export async function* examine(parts: DoctorParts): AsyncGenerator<Checked> {
  const { dataDir, database } = parts.place;
  if (database === null) {
    yield* made('data directory', () => file.checkDirectory(dataDir));
    yield* made('disk', () => file.checkDisk(dataDir));
  }
  try {
    await using reader =
      database === null ? await openReader(storePath(dataDir)) : await openServerReader(database);
    yield* database === null ? examineFile(reader.db, parts) : examineServer(reader.db, parts);
  } catch (error) {
    yield failed('database', error);
    if (database === null) yield* made('daemon', () => checkDaemon(whoServesFile(dataDir), parts));
  }
}

async function* examineFile(db: Db, parts: DoctorParts): AsyncGenerator<Checked> {
  const { place, clock } = parts;
  yield* made('database', () => file.checkFile(db, storePath(place.dataDir)));
  if (yield* isOtherVersion(db, false)) return;
  yield* made('schema', () => file.checkSchema(db));
  yield* examineStore(db, parts);
  yield* made('clock', () => file.checkClock(db, clock));
  yield* made('history', () => file.checkHistory(db, place.dataDir, clock));
}

async function* examineServer(db: Db, parts: DoctorParts): AsyncGenerator<Checked> {
  const clock = await databaseClockOf(db, parts.clock);
  yield* made('database', () => server.checkServer(db, parts.name));
  if (yield* made('access', () => server.checkAccess(db))) return;
  yield* made('other roles', () => server.checkOtherRoles(db));
  yield* made('locks', () => server.checkLocks(db));
  if (yield* isOtherVersion(db, true)) return;
  const isChanged = yield* made('schema', () => server.checkServerSchema(db));
  // What somebody added to the schema may act on a write.
  if (!isChanged) yield* made('write', () => server.checkWrite(db));
  yield* examineStore(db, { ...parts, clock });
  yield* made('dead rows', () => server.checkDeadRows(db));
  yield* made('clock', () => checkServerClock(clock));
}

/** What is checked wherever the database is. */
async function* examineStore(db: Db, parts: DoctorParts): AsyncGenerator<Checked> {
  const { place, masterKeys, clock } = parts;
  const who = await whoServes(place, db);
  const isKeyBad = yield* made('master key', () => checkMasterKey(db, parts));
  // A remedy for a single job would be wrong while one for the key opens all of them again.
  yield* made('secrets', async () =>
    isKeyBad ? found('secrets-unchecked', {}) : await checkSecrets(db, masterKeys),
  );
  yield* made('daemon', () => checkDaemon(who, parts));
  yield* made('site URL', () => checkSiteUrl(db));
  yield* made('schedule', () => checkSchedule(db, clock, who !== null));
  const dataDir = place.database === null ? place.dataDir : null;
  for (const [name, check] of Object.entries(checks)) {
    yield* made(name, () => check({ db, clock, dataDir }));
  }
  yield* made('alerts', () => checkAlerts(db, parts));
  yield* made('windows', () => checkWindows(db, clock));
  yield* made('results', () => checkDelivered(db, 'results', clock));
}

/** Yields what a check finds. Returns whether it failed. */
async function* made(
  check: string,
  run: () => Promise<Finding | Finding[]> | Finding | Finding[],
): AsyncGenerator<Checked, boolean> {
  try {
    const findings = [await run()].flat();
    for (const finding of findings) yield { check, ...finding };
    return findings.some(({ result }) => result === 'fail');
  } catch (error) {
    yield failed(check, error);
    return true;
  }
}

function failed(check: string, error: unknown): Checked {
  const notes = error instanceof JobdError ? error.notes : [];
  return { check, ...found('check-failed', { reason: messageOf(error) }, notes) };
}

/** Says so if the tables are not of this version. `isShared`: an empty database may become one. */
async function* isOtherVersion(db: Db, isShared: boolean): AsyncGenerator<Checked, boolean> {
  const version = await schemaVersion(db);
  if (version === newestVersion) return false;
  const facts = { version, known: newestVersion };
  const code = version > newestVersion ? 'schema-newer' : 'schema-older';
  const isEmpty = version === 0 && isShared;
  yield { check: 'schema', ...(isEmpty ? found('database-empty', {}) : found(code, facts)) };
  return true;
}

async function checkMasterKey(db: Db, { masterKeys, place }: DoctorParts): Promise<Finding> {
  const known = await listMasterKeys(db);
  const missing = findMissingKey(known, masterKeys, await findLiveNodes(db));
  if (missing !== null) {
    return found('master-key-missing', { reason: missing.problem }, missing.remedies);
  }
  const [active] = known;
  if (active !== undefined && known.length > 1) return found('rotation-interrupted', {});
  if (active !== undefined)
    return ok(`${active} in ${masterKeys.name}: keep a copy of it elsewhere`);
  if (place.database === null) return ok('none yet: the first start makes it');
  if (availableIds(masterKeys).length > 0) return ok(`that of ${masterKeys.name}`);
  return found('master-key-missing', { reason: needsMasterKey().message });
}

async function checkSecrets(db: Db, masterKeys: MasterKeys): Promise<Finding> {
  const damaged: string[] = [];
  let of = 0;
  for await (const { row, isReadable, isDeleted } of checkSealed(db, openVault(masterKeys))) {
    of += 1;
    if (!isReadable && isDeleted === 0) damaged.push(row);
  }
  const count = damaged.length;
  if (count === 0) return ok(`${of} sealed, all can be opened`);
  const [names, remedy] = [namesOf(damaged), remedyOf(damaged)];
  return found('secrets-unreadable', { count, of, names, remedy });
}

/** A jobd that serves leaves a sign of life in its data directory each 10 s. */
const silentMs = 30_000;

function checkDaemon(who: string | null, parts: DoctorParts): Finding {
  const { name, place, clock, shouldServe, isOfService } = parts;
  const moved = place.database === null ? movedDatabase(place.dataDir) : null;
  if (moved !== null) return found('database-moved', { reason: moved.message }, moved.notes);
  if (who !== null) {
    const since = place.database === null ? lastSign(place.dataDir) : null;
    const isSilent = since !== null && clock.now() - since > silentMs;
    if (isSilent) return found('daemon-silent', { who, since: isoTime(since) });
    return ok(`serves ${name} (${who})`);
  }
  const where = place.database === null ? `--data ${name}` : 'with the same --database';
  const notes = isOfService
    ? ['to start it: systemctl start jobd', 'why it does not run: journalctl -u jobd -p warning']
    : [`to start it: jobd serve ${where}, with its other options`];
  return found(shouldServe ? 'daemon-down' : 'not-served', { place: name }, notes);
}

async function checkSiteUrl(db: Db): Promise<Finding> {
  const guessed = await findGuessedUrl(db);
  if (guessed !== null) return found('site-url-guessed', { url: guessed });
  const address = await findUntrustedProxy(db);
  if (address !== null) return found('proxy-untrusted', { address });
  const url = await findSiteUrl(db);
  return ok(url === null ? 'not known before jobd serve ran' : `receipts and links say ${url}`);
}

/** Whether the clock of this machine agrees with the database's. */
function checkServerClock(clock: DatabaseClock): Finding {
  const leadMs = clock.leadMs();
  if (Math.abs(leadMs) <= wrongClockMs) return ok(isoTime(clock.now()));
  return found('clock-differs', { lead: leadText(leadMs) });
}

/** A job is called within a minute of its due time, or the run is recorded as missed. */
const lateMs = 60_000;

async function checkSchedule(db: Db, clock: Clock, isServed: boolean): Promise<Finding> {
  const count = await inspect.countOverdueJobs(db, clock.now() - lateMs);
  if (count === 0) return ok('no job is overdue');
  return found(isServed ? 'jobs-overdue' : 'jobs-wait', { count });
}

/** Alerts arrive within seconds. If one waits longer, its channel does not answer. */
const slowAlertMs = 5 * 60_000;
const undeliveredForMs = 7 * msPerDay;

async function checkAlerts(db: Db, { clock, hasMailServer }: DoctorParts): Promise<Finding> {
  const delivered = await checkDelivered(db, 'alerts', clock);
  if (delivered.code !== null || !(await inspect.hasMailChannel(db))) return delivered;
  // Nodes know better than this command what they were given.
  const given = (await findLiveNodes(db)).map(({ settings }) => settings['--smtp-url']);
  const isGiven = given.length === 0 ? hasMailServer : given.some((one) => one !== notGiven);
  return isGiven ? delivered : found('mail-server-missing', {});
}

/** It never fails: what targets and channels take is not in the operator's hands. */
async function checkDelivered(db: Db, what: inspect.Delivered, clock: Clock): Promise<Finding> {
  const count = await inspect.countFailedDeliveries(db, what, clock.now() - undeliveredForMs);
  if (count > 0) return found(`${what}-undelivered`, { count });
  const waiting = await inspect.longestWaiting(db, what, clock.now() - slowAlertMs);
  if (waiting === undefined) return ok('none was lost in the last 7 days');
  return found(`${what}-wait`, { ...waiting, since: isoTime(waiting.since) });
}

/** Who mutes alerts or holds jobs for longer, or again and again, may have forgotten it, or hides something. */
const longWindowMs = msPerDay;
const mostOfTheTime = 0.95;

async function checkWindows(db: Db, clock: Clock): Promise<Finding[]> {
  const notes: Record<WindowEffect, string[]> = { mute: [], hold: [] };
  const week = { from: clock.now(), until: clock.now() + 7 * msPerDay };
  for (const { name, windows } of await listAllWindows(db)) {
    for (const together of Map.groupBy(windows, whatIsDone).values()) {
      const isNearlyAlways = shareOf(together, week) >= mostOfTheTime;
      for (const window of together) {
        const period = periodAfter(window, week.from);
        if (period === null || period.from >= week.until) continue;
        const isLong = period.from <= week.from && period.until - period.from > longWindowMs;
        if (!isLong && !isNearlyAlways) continue;
        const about = aboutText(aboutOf(window));
        const isOnce = isLong || window.cronExpr === null;
        const end = isOnce ? `until ${isoTime(period.until)}` : `by ${window.cronExpr}`;
        notes[window.effect].push(`${window.name} (workspace ${name}): ${about}, ${end}`);
      }
    }
  }
  const { mute, hold } = notes;
  return [
    ...(mute.length === 0 ? [] : [found('alerts-muted', { count: mute.length }, mute)]),
    ...(hold.length === 0 ? [] : [found('jobs-held', { count: hold.length }, hold)]),
  ];
}
