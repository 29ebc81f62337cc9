/**
 * Simulates histories (docs/simulation.md):
 *
 *   npm run sim -- --seed 7 --trace      one, and what happened in it
 *   npm run sim -- --seconds 60          one after the other, from --from on (default: by the time of day)
 *   npm run sim -- --hours 8             the same in a process for each processor (--workers)
 *   npm run sim -- --seeds 20            so many
 *   npm run sim -- --every kill          one short history again and again: its n-th use of the database is the last one of
 *                                        its node, for each n; also `error` and `doubt`
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { replaceTimers } from './hooks.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: String((Date.now() % 1_000_000) * 100) },
    seeds: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: '30' },
    hours: { type: 'string' },
    workers: { type: 'string' },
    every: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
  },
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const workers = Number(values.workers ?? (values.hours === undefined ? 1 : availableParallelism()));
const seconds = values.hours === undefined ? Number(values.seconds) : Number(values.hours) * 3_600;

replaceTimers();
if (workers > 1) await inWorkers();
else {
  const { every, many } = await import('./many.ts');
  const onLine = values.trace ? print : undefined;
  const from = Number(values.seed ?? values.from);
  const seeds = values.seed === undefined ? Number(values.seeds) : 1;
  const isGood =
    values.every === undefined
      ? await many({ from, seeds, seconds, onLine, print, hasPairs: values.pairs })
      : await every(values.every, { seed: from, nodes: Number(values.nodes), print });
  process.exitCode = isGood ? 0 : 1;
}

/** Each with its own seeds; all end when one of them finds something. */
async function inWorkers(): Promise<void> {
  const { spawn } = await import('node:child_process');
  const children = Array.from({ length: workers }, (_, index) => {
    const from = String(Number(values.from) + index * 10_000_000);
    const args = [import.meta.filename, '--from', from, '--seconds', String(seconds)];
    return spawn(process.execPath, args, { stdio: 'inherit' });
  });
  const codes = await Promise.all(
    children.map(
      (child) =>
        new Promise<number>((resolve) => {
          child.once('exit', (code) => resolve(code ?? 1));
        }),
    ),
  );
  process.exitCode = Math.max(...codes);
}
