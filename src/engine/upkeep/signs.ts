/** Leaves a sign again and again that the data directory is served, so that the next start knows until when it was. */

import type { Log } from '../../base/log.ts';
import type { Clock } from '../../domain/clock.ts';
import { leaveSign } from '../../store/sqlite/sign-of-life.ts';
import { startLoop } from '../loop.ts';

const everyMs = 10_000;

/** Starts to; disposing of it leaves the last one. */
export function leaveSigns(parts: { dataDir: string; clock: Clock; log: Log }): AsyncDisposable {
  const { dataDir, clock } = parts;
  const leave = (): void => leaveSign(dataDir, clock.now());
  const step = (): Promise<{ keptMs: number }> => {
    leave();
    return Promise.resolve({ keptMs: everyMs });
  };
  const loop = startLoop('sign of life', step, parts);
  return {
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      leave();
    },
  };
}
