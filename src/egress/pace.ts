/**
 * Spreads look-ups that all come at one instant: the answers to a thousand datagrams arrive together, and what does
 * not fit the socket's buffer is lost, which costs seconds. Waiting for an answer is not waiting in
 * line: whoever has had none for a while makes room for the next, so silent servers hold up nobody.
 */

/** Runs work, at once or when it is its turn. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets at most `limit` pieces of work run that are younger than `patienceMs`. */
export function createPace(limit: number, patienceMs: number): Pace {
  let young = 0;
  /** A Set is a queue here: first in, first out. */
  const waiting = new Set<() => void>();

  function makeRoom(): void {
    for (const begin of waiting) {
      waiting.delete(begin);
      begin();
      return;
    }
    young--;
  }

  return async (work) => {
    if (young >= limit) await new Promise<void>((begin) => waiting.add(begin));
    else young++;
    let isYoung = true;
    const age = (): void => {
      if (isYoung) makeRoom();
      isYoung = false;
    };
    const timer = setTimeout(age, patienceMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      age();
    }
  };
}
