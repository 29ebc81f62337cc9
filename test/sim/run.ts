/**
 * Simulates histories (docs/simulation.md):
 *
 *   npm run sim -- --seed 7 --trace      one, and what happened in it; `--plan JSON` changes what it is made of
 *   npm run sim -- --seed 7 --shrink     one that breaks a rule, made shorter
 *   npm run sim -- --seconds 60          one after the other, from --from on (default: by the time of day)
 *   npm run sim -- --hours 8             the same in a process for each processor (--workers); fails if a pair never met
 *   npm run sim -- --seeds 20 --twice    so many, each twice: they happen in the same way
 *   npm run sim -- --kept                those of kept.ts
 *   npm run sim -- --every kill          one short history again and again: its node ends at each place where it uses the
 *                                        database (each tenth with `--step 10`, one with `--use N`); also `error` and `doubt`
 *   --dense                              with all faults, often, many people and a theme; half of the processes of --hours do so
 *   --pairs                              also says which mechanisms met
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { replaceTimers } from './hooks.ts';
import { missingIn, pairLines, sumOf, type Pairs } from './pairs.ts';
import type { Plan } from './plan.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    plan: { type: 'string', default: '{}' },
    from: { type: 'string', default: String((Date.now() % 1_000_000) * 100) },
    seeds: { type: 'string', default: 'Infinity' },
    /** By default 30, or as long as `seeds` take. */
    seconds: { type: 'string' },
    hours: { type: 'string' },
    workers: { type: 'string' },
    every: { type: 'string' },
    step: { type: 'string', default: '1' },
    use: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    dense: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    /** How a process tells what met to the one that started it. */
    'pairs-json': { type: 'boolean', default: false },
  },
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const workers = Number(values.workers ?? (values.hours === undefined ? 1 : availableParallelism()));
const usualSeconds = values.seeds === 'Infinity' ? 30 : Infinity;
const seconds =
  values.hours === undefined
    ? Number(values.seconds ?? usualSeconds)
    : Number(values.hours) * 3_600;
const jsonLine = 'pairs: ';

replaceTimers();
process.exitCode = (await (workers > 1 ? inWorkers() : inThisProcess())) ? 0 : 1;

async function inThisProcess(): Promise<boolean> {
  const { allKept, every, many } = await import('./many.ts');
  const onLine = values.trace ? print : undefined;
  const seed = Number(values.seed ?? values.from);
  const { dense } = await import('./plan.ts');
  const plan = { ...(values.dense && dense), ...(JSON.parse(values.plan) as Partial<Plan>) };
  if (values.kept) return await allKept({ print });
  if (values.every !== undefined) {
    const use = values.use === undefined ? null : Number(values.use);
    const how = { seed, nodes: Number(values.nodes), step: Number(values.step), use, onLine };
    return await every(values.every, { ...how, print });
  }
  if (values.shrink) {
    const { shrink } = await import('./shrink.ts');
    return (await shrink({ seed, plan, seconds, print })) === null;
  }
  const seeds = values.seed === undefined ? Number(values.seeds) : 1;
  const how = { from: seed, seeds, seconds, plan, isTwice: values.twice };
  const { isGood, pairs } = await many({ ...how, onLine, print });
  if (values.pairs) printPairs(pairs);
  if (values['pairs-json']) print(`${jsonLine}${JSON.stringify([...pairs])}`);
  return isGood;
}

/** Each with its own seeds. */
async function inWorkers(): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const { createInterface } = await import('node:readline');
  let pairs: Pairs = new Map();
  const children = Array.from({ length: workers }, async (_, index) => {
    const from = String(Number(values.from) + index * 10_000_000);
    const args = ['--from', from, '--seconds', String(seconds), '--pairs-json'];
    if (values.dense || index % 2 === 1) args.push('--dense');
    const child = spawn(process.execPath, [import.meta.filename, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number>((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1));
    });
    for await (const line of createInterface(child.stdout)) {
      if (!line.startsWith(jsonLine)) print(line);
      else
        pairs = sumOf(
          pairs,
          new Map(JSON.parse(line.slice(jsonLine.length)) as [string, number][]),
        );
    }
    return await ended;
  });
  const codes = await Promise.all(children);
  return printPairs(pairs) && codes.every((code) => code === 0);
}

/** Returns whether all of them met. */
function printPairs(pairs: Pairs): boolean {
  for (const line of pairLines(pairs)) print(line);
  const missing = missingIn(pairs);
  if (missing.length > 0) print(`${missing.length} pairs never met: ${missing.join(', ')}`);
  return missing.length === 0;
}
