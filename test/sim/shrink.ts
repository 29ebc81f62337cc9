/**
 * Makes a history that breaks a rule shorter, as long as it breaks the same rule: disturbances, requests and jobs are left out, half
 * of them, then a quarter and so on; then it gets less time, fewer nodes, and nothing that takes long.
 */

import { simulate, type Told } from './history.ts';
import type { Plan } from './plan.ts';

interface Shrinking {
  seed: number;
  plan: Partial<Plan>;
  seconds: number;
  readonly print: (text: string) => void;
}

/** Returns what is left, and prints what repeats it; null if no rule is broken. */
export async function shrink({ seed, plan, seconds, print }: Shrinking): Promise<Told | null> {
  const until = performance.now() + seconds * 1_000;
  const first = await simulate(seed, { plan });
  if (first.failure === null) return null;
  const rule = ruleOf(first);
  let best = first;

  async function attempt(change: Partial<Plan>): Promise<boolean> {
    if (performance.now() > until) return false;
    const told = await simulate(seed, { plan: { ...best.plan, ...change } });
    if (told.failure === null || ruleOf(told) !== rule) return false;
    best = told;
    return true;
  }

  async function leaveOut(what: keyof Plan['without']): Promise<void> {
    const all = Array.from({ length: first.counts[what] }, (_, number) => number);
    for (
      let size = Math.ceil(all.length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let from = 0; from < all.length; from += size) {
        const { without } = best.plan;
        const chunk = all
          .slice(from, from + size)
          .filter((number) => !without[what].includes(number));
        if (chunk.length === 0) continue;
        await attempt({ without: { ...without, [what]: [...without[what], ...chunk] } });
      }
    }
  }

  // Nothing happens after the break.
  await attempt({
    lengthMs: Math.min(first.plan.lengthMs, Math.max(1_000, first.passedMs - 11_000)),
  });
  for (const change of simpler) await attempt(change);
  for (const what of ['faults', 'asks', 'jobs'] as const) await leaveOut(what);
  for (let nodes = 1; nodes < best.plan.nodes; nodes += 1) if (await attempt({ nodes })) break;
  for (
    let { lengthMs } = best.plan;
    lengthMs > 10_000 && (await attempt({ lengthMs: (lengthMs /= 2) }));
  ) {}
  print(`seed ${seed} breaks ${best.failure}`);
  print(`with ${kindsLeft(first, best)}`);
  print(`repeated by: npm run sim -- --seed ${seed} --plan '${JSON.stringify(best.plan)}' --trace`);
  return best;
}

const simpler: readonly Partial<Plan>[] = [
  { storeMs: 0 },
  { connectMs: 0 },
  { lostHints: 0 },
  { hooksThatAnswer: 1 },
  { results: 1_000_000 },
  { slots: 64, slotsPerHost: 64 },
];

function ruleOf({ failure }: Told): string {
  return /^[^:]*(: [\w-]*)?/.exec(failure ?? '')?.[0] ?? '';
}

function kindsLeft(first: Told, best: Told): string {
  const kinds = ['faults', 'asks', 'jobs'] as const;
  const left = kinds.map(
    (what) =>
      `${best.counts[what] - best.plan.without[what].length} of ${first.counts[what]} ${what}`,
  );
  return `${left.join(', ')}, ${(best.plan.lengthMs / 1_000).toFixed(0)} s`;
}
