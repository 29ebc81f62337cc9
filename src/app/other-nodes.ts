/**
 * The other nodes: processes that serve the same database. What changes here is heard by the streams of all of them, and
 * work that is found here wakes their loops. That is carried by hints, which may be lost, and never arrive through some
 * poolers. Loops look every second anyway; the streams of a node that does not hear hints send `resync` every 3 s.
 */

import type { Clock } from '../domain/clock.ts';
import type { WokenLoop } from '../domain/hints.ts';
import type { Hints } from '../store/database/hints.ts';
import type { Events } from './events.ts';

export interface OtherNodesParts {
  hints: Hints;
  clock: Clock;
  /** The streams of this node. */
  streams: Events;
  /** Wakes a loop of this node. */
  wake: (loop: WokenLoop) => void;
  /** Whether there are other nodes now. */
  hasOthers: () => boolean;
  /** Hears when hints stop to arrive, and why, and when they arrive again: null. */
  onTrouble: (trouble: string | null) => void;
}

/** Disposing of it stops listening. */
export interface OtherNodes extends AsyncDisposable {
  /** The streams of this node, whose changes the other nodes hear too. */
  readonly events: Events;
  /** Says that this loop of theirs may have work. */
  readonly wakeOthers: (loop: WokenLoop) => void;
  /** Whether hints of others arrive; where there are no others, whether they did. */
  readonly isHearing: () => boolean;
  /** Looks whether there are others, and whether they are heard. Returns how long to rest, in milliseconds. */
  readonly look: () => Promise<number>;
}

const lookEveryMs = 3_000;
/** One that is lost is no trouble yet: the connection may be about to come back. */
const missesOfTrouble = 2;

/** Begins to hear them. */
export function hearOtherNodes(parts: OtherNodesParts): OtherNodes {
  const { hints, clock, streams, wake, hasOthers, onTrouble } = parts;
  let lookAt = clock.monotonicMs();
  let misses = 0;

  const hearing = hints.listen(({ wakes, changes, ended }) => {
    // A node that starts is heard before it is looked for. A command is taken for one until the next look.
    hearing.noteOthers(true);
    for (const loop of wakes) wake(loop);
    for (const { actorId, reason } of ended) streams.endStreamsOf(actorId, reason);
    for (const change of changes ?? []) streams.publish(...change);
    if (changes === null) streams.publishAll();
  });

  async function checkHearing(): Promise<void> {
    const trouble = await hearing.check();
    if (trouble === null) {
      if (misses >= missesOfTrouble) onTrouble(null);
      misses = 0;
    } else {
      if (!hearing.isBeginning) misses += 1;
      if (misses === missesOfTrouble) onTrouble(trouble);
      streams.publishAll();
    }
  }

  return {
    events: withOthers(streams, hints),
    isHearing: () => misses < missesOfTrouble,
    wakeOthers: (loop) => hints.tell({ wakes: [loop] }),
    async look() {
      const leftMs = lookAt - clock.monotonicMs();
      if (leftMs > 0) return leftMs;
      const areThere = hasOthers();
      hearing.noteOthers(areThere);
      if (areThere) await checkHearing();
      lookAt = clock.monotonicMs() + lookEveryMs;
      return lookEveryMs;
    },
    [Symbol.asyncDispose]: () => hearing[Symbol.asyncDispose](),
  };
}

/** Streams whose changes the other nodes hear too. `change.ts` sends them what people change. */
function withOthers(streams: Events, hints: Hints): Events {
  return {
    get size() {
      return streams.size;
    },
    get isHeard() {
      return streams.isHeard || hints.isHeard;
    },
    publish(...change) {
      streams.publish(...change);
      hints.tell({ changes: [change] });
    },
    publishAll() {
      streams.publishAll();
      hints.tell({ changes: null });
    },
    open: (owner, listener) => streams.open(owner, listener),
    audited: (entries) => streams.audited(entries),
    endStreamsOf: (actorId, reason) => streams.endStreamsOf(actorId, reason),
    close: () => streams.close(),
  };
}
