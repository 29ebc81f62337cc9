/** The engine of a daemon, for what is there before it: it starts last. */

import { found } from '../domain/findings.ts';
import type { Engine } from '../engine/engine.ts';

/** What others ask of it. */
export interface EngineToCome extends Omit<Engine, keyof AsyncDisposable> {
  /** Takes it once it has started. */
  readonly started: (engine: Engine) => void;
}

/** Until it has started it has no calls, and says why unless this is a trial. */
export function engineToCome(isOnTrial: boolean): EngineToCome {
  let engine: Engine | null = null;
  return {
    started: (now) => void (engine = now),
    wake: (loop) => engine?.wake(loop),
    slotsUsed: () => engine?.slotsUsed() ?? 0,
    findings: () => engine?.findings() ?? (isOnTrial ? [] : [found('starting', {})]),
  };
}
