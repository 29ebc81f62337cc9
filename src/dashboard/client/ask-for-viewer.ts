/** Asks for what is shown: an answer that was asked for one viewer is never shown to the next. */

import type { Signal } from '@preact/signals';
import { ask } from './api.ts';
import type { Failure } from './api.ts';
import type { Pace } from './live/pace.ts';
import { viewer } from './session/session.ts';

/** Who waits for answers. */
interface Asker {
  /** Why there is no newer answer; null if there is nothing to say. */
  failure: Signal<Failure | null>;
  /** Asks again after a failure. */
  pace: Pace;
  /** Whether somebody still looks at the answers. */
  isShown: () => boolean;
}

/** The answer to `GET path`; null if there is none, which the asker notes, or if somebody else looks now. */
export async function askForViewer<T>(
  path: string,
  { failure, pace, isShown }: Asker,
): Promise<T | null> {
  const before = viewer.peek();
  const answer = await ask<T>('GET', path);
  if (viewer.peek() !== before) return null;
  if (answer.ok) {
    failure.value = null;
    return answer.body;
  }
  if (answer.status !== 401) failure.value = answer;
  if (isShown()) pace.failed(answer);
  return null;
}
