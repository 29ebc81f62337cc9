/** Many histories one after the other, and what is printed of them. */

import { simulate, type Changes, type Told } from './history.ts';
import { strikeKinds, type Strike } from './node.ts';

interface Many {
  from: number;
  seeds: number;
  seconds: number;
  onLine: ((line: string) => void) | undefined;
  readonly print: (text: string) => void;
  hasPairs: boolean;
}

/** Simulates one seed after the other, until one breaks a rule. Returns whether none did. */
export async function many({ from, seeds, seconds, print, ...how }: Many): Promise<boolean> {
  const began = performance.now();
  const passedS = (): number => (performance.now() - began) / 1_000;
  const pairs = new Map<string, number>();
  let [seed, hours, calls] = [from, 0, 0];
  for (; seed < from + seeds && (seed === from || passedS() < seconds); seed += 1) {
    const told = await simulate(seed, { onLine: how.onLine });
    hours += told.passedMs / 3_600_000;
    calls += told.arrivals;
    for (const [pair, count] of told.pairs) pairs.set(pair, (pairs.get(pair) ?? 0) + count);
    if (seeds === 1) print(`hash ${told.hash}`);
    if (told.failure === null) continue;
    printBroken(print, told, `--seed ${seed}`, how.onLine === undefined);
    return false;
  }
  const figures = `${hours.toFixed(1)} hours, ${calls} calls, ${pairs.size} pairs of mechanisms met`;
  print(`seeds ${from} to ${seed - 1}: ${figures}, in ${passedS().toFixed(1)} s`);
  if (how.hasPairs) {
    const byCount = [...pairs].toSorted(([, one], [, other]) => one - other);
    for (const [pair, count] of byCount) print(`${String(count).padStart(8)}  ${pair}`);
  }
  return true;
}

/** A short history for faults at every place. */
function shortPlan(nodes: number): NonNullable<Changes['plan']> {
  const quick = { connectMs: 5, storeMs: 0, slots: 8, slotsPerHost: 8 };
  return { ...quick, nodes, jobs: 8, lengthMs: 100_000, faults: [], askEveryMs: 1_500 };
}

/** The same history with a fault at the n-th use of the database, for each n. Returns whether no rule was broken. */
export async function every(
  kind: string,
  { seed, nodes, print }: { seed: number; nodes: number; print: Many['print'] },
): Promise<boolean> {
  const found = strikeKinds.find((one) => one === kind);
  if (found === undefined) throw new Error(`--every is one of ${strikeKinds.join(', ')}`);
  const plan = shortPlan(nodes);
  const { uses } = await simulate(seed, { plan });
  for (let inUses = 1; inUses <= uses; inUses += 1) {
    const strike: Strike = { inUses, kind: found };
    const told = await simulate(seed, { plan, strike });
    if (told.failure === null) continue;
    printBroken(print, told, `--every ${kind} --seed ${seed} at use ${inUses}`, true);
    return false;
  }
  print(`${kind} at each of ${uses} uses of the database breaks no rule`);
  return true;
}

function printBroken(print: Many['print'], told: Told, how: string, hasLines: boolean): void {
  if (hasLines) for (const line of told.lines.slice(-60)) print(line);
  print(`seed ${told.seed} breaks ${told.failure}`);
  print(`repeated by: npm run sim -- ${how} --trace`);
}
