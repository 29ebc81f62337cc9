/**
 * Run alone, with the targets as JSON in its last argument: calls them again and again, and prints
 * the resource usage of the process. The targets are in another process, so its memory is that of
 * egress.
 */
import { setImmediate } from 'node:timers/promises';
import { parseAllowTargets } from '../../../src/domain/targets/target.ts';
import { createEgress, type Call } from '../../../src/egress/egress.ts';
import { authority } from '../certificates.ts';

/** The calls to make: each in turn, `runs` in all, with this concurrency. */
export interface Orders {
  calls: Call[];
  runs: number;
  atATime: number;
}

/** The result; memory in bytes, after a full collection. */
export interface Report {
  rssBefore: number;
  rssAfter: number;
  /** Open sockets at the end. */
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

// The first runs fill caches and pools.
const rssBefore = await callAll(runs);
const rssAfter = await callAll(runs);
await egress[Symbol.asyncDispose]();
await setImmediate();
const sockets = process.getActiveResourcesInfo().filter((name) => /Socket|TLS|TCP/.test(name));
const report: Report = { rssBefore, rssAfter, sockets: sockets.length };
process.stdout.write(JSON.stringify(report));
