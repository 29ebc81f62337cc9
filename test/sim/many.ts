/** Many histories one after the other, and what is printed of them. */

import { createHash } from 'node:crypto';
import { simulate, type Told } from './history.ts';
import { kept } from './kept.ts';
import { strikeKinds, type Strike } from './node.ts';
import { sumOf, type Pairs } from './pairs.ts';
import { earlier, type Plan } from './plan.ts';

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
    else printBroken(print, told, howFor(seed, plan), onLine === undefined);
    return { isGood: false, pairs };
  }
  const cpuHours = process.cpuUsage().user / 3_600_000_000;
  const rate = `${(hours / cpuHours).toFixed(0)} an hour of CPU`;
  const figures = `${hours.toFixed(1)} hours (${rate}), ${calls} calls`;
  print(`seeds ${from} to ${seed - 1}: ${figures}, in ${passedS().toFixed(1)} s`);
  return { isGood: true, pairs };
}

/** Simulates the histories of `kept.ts`, and prints a hash of all that happens in them. */
export async function allKept({ print }: Printing): Promise<boolean> {
  const hash = createHash('sha256');
  let isGood = true;
  for (const { seed, plan: its, why } of kept) {
    const plan = { ...earlier, ...its };
    const told = await simulate(seed, { plan });
    hash.update(told.hash);
    if (told.failure === null) continue;
    isGood = false;
    printBroken(print, told, howFor(seed, plan), true);
    print(`it is kept as it showed once: ${why}`);
  }
  print(`hash ${hash.digest('hex')}`);
  return isGood;
}

/** A short history for faults at every place: each kind of target, a chain, and people. */
function shortPlan(nodes: number): Partial<Plan> {
  const quick = { connectMs: 5, storeMs: 0, slots: 8, slotsPerHost: 8 };
  const people = { ...earlier, askEveryMs: 1_500 };
  return { ...quick, ...people, nodes, jobs: 8, lengthMs: 100_000, faults: [] };
}

interface Every extends Printing {
  seed: number;
  nodes: number;
  /** One of so many places. */
  step: number;
  /** Only this one, from 1 on; null for all. */
  use: number | null;
  onLine: ((line: string) => void) | undefined;
}

/**
 * The same history with a fault at each place where its node uses the database: the first time it comes there, and half-way to the
 * last time. A node looks every second for work, so thousands of uses are at some hundred places. Returns whether no rule was broken.
 */
export async function every(
  kind: string,
  { seed, nodes, step, use: only, onLine, print }: Every,
): Promise<boolean> {
  const found = strikeKinds.find((one) => one === kind);
  if (found === undefined) throw new Error(`--every is one of ${strikeKinds.join(', ')}`);
  const plan = shortPlan(nodes);
  const began = performance.now();
  const { sites } = await simulate(seed, { plan, hasSites: true });
  const placesOf = Map.groupBy(sites.keys(), (use) => sites[use] ?? '');
  // Only the answer of a commit can be lost.
  const places = [...placesOf].filter(([at]) => found !== 'doubt' || at.startsWith('committed'));
  const uses = new Set(places.flatMap(([, at]) => [at[0] ?? 0, at[at.length >> 1] ?? 0]));
  const chosen = only === null ? [...uses].filter((_, index) => index % step === 0) : [only - 1];
  let broken = 0;
  for (const use of chosen) {
    const strike: Strike = { inUses: use + 1, kind: found };
    const told = await simulate(seed, { plan, strike, onLine });
    if (told.failure === null) continue;
    broken += 1;
    printBroken(
      print,
      told,
      `--every ${kind} --seed ${seed} --nodes ${nodes} --use ${use + 1}`,
      true,
    );
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const times = `${chosen.length} of ${sites.length} uses of the database`;
  print(`${kind} at ${places.length} places, ${times}: ${broken} break a rule, in ${minutes} min`);
  return broken === 0;
}

function howFor(seed: number, plan: Partial<Plan>): string {
  const isChanged = Object.keys(plan).length > 0;
  return `--seed ${seed}${isChanged ? ` --plan '${JSON.stringify(plan)}'` : ''}`;
}

function printBroken(print: Printing['print'], told: Told, how: string, hasLines: boolean): void {
  if (hasLines) for (const line of told.lines.slice(-60)) print(line);
  print(`seed ${told.seed} breaks ${told.failure}`);
  print(`repeated by: npm run sim -- ${how} --trace`);
}
