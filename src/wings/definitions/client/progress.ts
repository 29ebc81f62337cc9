/** Progress of long work: one line that is rewritten on a terminal, otherwise a line every few seconds. */

import { systemClock } from '../../../domain/clock.ts';
import type { Output } from '../../../cli/terminal/output.ts';

export interface Progress {
  /** Shows the progress. */
  at(done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

/** Shortest time between two lines in a log. */
const lineEveryMs = 5_000;

/** Creates one; `verb` is the kind of work, such as `applying`. */
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
