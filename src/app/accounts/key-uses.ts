/** When keys and sessions were last used: noted in memory, written later, at most once a minute each. A stop loses the last second. */

import { recordKeyUses, type KeyUse } from '../../store/accounts/keys.ts';
import { recordSessionUses } from '../../store/accounts/sessions.ts';
import type { Actor } from '../../domain/accounts/audit.ts';
import type { Db } from '../../store/database/store.ts';
import type { AccessApp, Ground } from '../app.ts';

/** A noted use is not noted again for this long. */
const notedForMs = 60_000;

export interface KeyUses {
  /** Notes that a key or a session is used now. */
  readonly note: (actor: Pick<Actor, 'type' | 'id'>) => void;
  /** Writes what was noted. If that fails, the next call tries again. */
  write(): Promise<void>;
}

/** Makes one without notes. */
export function createKeyUses({ store, clock }: Ground): KeyUses {
  const keys = createUses(clock);
  const sessions = createUses(clock);
  return {
    note: ({ type, id }) => (type === 'session' ? sessions : keys).note(id),
    async write() {
      await keys.write(store, recordKeyUses);
      await sessions.write(store, recordSessionUses);
    },
  };
}

function createUses(clock: AccessApp['clock']) {
  /** When each was noted last, by the monotonic clock; the one noted longest ago is the first. */
  const notedAt = new Map<string, number>();
  const waiting = new Map<string, number>();
  return {
    note(id: string): void {
      const now = clock.monotonicMs();
      if (now - (notedAt.get(id) ?? -Infinity) < notedForMs) return;
      // Whoever has a key can start sessions without end.
      for (const [other, at] of notedAt) {
        if (now - at < notedForMs) break;
        notedAt.delete(other);
      }
      notedAt.set(id, now);
      waiting.set(id, clock.now());
    },
    async write(
      store: AccessApp['store'],
      record: (tx: Db, uses: readonly KeyUse[]) => Promise<unknown>,
    ): Promise<void> {
      const uses = [...waiting].map(([id, at]) => ({ id, at }));
      if (uses.length === 0) return;
      await store.write((tx) => record(tx, uses));
      for (const { id, at } of uses) if (waiting.get(id) === at) waiting.delete(id);
    },
  };
}
