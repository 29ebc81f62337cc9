/** Whether jobd can work now: call due jobs and store changes. And what an operator should see to meanwhile. */

import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../domain/errors.ts';
import { probeWrite } from '../../store/database/inspect.ts';
import type { App } from '../app.ts';
import { findNotes, shortOfSpace } from './notes.ts';

/** How long an answer is reused, so that frequent checks cost nothing. */
const reusedForMs = 1_000;
const notesWithinMs = 1_000;

/** In sentences. */
export interface Readiness {
  /** Why jobd cannot work now; none if it can. */
  troubles: string[];
  /** What it does not do as it should, or has found. It works all the same. */
  notes: string[];
}

/** Makes a function that finds them. Callers during a check share its answer. */
export function createReadiness({
  store,
  clock,
  engineTroubles,
  space,
}: App): () => Promise<Readiness> {
  let noted: string[] = [];
  let noting: Promise<void> | null = null;
  /** Notes are no reason to wait: of a database that is slow to say them, those of the last time. */
  const note = async (): Promise<string[]> => {
    noting ??= findNotes(store.db, clock.now())
      .then((found) => void (noted = found))
      .catch(() => {})
      .finally(() => (noting = null));
    await Promise.race([noting, setTimeout(notesWithinMs, undefined, { ref: false })]);
    return noted;
  };
  const ask = async (): Promise<Readiness> => {
    const inStore = await probeWrite(store).then(
      () => [],
      (error: unknown) => [messageOf(error)],
    );
    return {
      troubles: saidOnce([...inStore, ...engineTroubles()]),
      notes: [...shortOfSpace(space), ...(inStore.length > 0 ? [] : await note())],
    };
  };
  const begin = (at: number) => {
    const begun = { at, answer: ask(), isPending: true };
    void begun.answer.finally(() => (begun.isPending = false));
    return begun;
  };
  let asked: ReturnType<typeof begin> | undefined;
  return () => {
    const now = clock.monotonicMs();
    const isFresh = asked?.isPending === true || now - (asked?.at ?? -Infinity) < reusedForMs;
    if (asked === undefined || !isFresh) asked = begin(now);
    return asked.answer;
  };
}

/** Loops that fail for one reason, such as a database that is away, say it together. */
function saidOnce(troubles: readonly string[]): string[] {
  const loopsByReason = new Map<string, string[]>();
  for (const trouble of troubles) {
    const [, loop, reason = trouble] = /^([a-z ]+) fails: (.*)$/s.exec(trouble) ?? [];
    const loops = loopsByReason.get(reason) ?? [];
    loopsByReason.set(reason, loop === undefined ? loops : [...loops, loop]);
  }
  return Array.from(loopsByReason, ([reason, loops]) => {
    if (loops.length === 0) return reason;
    return `${loops.join(', ')} ${loops.length === 1 ? 'fails' : 'fail'}: ${reason}`;
  });
}
