/**
 * A plan is lowered and most of a long history is pruned, while jobs are called and getJob is asked: what both
 * notice of it, beside the same minute before. docs/benchmarks.md says what the figures mean.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setPlan } from '../src/app/accounts.ts';
import { systemClock } from '../src/domain/clock.ts';
import { openStore, storePath } from '../src/store/open.ts';
import type { Store } from '../src/store/open.ts';
import { countResults } from '../src/store/usage.ts';
import { latencyOf } from './api-figures.ts';
import { ask, startClient } from './api-rounds.ts';
import type { Client } from './api-rounds.ts';
import { startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import { parseOptions, usage } from './prune-options.ts';
import type { Options } from './prune-options.ts';
import { describe } from './prune-report.ts';
import type { Figures, Window } from './prune-report.ts';
import { makePeriodic, seedHistory } from './prune-seed.ts';
import { startSink } from './start-sink.ts';
import { describeSurroundings, machine } from './surroundings.ts';
import { run } from './run.ts';

/** One getJob each so many milliseconds, whether or not the one before is answered. */
const everyMs = 5;
const connections = 64;
/** Enough keys for that pace: each may ask 120 times a minute, and is seeded for 100. */
const requestsAMinute = 60_000 / everyMs;
const warmMs = 10_000;
const longestPruneMs = 15 * 60_000;
/** Runs that are made before the plan is lowered: what is seeded stays below the higher plan with them. */
const room = 5_000;

/** A line of jobd's log that says what was pruned. */
interface Pruned {
  removed: { results?: number };
  longestWriteMs: number;
}

interface Sample {
  sentAt: number;
  latencyMs: number;
}

async function askFor(client: Client, ms: number): Promise<Sample[]> {
  const count = Math.ceil(ms / everyMs);
  const { sentAt, latencyMs } = await ask(client, {
    operation: 'getJob',
    count,
    pace: { everyMs },
  });
  return [...latencyMs].map((latency, index) => ({
    sentAt: sentAt[index] ?? NaN,
    latencyMs: latency,
  }));
}

async function windowOf(
  { db }: Store,
  samples: readonly Sample[],
  [from, to]: [number, number],
): Promise<Window> {
  const runs = await db
    .selectFrom('runs')
    .select((of) => of('started_at', '-', of.ref('scheduled_for')).as('latenessMs'))
    .where('scheduled_for', '>=', from)
    .where('scheduled_for', '<', to)
    .where('started_at', 'is not', null)
    .execute();
  const during = samples.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  return {
    seconds: (to - from) / 1_000,
    getJob: latencyOf(during.map(({ latencyMs }) => latencyMs)),
    lateness: latencyOf(runs.map(({ latenessMs }) => Number(latenessMs))),
  };
}

async function measure(options: Options): Promise<Figures> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  await using sink = await startSink();
  const seed = await seedHistory(dataDir, {
    origin: sink.origin,
    jobs: options.jobs,
    runs: options.runs - room,
    requests: 3 * requestsAMinute,
  });
  await makePeriodic(dataDir, Date.now() + 2_000);
  const pruned: (Pruned & { at: number })[] = [];
  await using server = await startJobd(options, dataDir, (lines) => {
    for (const line of lines.split('\n')) {
      if (!line.includes('"msg":"pruned"')) continue;
      pruned.push({ ...(JSON.parse(line) as Pruned), at: Date.now() });
    }
  });
  await using store = await openStore(dataDir);
  await using client = await startClient(server, seed, connections);
  const accountId = (await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow())
    .id;

  await askFor(client, warmMs);
  const beganAt = Date.now();
  const before = await askFor(client, options.seconds * 1_000);
  const loweredAt = Date.now();
  const runsBefore = await countResults(store.db, accountId);
  const fileBytes = (): number => statSync(storePath(dataDir)).size;
  const bytesBefore = fileBytes();
  if (pruned.length > 0) throw new Error('something was pruned before the plan was lowered');
  await setPlan({ store, clock: systemClock }, 'default', 'business');

  const isOver = (): boolean => pruned.some(({ removed }) => (removed.results ?? 0) > 10_000);
  const samples: Sample[] = [];
  let firstAt = 0;
  const lookForFirst = async (): Promise<void> => {
    while ((await countResults(store.db, accountId)) >= runsBefore) {
      if (Date.now() > loweredAt + longestPruneMs) return;
      await setTimeout(100);
    }
    firstAt = Date.now();
  };
  const looking = lookForFirst();
  while (!isOver()) {
    if (Date.now() > loweredAt + longestPruneMs) throw new Error('pruning does not end');
    samples.push(...(await askFor(client, 5_000)));
  }
  await looking;
  const last = pruned.find(({ removed }) => (removed.results ?? 0) > 10_000);
  const overAt = last?.at ?? NaN;
  return {
    runsBefore,
    runsAfter: await countResults(store.db, accountId),
    bytesBefore,
    bytesAfter: fileBytes(),
    logBytesAfter: statSync(`${storePath(dataDir)}-wal`).size,
    waitSeconds: (firstAt - loweredAt) / 1_000,
    longestWriteMs: Math.max(...pruned.map(({ longestWriteMs }) => longestWriteMs)),
    without: await windowOf(store, before, [beganAt, loweredAt]),
    during: await windowOf(store, samples, [firstAt, overAt]),
  };
}

async function main(options: Options): Promise<void> {
  const { runs, jobs, seconds } = options;
  const on = { ...machine(), runs, jobs, seconds };
  if (!options.json) process.stdout.write(describeSurroundings(on));
  const figures = await measure(options);
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...on, ...figures }, null, 2)}\n` : `\n${describe(figures)}`,
  );
}

await run({ name: 'prune', usage, parseOptions, main });
