/** Whether jobd can work now: call due jobs and store changes. And what an operator should see to meanwhile. */

import { messageOf } from '../../domain/errors.ts';
import { probeWrite } from '../../store/database/inspect.ts';
import type { App } from '../app.ts';
import { findNotes, shortOfSpace } from './notes.ts';

/** How long an answer is reused, so that frequent checks cost nothing. */
const reusedForMs = 1_000;

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
  let asked: { at: number; answer: Promise<Readiness> } | undefined;
  const ask = async (): Promise<Readiness> => {
    const inStore = await probeWrite(store)
      .then(() => findNotes(store.db, clock.now()))
      .then(
        (notes) => ({ notes, troubles: [] }),
        (error: unknown) => ({ notes: [], troubles: [messageOf(error)] }),
      );
    return {
      troubles: saidOnce([...inStore.troubles, ...engineTroubles()]),
      notes: [...shortOfSpace(space), ...inStore.notes],
    };
  };
  return () => {
    const now = clock.monotonicMs();
    if (asked === undefined || now - asked.at >= reusedForMs) asked = { at: now, answer: ask() };
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
