/** The composition root: lock → store → egress → server → engine, disposed in reverse. */

import { existsSync } from 'node:fs';
import { startServer } from './api/server.ts';
import type { App } from './app/app.ts';
import { createKeyUses } from './app/key-uses.ts';
import { ensureSigningKey } from './app/signing-keys.ts';
import type { ServeConfig } from './config.ts';
import { systemClock } from './domain/clock.ts';
import type { Clock } from './domain/clock.ts';
import { newId } from './domain/id.ts';
import { createEgress } from './egress/egress.ts';
import { startEngine } from './engine/engine.ts';
import type { Engine } from './engine/engine.ts';
import { startLoop } from './engine/loop.ts';
import { createSigner } from './engine/sign.ts';
import type { Log } from './log.ts';
import { openKeyring } from './receipt/keyring.ts';
import type { Keyring } from './receipt/keyring.ts';
import { lockDataDir } from './store/lock.ts';
import { openStore, storePath } from './store/open.ts';
import type { Store } from './store/open.ts';
import { ensureGivingBack } from './store/space.ts';
import { ensureDefaultWorkspace } from './store/workspaces.ts';
import { readVerifyScript } from './verify-script.ts';
import { version } from './version.ts';

/** How long a stop waits for calls in flight (design: 30 s). */
const drainMs = 30_000;

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
  const { store, keyring } = parts.use(await openLocal(config.dataDir, clock));
  if (!(await ensureGivingBack(store))) log.warn(keepsSpace(config.dataDir));
  if (config.signing) await ensureSigningKey({ store, clock, keyring });
  const egress = parts.use(
    createEgress({
      allowTargets: config.allowTargets,
      connectionsPerHost: config.slotsPerHost,
      userAgent: `jobd/${version}`,
    }),
  );
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
    ? createSigner({ store, clock, keyring, siteUrl: () => siteUrl })
    : null;
  const app: App = {
    store,
    clock,
    allowTargets: config.allowTargets,
    wake: () => engine?.wake(),
    noteKeyUse: keyUses.note,
    isSigning: signer !== null,
    signReceiptsOf: async (jobId) => {
      while (((await signer?.sign(jobId)) ?? 0) > 0);
    },
    verifyScript: readVerifyScript,
    engineTroubles: () => engine?.troubles() ?? ['jobd is starting'],
  };
  const server = parts.use(await startServer(app, config, log));
  siteUrl ||= server.url;
  const { slots, slotsPerHost } = config;
  engine = parts.use(
    startEngine({ store, egress, clock, log, slots, slotsPerHost, signer, drainMs }),
  );
  const running = parts.move();
  return { url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** For a large file of before; stopping is needed, as the file is rewritten as a whole. */
function keepsSpace(dataDir: string): string {
  return (
    'the database was made by an earlier jobd: space in it is used again, but not given back to the system; ' +
    'to change that, stop jobd, see that the disk has as much room again, and run: ' +
    `sqlite3 '${storePath(dataDir)}' 'pragma auto_vacuum = incremental; vacuum'`
  );
}

/** The store for commands that work on it directly, whether or not a daemon runs. */
export interface Local extends AsyncDisposable {
  store: Store;
  clock: Clock;
  keyring: Keyring;
}

/** Whether a data directory holds a store already. */
export function hasStore(dataDir: string): boolean {
  return existsSync(storePath(dataDir));
}

/** Opens the store in a data directory and makes sure of what exists from the first start. */
export async function openLocal(dataDir: string, clock: Clock = systemClock): Promise<Local> {
  const store = await openStore(dataDir);
  const now = clock.now();
  await ensureDefaultWorkspace(store, newId(now), now);
  const keyring = openKeyring(dataDir);
  return { store, clock, keyring, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}
