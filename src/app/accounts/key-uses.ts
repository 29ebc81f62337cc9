/**
 * When keys were last used. A request only notes it in memory. It is written later for all keys together, for each at
 * most once a minute. When jobd stops, the last second is lost.
 */

import { recordKeyUses } from '../../store/accounts/keys.ts';
import type { App } from '../app.ts';

/** A noted key is not noted again for this long. */
const notedForMs = 60_000;

export interface KeyUses {
  /** Notes that a key is used now. */
  readonly note: (keyId: string) => void;
  /** Writes what was noted. If that fails, the next call tries again. */
  write(): Promise<void>;
}

/** Makes one without notes. */
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
