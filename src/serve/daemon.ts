/** The composition root: open → keys → parts → loops, disposed in reverse. */

import { createHeldJobs } from '../app/jobs/held-jobs.ts';
import { isoTimeOrNull, type Clock } from '../domain/clock.ts';
import type { Egress } from '../egress/egress.ts';
import { startEgressThreads, type ThreadOptions } from '../egress/threads.ts';
import type { Log } from '../base/log.ts';
import { isEveryAddress, type ServeConfig } from '../settings/config.ts';
import { withoutPassword } from '../settings/setting.ts';
import { hasAccess } from '../store/accounts/access.ts';
import { summarize } from '../store/accounts/instance.ts';
import { noteUrl } from '../store/sqlite/lock.ts';
import { version } from '../version.ts';
import { engineToCome } from './engine-to-come.ts';
import { recordBeginning, startLoops, tuneEngineOfCode } from './loops.ts';
import { openData, openKeys } from './open.ts';
import { takePart } from './own-node.ts';
import { createApp, prepareCalls, startWatching } from './parts.ts';
import { startServer } from './server.ts';

export { drainMs } from './loops.ts';

/** A running jobd. Disposing of it stops it cleanly. */
export interface Daemon extends AsyncDisposable {
  /** The address it listens on, as `http://HOST:PORT`. */
  readonly url: string;
  /** The site URL in links and receipts that it guessed, since it listens on all addresses; null if it did not have to. */
  readonly guessedUrl: string | null;
  /** Whether there is a key or a session. */
  readonly hasAccess: () => Promise<boolean>;
  /** Calls in flight, including those whose outcome is not recorded yet. */
  readonly callsInFlight: () => number;
  /** What it is, for the log. */
  readonly describe: () => Promise<Description>;
}

/** A daemon that has just started. */
export interface Description {
  version: string;
  /** Either the data directory, or the URL of the database without its password. */
  dataDir?: string;
  database?: string;
  url: string;
  /** Null if none is set. */
  baseUrl: string | null;
  /** Until when a process served the data directory before, to 10 s: ISO 8601; null if none did, or on a server. */
  servedUntil: string | null;
  /** Left out, as the following, if they cannot be counted. */
  jobs?: number;
  monitors?: number;
  /** When the next job is due: ISO 8601; null if none is. */
  nextDueAt?: string | null;
}

/** What may be other than in a jobd that serves. */
export interface DaemonParts {
  clock?: Clock;
  /** Numbers from 0 to 1, 1 excluded. */
  random?: () => number;
  /** Starts all but the engine, so that nothing is called. */
  isOnTrial?: boolean;
  /** Where calls are made. Default: in threads of their own. */
  startEgress?: (options: ThreadOptions) => Egress;
}

/** Starts everything. Rejects with nothing left running if a part cannot start. */
export async function startDaemon(
  config: ServeConfig,
  log: Log,
  {
    clock,
    random = Math.random,
    isOnTrial = false,
    startEgress = startEgressThreads,
  }: DaemonParts = {},
): Promise<Daemon> {
  await using parts = new AsyncDisposableStack();
  const engine = engineToCome(isOnTrial);
  let site = config.baseUrl ?? '';
  const siteUrl = (): string => site;

  const data = await openData(config, { log, clock, keepsCopy: !isOnTrial }, parts);
  const keys = await openKeys(data, config.signing, siteUrl);

  const calling = prepareCalls(config, data, { log, startEgress }, parts);
  const { files } = calling;
  const watching = await startWatching(config, data, { log, engine, slots: files.slots }, parts);
  const own = { config, log, engine, files, meter: watching.meter };
  const node = await takePart(data, own, parts);
  const heldJobs = createHeldJobs(() => engine.wake('claim'));
  const made = { ...data, ...keys, ...calling, ...watching, ...node, log, engine, heldJobs };
  const app = createApp(config, made, parts);

  // The server is bound before the first call, and closed after the last one.
  const connections = { maxConnections: files.connections };
  const { url } = parts.use(await startServer(app, { ...config, connections }, log));
  site ||= reachable(url);
  const isGuess = config.baseUrl === null && isEveryAddress(config.host);
  await recordBeginning(made, { siteUrl: site, isGuess }, parts);
  if (config.database === null) noteUrl(config.dataDir, reachable(url));
  if (!isOnTrial) await startLoops(config, { ...made, random }, siteUrl, parts);
  tuneEngineOfCode();

  const { db } = data.store;
  const running = parts.move();
  return {
    url,
    guessedUrl: isGuess ? site : null,
    hasAccess: () => hasAccess(db),
    callsInFlight: engine.slotsUsed,
    async describe() {
      const { dataDir, database, baseUrl } = config;
      const where = database === null ? { dataDir } : { database: withoutPassword(database) };
      const servedUntil = isoTimeOrNull(data.servedUntil);
      const place = { version, ...where, url, baseUrl, servedUntil };
      // A line of the log is no reason to stop: what is broken is said where it is needed.
      const counted = await summarize(db, data.clock.now()).catch(() => null);
      if (counted === null) return place;
      return { ...place, ...counted, nextDueAt: isoTimeOrNull(counted.nextDueAt) };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A URL that works on this machine: an unspecified address, which is for listening only, becomes the loopback one. */
function reachable(url: string): string {
  return url
    .replace(/^(https?:\/\/)0\.0\.0\.0(?=[:/]|$)/, '$1127.0.0.1')
    .replace('//[::]', '//[::1]');
}
