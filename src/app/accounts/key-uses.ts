/**
 * When keys were last used. Noting it costs a request next to nothing: what is noted is written later, for
 * all keys together, and for each at most once a minute. A stop loses the last second of it.
 */

import { recordKeyUses } from '../../store/accounts/keys.ts';
import type { App } from '../app.ts';

/** A key that was noted is not noted again for this long. */
const notedForMs = 60_000;

export interface KeyUses {
  /** Notes that a key is used now. */
  readonly note: (keyId: string) => void;
  /** Writes what was noted. What could not be written is kept for the next time. */
  write(): Promise<void>;
}

/** Makes one that has noted nothing. */
export function createKeyUses({ store, clock }: Pick<App, 'store' | 'clock'>): KeyUses {
  /** When each key was noted last, by the monotonic clock. */
  const notedAt = new Map<string, number>();
  const waiting = new Map<string, number>();
  return {
    note(keyId) {
      const now = clock.monotonicMs();
      if (now - (notedAt.get(keyId) ?? -Infinity) < notedForMs) return;
      notedAt.set(keyId, now);
      waiting.set(keyId, clock.now());
    },
    async write() {
      const uses = [...waiting].map(([id, at]) => ({ id, at }));
      if (uses.length === 0) return;
      await store.write((tx) => recordKeyUses(tx, uses));
      for (const { id, at } of uses) if (waiting.get(id) === at) waiting.delete(id);
    },
  };
}
