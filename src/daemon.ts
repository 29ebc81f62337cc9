/** The composition root: store → egress → engine → server, disposed in reverse. */

import { startServer } from './api/server.ts';
import type { App } from './app/app.ts';
import type { ServeConfig } from './config.ts';
import { systemClock } from './domain/clock.ts';
import type { Clock } from './domain/clock.ts';
import { newId } from './domain/id.ts';
import { createEgress } from './egress/egress.ts';
import { startEngine } from './engine/engine.ts';
import type { Log } from './log.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/open.ts';
import { ensureDefaultWorkspace } from './store/workspaces.ts';
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
  const { store } = parts.use(await openLocal(config.dataDir, clock));
  const egress = parts.use(
    createEgress({
      allowTargets: config.allowTargets,
      connectionsPerHost: config.slotsPerHost,
      userAgent: `jobd/${version}`,
    }),
  );
  const { slots, slotsPerHost, allowTargets } = config;
  const engine = parts.use(
    await startEngine({ store, egress, clock, log, slots, slotsPerHost, drainMs }),
  );
  const app: App = { store, clock, allowTargets, wake: engine.wake };
  const server = parts.use(await startServer(app, config, log));
  const running = parts.move();
  return { url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** The store for commands that work on it directly, whether or not a daemon runs. */
export interface Local extends AsyncDisposable {
  store: Store;
  clock: Clock;
}

/** Opens the store in a data directory and makes sure of what exists from the first start. */
export async function openLocal(dataDir: string, clock: Clock = systemClock): Promise<Local> {
  const store = await openStore(dataDir);
  const now = clock.now();
  await ensureDefaultWorkspace(store.db, newId(now), now);
  return { store, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}
