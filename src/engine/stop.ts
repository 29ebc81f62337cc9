/** How the engine stops: nothing begins, what is in flight ends, and what came of it is kept. */

import type { Claimer } from './runs/claim.ts';
import type { Loop } from './loop.ts';
import type { Notifier } from './alerts/notify.ts';
import type { Slots } from './runs/slots.ts';

/** What a store that cannot be written may cost a stop; the next start calls the rest interrupted. */
const longestLastWriteMs = 10_000;

/** What is stopped, and how long it may take. */
export interface Stopping {
  /** Loops that begin something new. */
  beginning: Loop[];
  recordLoop: Loop;
  signLoop: Loop;
  notifier: Notifier;
  claimer: Claimer;
  slots: Slots;
  aborter: AbortController;
  drainMs: number;
}

/** Stops claiming, waits a while for calls in flight, aborts the rest; all of them are recorded. */
export async function stop(parts: Stopping): Promise<void> {
  await Promise.all(parts.beginning.map((loop) => loop[Symbol.asyncDispose]()));
  parts.claimer.giveUp();
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  const drained = setTimeout(() => parts.aborter.abort(), parts.drainMs);
  const written = setTimeout(giveUp, parts.drainMs + longestLastWriteMs);
  await Promise.race([parts.slots.allReleased(), givenUp]);
  clearTimeout(drained);
  clearTimeout(written);
  await parts.recordLoop[Symbol.asyncDispose]();
  // What is not signed by now is signed after the next start.
  await parts.signLoop[Symbol.asyncDispose]();
  // Nor what is not delivered: it is kept.
  await parts.notifier[Symbol.asyncDispose]();
}
