/** Whether jobd can do its work now: call what is due and keep what it is told. */

import { messageOf } from '../../domain/errors.ts';
import { probeWrite } from '../../store/database/inspect.ts';
import type { App } from '../app.ts';

/** An answer is good for this long, so that asking often costs nothing. */
const goodForMs = 1_000;

/**
 * Makes the question: why jobd cannot do its work now, in sentences, none if it can. Whoever asks while
 * the store is being tried gets the same answer.
 */
export function createReadiness({ store, clock, engineTroubles }: App): () => Promise<string[]> {
  let asked: { at: number; answer: Promise<string[]> } | undefined;
  const ask = async (): Promise<string[]> => [...(await storeTroubles()), ...engineTroubles()];
  const storeTroubles = async (): Promise<string[]> => {
    try {
      await probeWrite(store);
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  };
  return () => {
    const now = clock.monotonicMs();
    if (asked === undefined || now - asked.at >= goodForMs) asked = { at: now, answer: ask() };
    return asked.answer;
  };
}
