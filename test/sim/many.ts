/** Many histories one after the other, and what is printed of them. */

import { createHash } from 'node:crypto';
import { simulate, type Told } from './history.ts';
import { kept } from './kept.ts';
import { strikeKinds, type Strike } from './node.ts';
import { sumOf, type Pairs } from './pairs.ts';
import type { Plan } from './plan.ts';

interface Printing {
  readonly print: (text: string) => void;
}

interface Many extends Printing {
  from: number;
  seeds: number;
  seconds: number;
  plan: Partial<Plan>;
  /** Whether each is simulated twice, and has to happen in the same way. */
  isTwice: boolean;
  onLine: ((line: string) => void) | undefined;
}

/** What came of many. */
export interface Sum {
  isGood: boolean;
  pairs: Pairs;
}

/** Simulates one seed after the other, until one breaks a rule. */
export async function many({
  from,
  seeds,
  seconds,
  plan,
  isTwice,
  onLine,
  print,
}: Many): Promise<Sum> {
  const began = performance.now();
  const passedS = (): number => (performance.now() - began) / 1_000;
  let pairs: Pairs = new Map();
  let [seed, hours, calls] = [from, 0, 0];
  for (; seed < from + seeds && (seed === from || passedS() < seconds); seed += 1) {
    const told = await simulate(seed, { plan, onLine });
    const isOther = isTwice && (await simulate(seed, { plan })).hash !== told.hash;
    hours += told.passedMs / 3_600_000;
    calls += told.arrivals;
    pairs = sumOf(pairs, told.pairs);
    if (seeds === 1) print(`hash ${told.hash}`);
    if (isOther) print(`seed ${seed} does not happen in the same way again`);
    else if (told.failure === null) continue;
    else printBroken(print, told, `--seed ${seed}`, onLine === undefined);
    return { isGood: false, pairs };
  }
  const figures = `${hours.toFixed(1)} hours, ${calls} calls`;
  print(`seeds ${from} to ${seed - 1}: ${figures}, in ${passedS().toFixed(1)} s`);
  return { isGood: true, pairs };
}

/** Simulates the histories of `kept.ts`, and prints a hash of all that happens in them. */
export async function allKept({ print }: Printing): Promise<boolean> {
  const hash = createHash('sha256');
  let isGood = true;
  for (const { seed, plan = {}, why } of kept) {
    const told = await simulate(seed, { plan });
    hash.update(told.hash);
    if (told.failure === null) continue;
    isGood = false;
    const how = `--seed ${seed} --plan '${JSON.stringify(plan)}'`;
    printBroken(print, told, how, true);
    print(`it is kept as it showed once: ${why}`);
  }
  print(`hash ${hash.digest('hex')}`);
  return isGood;
}

/** A short history for faults at every place: each kind of target, a chain, and people. */
function shortPlan(nodes: number): Partial<Plan> {
  const quick = { connectMs: 5, storeMs: 0, slots: 8, slotsPerHost: 8 };
  return { ...quick, nodes, jobs: 8, lengthMs: 100_000, faults: [], askEveryMs: 1_500 };
}

/** The same history with a fault at the n-th use of the database, for each n. Returns whether no rule was broken. */
export async function every(
  kind: string,
  { seed, nodes, step, print }: Printing & { seed: number; nodes: number; step: number },
): Promise<boolean> {
  const found = strikeKinds.find((one) => one === kind);
  if (found === undefined) throw new Error(`--every is one of ${strikeKinds.join(', ')}`);
  const plan = shortPlan(nodes);
  const { uses } = await simulate(seed, { plan });
  let count = 0;
  for (let inUses = 1; inUses <= uses; inUses += step) {
    const strike: Strike = { inUses, kind: found };
    const told = await simulate(seed, { plan, strike });
    count += 1;
    if (told.failure === null) continue;
    printBroken(print, told, `--every ${kind} --seed ${seed} at use ${inUses}`, true);
    return false;
  }
  print(`${kind} at ${count} of ${uses} uses of the database breaks no rule`);
  return true;
}

function printBroken(print: Printing['print'], told: Told, how: string, hasLines: boolean): void {
  if (hasLines) for (const line of told.lines.slice(-60)) print(line);
  print(`seed ${told.seed} breaks ${told.failure}`);
  print(`repeated by: npm run sim -- ${how} --trace`);
}
