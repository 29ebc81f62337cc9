/** The connection that listens. While it is lost, hints are lost: it is made again without end, after rests that grow to 5 s. */

import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Connections, OwnConnection } from './connections/pool.ts';
import { wordsOf } from './errors.ts';
import { listenOn } from './hint-channel.ts';

const firstRestMs = 100;
const longestRestMs = 5_000;
/** A connection that lasted this long was a good one: the next rest is short again. */
const goodMs = 10_000;

export interface ListenerParts {
  hear(payload: string): void;
  /** Hears each time that it begins to listen. */
  onConnected(): void;
}

/** Disposing of it closes the connection. */
export interface Listener extends AsyncDisposable {
  readonly isConnected: boolean;
  /** Why it is not, or was not before; null while it never failed. */
  readonly trouble: string | null;
  /** Gives up this connection for a new one. */
  connectAgain(): void;
}

/** Starts to listen. */
export function startListener(connections: Connections, parts: ListenerParts): Listener {
  const stopper = new AbortController();
  const { signal } = stopper;
  let current: OwnConnection | undefined;
  let isConnected = false;
  let trouble: string | null = null;

  /** Listens until the connection ends. Throws why it did. */
  async function listen(): Promise<void> {
    await using connection = connections.own();
    current = connection;
    const { client } = connection;
    client.on('notification', ({ payload = '' }) => parts.hear(payload));
    let why = new Error('the connection to the database broke');
    client.on('error', (error) => (why = error));
    const ended = once(client, 'end', { signal });
    ended.catch(() => {});
    await client.connect();
    await listenOn(client);
    signal.throwIfAborted();
    isConnected = true;
    trouble = null;
    parts.onConnected();
    try {
      await ended;
    } finally {
      isConnected = false;
    }
    throw why;
  }

  async function run(): Promise<void> {
    let restMs = firstRestMs;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await listen();
      } catch (error) {
        trouble = error instanceof Error ? wordsOf(error) : String(error);
      }
      if (signal.aborted) return;
      if (performance.now() - began >= goodMs) restMs = firstRestMs;
      // A stop ends it.
      await setTimeout(restMs, undefined, { signal }).catch(() => {});
      restMs = Math.min(restMs * 2, longestRestMs);
    }
  }

  const ended = run();
  return {
    get isConnected() {
      return isConnected;
    },
    get trouble() {
      return trouble;
    },
    connectAgain: () => current?.cut(),
    async [Symbol.asyncDispose]() {
      stopper.abort();
      if (!isConnected) current?.cut();
      await ended;
    },
  };
}
