/** How far long work is: one line that is rewritten on a terminal, else a line every few seconds. */

import { systemClock } from '../../domain/clock.ts';
import type { Output } from '../terminal/output.ts';

export interface Progress {
  /** Says how far it is. */
  at(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

/** Lines in a log come no closer. */
const lineEveryMs = 5_000;

/** Makes one; `verb` is what is done, as `applying`. */
export function createProgress(output: Output, verb: string): Progress {
  const isTerminal = process.stderr.isTTY;
  let lastMs = systemClock.monotonicMs();
  let isShown = false;
  return {
    at(done, total) {
      const line = `${verb} ${done} of ${total}`;
      if (isTerminal) {
        process.stderr.write(`\r\u001b[K${line}`);
        isShown = true;
      } else if (systemClock.monotonicMs() - lastMs >= lineEveryMs) {
        lastMs = systemClock.monotonicMs();
        output.say(line);
      }
    },
    end() {
      if (isShown) process.stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}
