/**
 * Pings to jobd, run as users run it, beside a bare fastify handler that keeps them too: each in a
 * transaction of its own, and those of one turn of the event loop in one. Every ping that was answered is
 * counted in the store afterwards. docs/benchmarks.md says what the figures mean.
 */

import { join } from 'node:path';
import { sideOf } from './api-figures.ts';
import type { Pair, Side } from './api-figures.ts';
import { describe, summarise } from './api-report.ts';
import { ask, startClient } from './api-rounds.ts';
import { copyStore } from './api-seed.ts';
import { startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import { parseOptions, usage } from './ping-options.ts';
import type { Options } from './ping-options.ts';
import { countPings, seedMonitors } from './ping-seed.ts';
import { cpuSeconds } from './processes.ts';
import { startServer } from './server.ts';
import { describeSurroundings, machine } from './surroundings.ts';
import { run } from './run.ts';

const servers = ['jobd', 'batched', 'own'] as const;
type Server = (typeof servers)[number];

interface Seed {
  dataDir: string;
  pingIds: string[];
}

/** Pings one fresh server. Throws if a ping fails, or is not in the store afterwards. */
async function pingServer(options: Options, seed: Seed, server: Server): Promise<Side> {
  using directory = temporaryDirectory();
  const dataDir = copyStore(seed.dataDir, join(directory.path, server));
  const warm = Math.ceil(options.pings / 4);
  const side = await pingStore(options, seed, { server, dataDir, warm });
  const kept = await countPings(dataDir);
  const sent = warm + options.pings;
  if (kept !== sent) throw new Error(`${server} has kept ${kept} of ${sent} pings`);
  return side;
}

async function pingStore(
  options: Options,
  { pingIds }: Seed,
  { server, dataDir, warm }: { server: Server; dataDir: string; warm: number },
): Promise<Side> {
  const bare = [join(import.meta.dirname, 'ping-bare.ts'), dataDir, server];
  await using started =
    server === 'jobd'
      ? await startJobd(options, dataDir)
      : await startServer(bare, options.profileDir);
  await using client = await startClient(
    started,
    { keys: [], jobIds: pingIds },
    options.concurrency,
  );
  const task = { operation: 'ping', pace: { inFlight: options.concurrency } } as const;
  await ask(client, { ...task, count: warm });
  const cpuBefore = cpuSeconds(started.pid);
  const answers = await ask(client, { ...task, count: options.pings });
  return sideOf([{ answers, serverCpuSeconds: cpuSeconds(started.pid) - cpuBefore }]);
}

/** One round: all three, in another order each time. */
async function round(options: Options, seed: Seed, number: number): Promise<Pair[]> {
  const order = number % 2 === 0 ? servers : servers.toReversed();
  const sides = new Map<Server, Side>();
  for (const server of order) sides.set(server, await pingServer(options, seed, server));
  const [jobd, ...others] = servers.map((server) => sides.get(server));
  if (jobd === undefined) return [];
  return others
    .filter((side) => side !== undefined)
    .map((bare, index) => ({ operation: yardsticks[index] ?? '', jobd, bare }));
}

const yardsticks = ['ping, one transaction a turn', 'ping, a transaction each'];

async function main(options: Options): Promise<void> {
  const { pings, rounds, concurrency, monitors } = options;
  const on = { ...machine(), rounds, pings, concurrency, monitors };
  if (!options.json) process.stdout.write(describeSurroundings(on));
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'seed');
  const seed = { dataDir, pingIds: await seedMonitors(dataDir, monitors) };
  const pairs: Pair[] = [];
  for (let number = 0; number < rounds; number += 1) {
    pairs.push(...(await round(options, seed, number)));
  }
  const summaries = yardsticks.map((yardstick) =>
    summarise(pairs.filter(({ operation }) => operation === yardstick)),
  );
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ ...on, summaries, pairs }, null, 2)}\n`
      : `\n${describe(summaries)}every ping that was answered is in the store\n`,
  );
}

await run({ name: 'ping', usage, parseOptions, main });
