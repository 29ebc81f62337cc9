/** The composition root: lock → store → egress → server → engine, disposed in reverse. */

import { startServer } from './api/server.ts';
import type { App } from './app/app.ts';
import { createHeldJobs } from './app/jobs/held-jobs.ts';
import { createKeyUses } from './app/accounts/key-uses.ts';
import { openStoreVault } from './app/secrets/master-keys.ts';
import { sealPlainText } from './app/secrets/plain-text.ts';
import { adoptSigningKey, ensureSigningKey } from './app/receipts/signing-keys.ts';
import { cacheDir } from './config.ts';
import type { ServeConfig } from './config.ts';
import { systemClock } from './domain/clock.ts';
import type { Clock } from './domain/clock.ts';
import { newId } from './domain/id.ts';
import { shareOpenFiles } from './domain/targets/open-files.ts';
import { everywhere } from './domain/targets/target.ts';
import type { Vault } from './domain/secrets/vault.ts';
import { createEgress } from './egress/egress.ts';
import { createMailer } from './egress/mail.ts';
import { startEgressThreads } from './egress/threads.ts';
import { startEngine } from './engine/engine.ts';
import type { Engine } from './engine/engine.ts';
import { startHeartbeat } from './engine/upkeep/heartbeat.ts';
import { startLoop } from './engine/loop.ts';
import { createSigner } from './engine/receipts/sign.ts';
import { openFilesLimit } from './file-limit.ts';
import { collectSooner } from './heap.ts';
import type { Log } from './log.ts';
import { givenMasterKey, masterKeysInFile, withNextMasterKey } from './secrets/master-keys.ts';
import type { MasterKeys } from './secrets/master-keys.ts';
import { unpackAddonInto } from './store/database/addon.ts';
import { lockDataDir, lockMasterKey } from './store/database/lock.ts';
import { hasDatabase, openStore, storePath } from './store/database/open.ts';
import type { Store } from './store/database/open.ts';
import type { Reserve } from './store/database/reserve.ts';
import { ensureGivingBack } from './store/database/space.ts';
import { ensureDefaultWorkspace } from './store/accounts/workspaces.ts';
import { startMeters } from './metrics/meter.ts';
import { readVerifyScript } from './built-files.ts';
import { version } from './version.ts';

/** How long a stop waits for calls in flight (docs/behavior.md#run-4). */
const drainMs = 30_000;

unpackAddonInto(cacheDir());

/** A running jobd; disposing of it stops it cleanly. */
export interface Daemon extends AsyncDisposable {
  /** The address it listens on, as `http://HOST:PORT`. */
  readonly url: string;
}

