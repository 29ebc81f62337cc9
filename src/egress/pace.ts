/**
 * Spreads simultaneous look-ups. The answers to a thousand datagrams arrive together, and those that do not fit the
 * socket's buffer are lost, which costs seconds. Only young look-ups count, so a silent server delays no others.
 */

/** Runs work immediately or when its turn comes. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `limit` pieces of work that are younger than `patienceMs`; of any age without it. */
export function createPace(limit: number, patienceMs?: number): Pace {
  let young = 0;
  /** A Set is a queue here: first in, first out. */
  const waiting = new Set<() => void>();

  function beginNext(): void {
    const [begin] = waiting;
    if (begin === undefined) young--;
    else {
      waiting.delete(begin);
      begin();
    }
  }

  return async (work) => {
    if (young >= limit) await new Promise<void>((begin) => waiting.add(begin));
    else young++;
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
