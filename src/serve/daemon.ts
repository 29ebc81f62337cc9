/** The composition root: lock → store → vault → egress → server → engine, disposed in reverse. */

import { setFlagsFromString } from 'node:v8';
import { startServer } from './server.ts';
import type { App } from '../app/app.ts';
import { createHeldJobs } from '../app/jobs/held-jobs.ts';
import { createAdmissions } from '../app/accounts/admissions.ts';
import { createAuthenticate } from '../app/accounts/authenticate.ts';
import { createEvents } from '../app/events.ts';
import { hearOtherNodes } from '../app/other-nodes.ts';
import { createKeyUses } from '../app/accounts/key-uses.ts';
import { newSecret } from '../app/accounts/secrets.ts';
import { createFigures } from '../app/operator/figures.ts';
import { createHealth } from '../app/operator/health.ts';
import { openCompletionTokens } from '../app/secrets/completion-key.ts';
import { ensureSigningKey } from '../app/receipts/signing-keys.ts';
import { isEveryAddress } from '../settings/config.ts';
import type { ServeConfig } from '../settings/config.ts';
import { isoTimeOrNull, systemClock } from '../domain/clock.ts';
import type { Clock } from '../domain/clock.ts';
import { found } from '../domain/findings.ts';
import type { Finding, FindingCode } from '../domain/findings.ts';
import { attemptsInFlight } from '../domain/alerts/delivery.ts';
import { shareOpenFiles } from '../domain/targets/open-files.ts';
import type { WokenLoop } from '../domain/hints.ts';
import type { OpenFiles } from '../domain/targets/open-files.ts';
import { everywhere } from '../domain/targets/target.ts';
import { createTargetJudge } from '../egress/judged-target.ts';
import type { Egress } from '../egress/egress.ts';
import { createMailer } from '../egress/mail.ts';
import { startEgressThreads } from '../egress/threads.ts';
import type { ThreadOptions } from '../egress/threads.ts';
import { createMailAllowance } from '../engine/alerts/mail-limit.ts';
import { startEngine } from '../engine/engine.ts';
import type { Engine } from '../engine/engine.ts';
import { startHeartbeat } from '../engine/upkeep/heartbeat.ts';
import { createSpaceWatch } from '../engine/upkeep/space-watch.ts';
import type { SpaceWatch } from '../engine/upkeep/space-watch.ts';
import { startLoop } from '../engine/loop.ts';
import type { Step } from '../engine/loop.ts';
import type { Spans } from '../domain/runs/span.ts';
import type { Starting } from './house.ts';
import { addedByWings } from './wings.ts';
import { watchDataDirectory } from '../engine/upkeep/data-directory.ts';
import { createSigner } from '../engine/receipts/sign.ts';
import { openFilesLimit } from './file-limit.ts';
import { openLocal } from './local-store.ts';
import { takePart } from './own-node.ts';
import type { Log } from '../base/log.ts';
import { createChangeLog } from './log-changes.ts';
import { hasAccess } from '../store/accounts/access.ts';
import {
  recordSiteUrl,
  recordStart,
  startInstance,
  summarize,
} from '../store/accounts/instance.ts';
import { findLatenessOfOthers } from '../store/nodes/nodes.ts';
import { lockDataDir } from '../store/sqlite/lock.ts';
import { lostDatabase } from '../store/sqlite/lost.ts';
import type { Reserve } from '../store/database/store.ts';
import { withoutPassword } from '../settings/setting.ts';
import { startMeters } from '../metrics/meter.ts';
import type { SlotsInUse } from '../metrics/metrics.ts';
import { readPageFile, readVerifyScript } from '../base/built-files.ts';
import { version } from '../version.ts';

/** How long a stop waits for calls in flight, in milliseconds (docs/behavior.md#run-4). */
export const drainMs = 30_000;
/** The most event streams; of few connections, at most an eighth. */
const largestStreams = 256;
/**
 * For all threads (docs/benchmarks.md). Old objects are collected once they have grown by half: 50 MB less in a storm. A
 * function is compiled for the second time, by TurboFan, when it has run 100,000 times and not 3,000: in a storm the
 * compiler takes the processors from the calls, and what Maglev made is nearly as fast. Set when all code is loaded, since V8
 * refuses code caches that were made without the flags.
 */
