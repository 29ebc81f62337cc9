/**
 * A steady rate of calls for half an hour: whether memory, open files and the room a run takes stay as they are,
 * and nothing is missed. docs/benchmarks.md says what the figures mean.
 */

import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openStore, storePath } from '../src/store/open.ts';
import type { Store } from '../src/store/open.ts';
import { seedStore } from './api-seed.ts';
import { startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import { cpuSeconds, rssMb } from './processes.ts';
import { makePeriodic } from './prune-seed.ts';
import { run } from './run.ts';
import { parseOptions, usage } from './soak-options.ts';
import type { Options } from './soak-options.ts';
import { describe, judge } from './soak-report.ts';
import type { Figures, Sample } from './soak-report.ts';
import { startSink } from './start-sink.ts';
import { percentile } from './statistics.ts';
import { describeSurroundings, machine } from './surroundings.ts';

/** Time for the server to start before the first due time. */
const leadMs = 5_000;
const sampleMs = 10_000;
/** After the last due time that counts, for what is under way. */
const settleMs = 5_000;

async function measure(options: Options): Promise<Figures> {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  await using sink = await startSink();
  const { origin } = sink;
  await seedStore(dataDir, { origin, jobs: options.rate * 60, requests: 0 });
  const beginsAt = Date.now() + leadMs;
  await makePeriodic(dataDir, beginsAt);
  await using server = await startJobd(options, dataDir);
  await using store = await openStore(dataDir);
  const endsAt = beginsAt + options.minutes * 60_000;
  const samples: Sample[] = [];
  for (let at = beginsAt + sampleMs; at <= endsAt; at += sampleMs) {
    await setTimeout(Math.max(0, at - Date.now()));
    // The sink notes each request: it forgets them now.
    sink.tell({ kind: 'begin', expected: Infinity });
    samples.push(await look(server.pid, store, dataDir, (Date.now() - beginsAt) / 1_000));
  }
  await setTimeout(settleMs);
  return { samples, ...(await outcome(store, beginsAt, endsAt)) };
}

async function look(pid: number, store: Store, dataDir: string, second: number): Promise<Sample> {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  const { runs } = await store.db
    .selectFrom('jobs')
    .select((of) => of.fn.sum<number>('total_success').as('runs'))
    .executeTakeFirstOrThrow();
  const path = storePath(dataDir);
  return {
    second,
    rssMb: rssMb(pid),
    files: links.length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    databaseMb: statSync(path).size / 1e6,
    logMb: statSync(`${path}-wal`).size / 1e6,
    cpuSeconds: cpuSeconds(pid),
    runs,
  };
}

/** One that was closed meanwhile is not open. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function outcome({ db }: Store, from: number, to: number): Promise<Omit<Figures, 'samples'>> {
  const rows = await db
    .selectFrom('runs')
    .select(['status', (of) => of('started_at', '-', of.ref('scheduled_for')).as('latenessMs')])
    .where('scheduled_for', '>=', from)
    .where('scheduled_for', '<', to)
    .execute();
  const jobs = await db
    .selectFrom('jobs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const called = rows.filter(({ latenessMs }) => latenessMs !== null);
  const lateness = Float64Array.from(called, ({ latenessMs }) => Number(latenessMs)).toSorted();
  return {
    due: (jobs.count * (to - from)) / 60_000,
    recorded: rows.filter(({ status }) => status === 'success').length,
    missed: rows.filter(({ status }) => status === 'missed').length,
    latenessP50Ms: percentile(lateness, 50),
    latenessP99Ms: percentile(lateness, 99),
    latenessMaxMs: percentile(lateness, 100),
  };
}

async function main(options: Options): Promise<boolean> {
  const { rate, minutes } = options;
  const on = { ...machine(), rate, minutes };
  if (!options.json) process.stdout.write(describeSurroundings(on));
  const figures = await measure(options);
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ ...on, ...figures, ...judge(figures) }, null, 2)}\n`
      : `\n${describe(figures)}`,
  );
  return judge(figures).isSteady;
}

await run({ name: 'soak', usage, parseOptions, main });
