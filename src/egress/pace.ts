/**
 * Spreads simultaneous look-ups. The answers to a thousand datagrams arrive together, and those that do not fit the
 * socket's buffer are lost, which costs seconds. Only young look-ups count, so a silent server delays no others. Answers are
 * decoded at a pace, too.
 */

/** Runs work immediately or when its turn comes. Whoever waits has turns as often as each other. */
export type Pace = <T>(work: () => Promise<T>, whose?: string) => Promise<T>;

/** Runs at most `limit` pieces of work that are younger than `patienceMs`; of any age without it. */
export function createPace(limit: number, patienceMs?: number): Pace {
  let young = 0;
  /** Who waits for what, first in, first out. Whoever has the next turn comes first. */
  const waiting = new Map<string, (() => void)[]>();

  function beginNext(): void {
    for (const [whose, queue] of waiting) {
      waiting.delete(whose);
      const begin = queue.shift();
      if (queue.length > 0) waiting.set(whose, queue);
      return begin?.();
    }
    young--;
  }

  return async (work, whose = '') => {
    if (young >= limit) {
      const queue = waiting.get(whose) ?? [];
      waiting.set(whose, queue);
      await new Promise<void>((begin) => queue.push(begin));
    } else young++;
    let isYoung = true;
    const age = (): void => {
      if (isYoung) beginNext();
      isYoung = false;
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(age, patienceMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      age();
    }
  };
}