/** Starts everything. Rejects with nothing left running if a part cannot start. */
export async function startDaemon(
  config: ServeConfig,
  log: Log,
  clock: Clock = systemClock,
): Promise<Daemon> {
  await using parts = new AsyncDisposableStack();
  parts.use(lockDataDir(config.dataDir));
  const local = parts.use(await openLocal(config.dataDir, clock, config.secretKey));
  const { store } = local;
  await store.reserve.keep(() => tellDisk(log, store.reserve));
  const vault = await openSealed(local, config, log);
  // Behind it: a file that was written anew for the secrets needs no second time.
  if (!(await ensureGivingBack(store))) log.warn(keepsSpace(config.dataDir));
  const { allowTargets, mailAllow, slotsPerHost } = config;
  const limit = openFilesLimit();
  const files = shareOpenFiles(limit, config.slots);
  const { slots } = files;
  if (slots < config.slots) log.warn({ limit, slots }, tooFewFiles(config.slots));
  const ways = { connectionsPerHost: slotsPerHost, userAgent: `jobd/${version}` };
  const egress = parts.use(
    startEgressThreads({ ...ways, allowTargets, idleConnections: files.idle }),
  );
  const mailer =
    config.smtp === null ? null : parts.use(createMailer(config.smtp, { allow: mailAllow }));
  const keyUses = createKeyUses({ store, clock });
  const writeKeyUses = async (): Promise<number> => {
    await keyUses.write();
    return Infinity;
  };
  parts.use(startLoop('key use', writeKeyUses, log));
  // The server is bound before anything is called, and is there until the last call has ended.
  let engine: Engine | undefined;
  let siteUrl = config.baseUrl ?? '';
  const signer = config.signing
    ? createSigner({ store, clock, vault, siteUrl: () => siteUrl })
    : null;
  const troubles = (): string[] => engine?.troubles() ?? ['jobd is starting'];
  const slotsInUse = () => ({ used: engine?.slotsUsed() ?? 0, all: slots });
  const gauges = { slots: slotsInUse, troubles, version };
  const meter = parts.use(await startMeters({ clock, log, listen: config.metrics, gauges }));
  const wake = (): void => engine?.wake();
  const heldJobs = createHeldJobs(wake);
  const app: App = {
    store,
    vault,
    clock,
    allowTargets,
    mailAllow,
    wake,
    holdJob: heldJobs.hold,
    wakeNotifier: () => engine?.wakeNotifier(),
    noteKeyUse: keyUses.note,
    isSigning: signer !== null,
    signReceiptsOf: async (jobId) => {
      while (((await signer?.sign(jobId)) ?? 0) > 0);
    },
    verifyScript: readVerifyScript,
    lateness: meter.lateness,
    engineTroubles: troubles,
  };
  const connections = { maxConnections: files.connections };
  const server = parts.use(await startServer(app, { ...config, connections }, log));
  siteUrl ||= server.url;
  engine = parts.use(
    startEngine({
      store,
      egress,
      mailer,
      meter,
      vault,
      clock,
      log,
      slots,
      slotsPerHost,
      heldJobs: heldJobs.ids,
      signer,
      drainMs,
    }),
  );
  const { heartbeatUrl: url } = config;
  if (url !== null) {
    // The operator's own URLs may lead anywhere.
    const trusting = parts.use(createEgress({ ...ways, allowTargets: everywhere }));
    parts.use(startHeartbeat({ url, egress: trusting, clock, log, troubles }));
  }
  collectSooner();
  const running = parts.move();
  return { url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function tooFewFiles(slots: number): string {
  return (
    `the limit of open files leaves fewer than the ${slots} slots: raise it ` +
    '(LimitNOFILE= of a systemd unit, ulimit -n in a shell), or ask for fewer with --slots'
  );
}

function tellDisk(log: Log, { isInUse, isMissing, refusal }: Reserve): void {
  if (isMissing) log.error(refusal ?? '');
  else if (isInUse)
    log.error('the disk is full: the reserve is in use, make room or delete jobs or monitors');
  else log.info('there is room on the disk again: the reserve is filled');
}

/** For a large file of before; stopping is needed, as the file is rewritten as a whole. */
function keepsSpace(dataDir: string): string {
  return (
    'the database was made by an earlier jobd: space in it is used again, but not given back to the system; ' +
    'to change that, stop jobd, see that the disk has as much room again, and run: ' +
    `sqlite3 '${storePath(dataDir)}' 'pragma auto_vacuum = incremental; vacuum'`
  );
}

/** Opens the vault, and sees to it that nothing but what is sealed is in the store. */
async function openSealed(local: Local, config: ServeConfig, log: Log): Promise<Vault> {
  const { store, clock } = local;
  const vault = await local.openVault();
  const why = await sealPlainText(store, vault);
  if (why !== null)
    log.warn({ why }, 'plain text of before may still be in free space of the file');
  await adoptSigningKey({ store, clock, vault }, config.dataDir);
  if (config.signing) await ensureSigningKey({ store, clock, vault });
  return vault;
}

/** The store for commands that work on it directly, whether or not a daemon runs. */
export interface Local extends AsyncDisposable {
  store: Store;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Opens what is sealed in it. Throws `unavailable` if the master key is not there. */
  readonly openVault: () => Promise<Vault>;
}

/** Whether a data directory holds a store already. Throws `unavailable` if this user may not look. */
export function hasStore(dataDir: string): boolean {
  return hasDatabase(dataDir);
}

/**
 * Opens the store in a data directory and makes sure of what exists from the first start. `secretKey` is
 * the master key, null if it is a file in that directory.
 */
export async function openLocal(
  dataDir: string,
  clock: Clock = systemClock,
  secretKey: string | null = null,
): Promise<Local> {
  const masterKeys = masterKeysFor(dataDir, { current: secretKey, next: null });
  const store = await openStore(dataDir);
  const now = clock.now();
  await ensureDefaultWorkspace(store, newId(now), now);
  return {
    store,
    clock,
    masterKeys,
    openVault: () => openStoreVault({ store, clock, masterKeys }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Master keys of the environment, as text. */
interface GivenKeys {
  current: string | null;
  next: string | null;
}

/** Where the master keys of a data directory come from. Throws `invalid_input`. */
export function masterKeysFor(dataDir: string, { current, next }: GivenKeys): MasterKeys {
  const keys = current === null ? masterKeysInFile(dataDir) : givenMasterKey(current);
  return next === null ? keys : withNextMasterKey(keys, next);
}

/** Holds a data directory in which nobody may serve meanwhile. Throws `conflict`, naming who does. */
export function lockStopped(dataDir: string): Disposable {
  const locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  locks.use(lockMasterKey(dataDir));
  return locks;
}

/**
 * Holds the right to change the master key. A daemon follows what happens to the file, but what is in its
 * environment stays. Throws `conflict`.
 */
export function lockMasterKeyFor(dataDir: string, { current, next }: GivenKeys): Disposable {
  const isGiven = current !== null || next !== null;
  return isGiven ? lockStopped(dataDir) : lockMasterKey(dataDir);
}
