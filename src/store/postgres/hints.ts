/**
 * Hints over LISTEN and NOTIFY. Every process tells through its pool; one that serves also listens, on a connection of its
 * own. A process gets its own hints too: they are not passed on, but show that hints arrive. Through PgBouncer in
 * transaction mode LISTEN succeeds and nothing ever arrives.
 * https://www.postgresql.org/docs/current/sql-notify.html
 */

import { randomUUID } from 'node:crypto';
import { anyHint, hintOf, textOfHint } from '../../domain/hints.ts';
import type { Db } from '../database/store.ts';
import type { Hearing, Hints } from '../database/hints.ts';
import type { Connections } from './connections/pool.ts';
import { notify } from './hint-channel.ts';
import { startListener, type Listener } from './hint-listener.ts';
import { paceHints } from './paced-hints.ts';

/** A payload has less than 8,000 bytes. Before the hint are the id of its process and its number. */
const mostBytes = 7_900;
/** How long a hint of this process may take to come back. */
const longestWayMs = 1_000;
/** At the first hint that does not, and after each of this number more, another connection is tried. */
const missesForAnother = 20;

/** Makes the hints of an open store. Nothing is connected before the first is sent or heard. Disposing sends what is gathered. */
export function createServerHints(db: Db, connections: Connections): Hints & AsyncDisposable {
  const id = randomUUID();
  let sent = 0;
  let returned = 0;
  let misses = 0;
  const waiting = new Set<() => void>();
  let listener: Listener | undefined;
  /** A command does not know who serves the database, and tells always. */
  let isAlone = false;

  const told = paceHints(async (hint) => {
    const head = `${id} ${(sent += 1)} `;
    // A hint that cannot be sent is lost.
    await notify(db, head + textOfHint(hint, mostBytes - head.length)).catch(() => {});
  });

  function noteReturn(number: number): void {
    if (number <= sent) returned = Math.max(returned, number);
    for (const look of waiting) look();
  }

  /** Whether a hint of this process, with this number or a later one, comes back in time. */
  function comesBack(number: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve(returned >= number);
      };
      const look = (): void => {
        if (returned >= number || listener === undefined) end();
      };
      const timer = setTimeout(end, longestWayMs);
      waiting.add(look);
    });
  }

  async function check(): Promise<string | null> {
    if (listener?.isConnected !== true) return listener?.trouble ?? 'nothing is connected yet';
    const arrives = comesBack(sent + 1);
    told.call();
    if (await arrives) {
      misses = 0;
      return null;
    }
    // A connection to a server that is gone, or is not written any more, looks as if it worked.
    if (misses % missesForAnother === 0) listener?.connectAgain();
    misses += 1;
    return 'notifications do not arrive, as through PgBouncer in transaction mode';
  }

  function listen(hear: Parameters<Hints['listen']>[0]): Hearing {
    isAlone = true;
    const heard = paceHints(async (hint) => {
      if (listener !== undefined) hear(hint);
    });
    const listening = startListener(connections, {
      hear(payload) {
        const [, from, number, text = ''] = /^(\S+) (\d+) (.*)$/s.exec(payload) ?? [];
        if (from === id) noteReturn(Number(number));
        else heard.add(hintOf(text));
      },
      // What was told meanwhile is lost.
      onConnected: () => heard.add(anyHint),
    });
    listener = listening;
    return {
      noteOthers(areThere) {
        isAlone = !areThere;
      },
      get isBeginning() {
        return !listening.isConnected && listening.trouble === null;
      },
      check,
      async [Symbol.asyncDispose]() {
        listener = undefined;
        noteReturn(0);
        await listening[Symbol.asyncDispose]();
        await heard[Symbol.asyncDispose]();
      },
    };
  }

  return {
    get isHeard() {
      return !isAlone;
    },
    tell(hint) {
      if (!isAlone) told.add(hint);
    },
    listen,
    [Symbol.asyncDispose]: () => told[Symbol.asyncDispose](),
  };
}