const v8Flags = ['--heap-growing-percent=50', '--invocation-count-for-turbofan=100000'];

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
  /** Left out, as the following, if they cannot be counted. */
  jobs?: number;
  monitors?: number;
  /** When the next job is due: ISO 8601; null if none is. */
  nextDueAt?: string | null;
}

/** What may be other than in a jobd that serves. */
export interface DaemonParts {
  clock?: Clock;
  /** Starts all but the engine, so that nothing is called. */
  isOnTrial?: boolean;
  /** Where calls are made. Default: in threads of their own. */
  startEgress?: (options: ThreadOptions) => Egress;
}

/** Starts everything. Rejects with nothing left running if a part cannot start. */
export async function startDaemon(
  config: ServeConfig,
  log: Log,
  { clock: givenClock, isOnTrial = false, startEgress = startEgressThreads }: DaemonParts = {},
): Promise<Daemon> {
  await using parts = new AsyncDisposableStack();
  const { allowTargets, mailAllow, slotsPerHost, smtp, heartbeatUrl } = config;
  const lock = config.database === null ? parts.use(lockDataDir(config.dataDir)) : null;
  if (lock !== null) {
    const lost = lostDatabase(config.dataDir);
    if (lost !== null) throw lost;
  }
  const local = parts.use(
    await openLocal(config, {
      ...(givenClock && { clock: givenClock }),
      keys: config.secretKeys,
      mayMake: true,
      upgrade: { version, keepsCopy: !isOnTrial, onBegin: (kept) => reportUpgrade(log, kept) },
    }),
  );
  const { store, clock } = local;
  await store.reserve.keep(() => reportDisk(log, store.reserve));
  const vault = await local.openVault();
  if (config.signing) await ensureSigningKey({ store, clock, vault });
  const completionTokens = await openCompletionTokens({ store, clock, vault });
  const files = shareFiles(config.slots, log);
  const called = { connectionsPerHost: slotsPerHost, userAgent: `jobd/${version}` };
  const egress = parts.use(startEgress({ ...called, allowTargets, idleConnections: files.idle }));
  const mailer = smtp && parts.use(createMailer(smtp, { allow: mailAllow }));
  const mailAllowance = createMailAllowance({ store, clock });
  const instanceId = await startInstance(store, newSecret(4));
  const authenticate = createAuthenticate({ store, clock });
  let engine: Engine | undefined;
  let space: SpaceWatch | undefined;
  const calls = (): number => engine?.slotsUsed() ?? 0;
  const logChanges = createChangeLog(log);
  const keyUses = createKeyUses({ store, clock });
  parts.use(startLoop('key use', () => keyUses.write().then(() => Infinity), { log, clock }));

  let siteUrl = config.baseUrl ?? '';
  const signer = config.signing
    ? createSigner({ store, clock, vault, siteUrl: () => siteUrl })
    : null;
  const loops: Record<WokenLoop, () => void> = {
    claim: () => engine?.wake(),
    complete: () => engine?.wakeCompleter(),
    notify: () => engine?.wakeNotifier(),
  };
  const heldJobs = createHeldJobs(loops.claim);
  const directory = lock && parts.use(watchDataDirectory({ store, lock, log, clock }));
  const health = createHealth({
    store,
    clock,
    dataDir: config.database === null ? config.dataDir : null,
    own: () => [
      ...(engine?.findings() ?? (isOnTrial ? [] : [found('starting', {})])),
      ...(space?.findings() ?? []),
    ],
    onChange: (begun, over) => reportFindings(log, begun, over),
  });
  const isHealthy = (): boolean => health.troubles().length === 0;
  const slots = (): SlotsInUse => ({ used: calls(), all: files.slots });
  const gauges = {
    slots,
    findings: health.known,
    isHealthy,
    limitBytes: config.maxDatabaseBytes,
    stored: createFigures({ store, clock }),
    version,
  };
  const meter = parts.use(await startMeters({ clock, log, listen: config.metrics, gauges }));
  const { maxDatabaseBytes: limitBytes } = config;
  space = createSpaceWatch({ store, clock, log, meter, limitBytes });
  const vitals = () => ({ calls: calls(), lateness: meter.latenessCounts() });
  const membership = await takePart(
    { local, config, slots: files.slots, log, meter, vitals },
    parts,
  );
  const mostStreams = Math.min(largestStreams, Math.floor(files.connections / 8));
  const nodes = hearOtherNodes({
    hints: store.hints,
    clock: systemClock,
    streams: createEvents({ clock, version, mostStreams }),
    wake: (loop) => loops[loop](),
    hasOthers: () => membership.hasOthers(),
    onTrouble: (trouble) => reportHints(log, trouble),
  });
  if (config.database !== null) {
    parts.use(startLoop('hints', nodes.look, { log, clock: systemClock }));
    meter.addNode(() => ({ ...membership.standing(), isHearing: nodes.isHearing() }));
  }
  parts.use(nodes);
  const { events, wakeOthers } = nodes;
  const wake = (loop: WokenLoop): void => {
    loops[loop]();
    wakeOthers(loop);
  };
  const app: App = {
    store,
    vault,
    clock,
    allowTargets,
    judgeTarget: createTargetJudge(allowTargets),
    slots: { all: files.slots, perHost: slotsPerHost },
    mailAllow,
    mailWaitMs: mailAllowance.waitMs,
    wake: () => wake('claim'),
    holdJob: heldJobs.hold,
    wakeCompleter: () => wake('complete'),
    completionTokens,
    wakeNotifier: () => wake('notify'),
    noteUse: keyUses.note,
    authenticate,
    admissions: createAdmissions({ store, clock, authenticate }),
    instance: {
      id: instanceId,
      version,
      startedAt: clock.now(),
      dataDir: config.database === null ? config.dataDir : null,
      mailIsConfigured: mailer !== null,
    },
    events,
    // All that ends a session or revokes a key in this process comes by here, after its commit.
    onChanged: (entries, shortened) => {
      authenticate.onChanged(entries);
      events.audited(entries);
      logChanges(entries, shortened);
    },
    isSigning: signer !== null,
    signReceiptsOf: async (jobId) => {
      while (((await signer?.sign(jobId)) ?? 0) > 0);
    },
    verifyScript: readVerifyScript,
    pageFile: readPageFile,
    lateness: async () => {
      const { nodeId } = membership;
      const others = nodeId === null ? [] : await findLatenessOfOthers(store.db, nodeId);
      return meter.lateness(others);
    },
    health,
    trouble: () => membership.trouble,
    space,
  };
  const connections = { maxConnections: files.connections };
  // The server is bound before the first call, and closed after the last one.
  const server = parts.use(await startServer(app, { ...config, connections }, log));
  siteUrl ||= reachable(server.url);
  // On a full disk calls come first: `jobd open` knows the new URL once there is space.
  const isGuess = config.baseUrl === null && isEveryAddress(config.host);
  const kept = { siteUrl, isGuess };
  const keepUrl = (): Promise<void> => recordSiteUrl(store, kept);
  await recordStart(store, limitBytes).catch((error: unknown) =>
    log.warn({ err: error }, 'jobd doctor does not know the limit of the database'),
  );
  await keepUrl().catch(() =>
    parts.use(startLoop('site URL', () => keepUrl().then(() => Infinity), { log, clock })),
  );
  /** The operator's own URLs may lead anywhere. */
  let anywhere: Promise<Egress> | undefined;
  const callAnywhere = (): Promise<Egress> =>
    (anywhere ??= import('../egress/egress.ts').then(({ createEgress }) =>
      parts.use(createEgress({ ...called, allowTargets: everywhere })),
    ));
  let spans: Spans | null = null;
  const duties = new Map<string, Step>();
  const starting: Starting = {
    config,
    store,
    clock,
    log,
    meter,
    instanceId,
    callAnywhere,
    use: (part) => parts.use(part),
    addDuty: (name, step) => void duties.set(name, step),
    takeSpans: (taker) => void (spans = taker),
  };
  // Before the engine: what wings still do with the last calls is done when it has stopped.
  if (!isOnTrial) for (const load of addedByWings.daemon) await (await load())(starting);
  const engineParts = {
    random: Math.random,
    spans,
    duties,
    directory,
    membership,
    egress,
    mailer,
    mailAllowance,
    meter,
    space,
    vault,
    signer,
    siteUrl: () => siteUrl,
    changes: events,
    wakeOthers,
    traceContext: config.traceContext,
    completionUrlOf: (runId: string) => `${siteUrl}/complete/${completionTokens.tokenOf(runId)}`,
    drainMs,
  };
  const limits = { slots: files.slots, slotsPerHost, heldJobs: heldJobs.ids };
  if (!isOnTrial) engine = parts.use(startEngine({ store, clock, log, ...engineParts, ...limits }));
  if (!isOnTrial) parts.use(startLoop('health', health.check, { log, clock }));
  if (heartbeatUrl !== null && !isOnTrial) {
    const egressOfBeat = await callAnywhere();
    const beat = { url: heartbeatUrl, egress: egressOfBeat, clock, log, isHealthy };
    parts.use(startHeartbeat(beat));
  }
  for (const flag of v8Flags) setFlagsFromString(flag);
  const running = parts.move();
  return {
    url: server.url,
    guessedUrl: isGuess ? kept.siteUrl : null,
    hasAccess: () => hasAccess(store.db),
    callsInFlight: calls,
    async describe() {
      const { dataDir, database, baseUrl } = config;
      const data = database === null ? { dataDir } : { database: withoutPassword(database) };
      const place = { version, ...data, url: server.url, baseUrl };
      // A line of the log is no reason to stop: what is broken is said where it is needed.
      const counted = await summarize(store.db, clock.now()).catch(() => null);
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

/** Shares the open files of this process between calls and clients. */
function shareFiles(slots: number, log: Log): OpenFiles {
  const limit = openFilesLimit();
  const { alerts, callbacks } = attemptsInFlight;
  const files = shareOpenFiles(limit, slots, alerts.most + callbacks.most);
  if (files.slots < slots) {
    log.warn(
      { limit, slots: files.slots, wanted: slots },
      'the limit of open files allows fewer slots than wanted: raise it (LimitNOFILE= of a systemd unit, ulimit -n in a shell), or set fewer with --slots',
    );
  }
  return files;
}

/** Says what checks begin and cease to find. */
function reportFindings(log: Log, begun: readonly Finding[], over: readonly FindingCode[]): void {
  for (const { code, result, facts, detail, notes } of begun) {
    const fields = { code, error: detail, facts, notes };
    if (result === 'fail') log.error(fields, 'see to this');
    else log.warn(fields, 'see to this');
  }
  for (const code of over) log.info({ code }, 'this is over');
}

/** jobd makes no copy of a database on a server. */
function reportUpgrade(log: Log, kept: string | null): void {
  log.info({ version, ...(kept !== null && { kept }) }, 'the tables of the database are changed');
}

function reportHints(log: Log, trouble: string | null): void {
  if (trouble === null) log.info('other nodes are heard again');
  else log.warn({ error: trouble }, 'other nodes are not heard: pages ask again every 3 s');
}

function reportDisk(log: Log, { isInUse, isMissing, refusal }: Reserve): void {
  if (isMissing) log.error({ error: refusal }, 'little or nothing can be stored');
  else if (isInUse) {
    log.error('the disk is full and the reserve is in use: free space, or delete jobs or monitors');
  } else log.info('the disk has free space again, and the reserve is filled');
}
