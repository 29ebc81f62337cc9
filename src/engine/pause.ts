/** A time that passes by a clock, of which only matters whether it is over. */

import type { Clock } from '../domain/clock.ts';

export interface Pause {
  /** Whether it is not over. */
  readonly isOn: boolean;
  /** Begins it, from scratch if it is on. */
  readonly begin: (ms: number) => void;
  /** Ends it at once, without a call of `onOver`. */
  readonly end: () => void;
}

/** Makes one that has not begun. `onOver` is called when its time has passed. */
export function createPause(clock: Pick<Clock, 'after'>, onOver: () => void = () => {}): Pause {
  let timer: Disposable | undefined;
  const end = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
  };
  return {
    get isOn() {
      return timer !== undefined;
    },
    begin(ms) {
      end();
      timer = clock.after(ms, () => {
        timer = undefined;
        onOver();
      });
    },
    end,
  };
}
