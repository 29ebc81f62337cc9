/** Which mechanisms met in histories, two at a time: what no history brings together, no rule can have looked at. */

/** What each is under way for is in docs/simulation.md. */
export const mechanisms = [
  'kill',
  'error',
  'doubt',
  'cut',
  'full',
  'freeze',
  'stop',
  'clock',
  'lease',
  'hand-over',
  'replan',
  'expiry',
  'renew',
  'prune',
  'create',
  'edit',
  'pause',
  'resume',
  'delete',
  'run',
  'replay',
  'endWait',
  'hold',
  'mute',
  'actions',
  'once',
  'spent',
  'make-up',
  'chain',
  'wait',
  'report',
  'retry',
  'interrupted',
  'alert',
  'digest',
  'result',
] as const;

export type Pairs = ReadonlyMap<string, number>;

/** The name of a pair, in either order. */
export function pairOf(one: string, other: string): string {
  return one < other ? `${one} x ${other}` : `${other} x ${one}`;
}

/** The sum of two counts. */
export function sumOf(one: Pairs, other: Pairs): Pairs {
  const sum = new Map(one);
  for (const [pair, count] of other) sum.set(pair, (sum.get(pair) ?? 0) + count);
  return sum;
}

/** The pairs that did not meet. */
export function missingIn(pairs: Pairs): string[] {
  return mechanisms
    .flatMap((one, index) => mechanisms.slice(index + 1).map((other) => pairOf(one, other)))
    .filter((pair) => !pairs.has(pair));
}

/** For each mechanism how often it met another one, and which it met most rarely. */
export function pairLines(pairs: Pairs): string[] {
  return mechanisms.map((one) => {
    const met = mechanisms
      .filter((other) => other !== one)
      .map((other) => ({ other, count: pairs.get(pairOf(one, other)) ?? 0 }))
      .toSorted((a, b) => a.count - b.count);
    const sum = met.reduce((all, { count }) => all + count, 0);
    const rarest = met.slice(0, 3).map(({ other, count }) => `${other} ${count}`);
    return `${one.padEnd(12)} ${String(sum).padStart(9)}   ${rarest.join(', ')}`;
  });
}
