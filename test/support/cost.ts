/** How the work of a function grows with the length of its text. Only the time of the processor counts, not that of the clock. */

/** Milliseconds that this thread works on it: other threads and other programs do not count. */
function threadMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Of one call: the best of three measurements, each of so many calls that it has some 30 ms. */
function bestMsOf(work: () => unknown): number {
  let calls = 1;
  let totalMs = threadMsOf(work);
  while (totalMs < 30) {
    calls *= totalMs < 3 ? 8 : 2;
    totalMs = threadMsOf(() => {
      for (let call = 0; call < calls; call += 1) work();
    });
  }
  let bestMs = totalMs / calls;
  for (let more = 0; more < 2; more += 1) {
    const againMs = threadMsOf(() => {
      for (let call = 0; call < calls; call += 1) work();
    });
    bestMs = Math.min(bestMs, againMs / calls);
  }
  return bestMs;
}

/** Work that takes no longer is not looked at any closer. */
const shortMs = 12;

/**
 * The milliseconds at n, 2n and 4n characters if the work more than triples twice; null if it does not, or never takes long.
 * `textOf` gives a text of a length.
 */
export function steepGrowth(
  read: (text: string) => unknown,
  textOf: (length: number) => string,
  longest: number,
): number[] | null {
  for (let length = 512; length <= longest; length *= 4) {
    const [half, whole] = [textOf(length / 2), textOf(length)];
    const wholeMs = threadMsOf(() => read(whole));
    // Most texts are done with here, or by one look at half of the text.
    if (wholeMs < shortMs || wholeMs < 3 * threadMsOf(() => read(half))) continue;
    const costs = [length / 4, length / 2, length].map((some) => {
      const text = textOf(some);
      return bestMsOf(() => read(text));
    });
    const [one = 0, two = 0, four = 0] = costs;
    if (two > 3 * one && four > 3 * two) return costs;
  }
  return null;
}
