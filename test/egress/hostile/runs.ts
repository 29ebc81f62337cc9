/**
 * Run alone, with the targets as JSON in its last argument: calls them again and again, and prints what
 * that did to the process. The targets live elsewhere, so its memory is that of egress.
 */
import { setImmediate } from 'node:timers/promises';
import { parseAllowTargets } from '../../../src/domain/targets/target.ts';
import { createEgress, type Call } from '../../../src/egress/egress.ts';
import { authority } from '../certificates.ts';

/** What to do: each call in turn, `runs` in all, so many at a time. */
export interface Orders {
  calls: Call[];
  runs: number;
  atATime: number;
}

/** What came of it; memory in bytes, after a full collection. */
export interface Report {
  rssBefore: number;
  rssAfter: number;
  /** The most that was held at any time while calls were under way. */
  held: number;
  /** Open sockets once all is over. */
  sockets: number;
}

const { calls, runs, atATime } = JSON.parse(process.argv.at(-1) ?? '') as Orders;
const egress = createEgress({
  allowTargets: parseAllowTargets(['127.0.0.1/32:*']),
  connectionsPerHost: 1000,
  userAgent: 'jobd/test',
  ca: authority,
});

async function callAll(count: number): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const call = calls[next++ % calls.length];
      if (call !== undefined) await egress.call(call);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return await restingMemory();
}

async function restingMemory(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
  return process.memoryUsage.rss();
}

let held = 0;
const looking = setInterval(() => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  held = Math.max(held, heapUsed + external);
}, 250);

// The first runs fill caches and pools once and for all.
const rssBefore = await callAll(runs);
const rssAfter = await callAll(runs);
clearInterval(looking);
await egress[Symbol.asyncDispose]();
await setImmediate();
const sockets = process.getActiveResourcesInfo().filter((name) => /Socket|TLS|TCP/.test(name));
const report: Report = { rssBefore, rssAfter, held, sockets: sockets.length };
process.stdout.write(JSON.stringify(report));
