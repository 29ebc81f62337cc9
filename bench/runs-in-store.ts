/**
 * What the store takes for a run: claims and records in batches, as in a storm, on one thread and without calls. Figures
 * are CPU time, so they hold on a busy machine too.
 */

import { systemClock } from '../src/domain/clock.ts';
import { openStore } from '../src/store/open.ts';
import { begunRun, type Execution } from '../src/engine/runs/execution.ts';
import { testWriter } from '../test/support/running/writer.ts';
import { json, run, startOutput, table, temporaryDirectory, wholeNumber } from './bench.ts';
import type { OptionsOf } from './bench.ts';
import { addHistory, makeDue, seedJobs } from './seed.ts';

const declared = {
  runs: wholeNumber('runs of a round', [20_000, 1, 1_000_000]),
  batch: wholeNumber('runs of a transaction', [128, 1, 256]),
  history: wholeNumber('runs kept in the file before', [0, 0, 950_000]),
  rounds: wholeNumber('rounds, the first of which is cold', [6, 1, 100]),
  json,
};

const slots = 256;

await run('runs-in-store.ts', 'what the store takes for a run', declared, main);

async function main(options: OptionsOf<typeof declared>): Promise<void> {
  const { runs, batch, history } = options;
  const output = startOutput(options.json, { runs, batch, history });
  const rounds: { cpuUs: number; systemUs: number }[] = [];
  for (let round = 0; round < options.rounds; round += 1) rounds.push(await measure(options));
  const rows = rounds.map(({ cpuUs, systemUs }, index) => [
    `${index + 1}`,
    cpuUs.toFixed(1),
    systemUs.toFixed(1),
  ]);
  output.text(table([['round', 'CPU µs/run', 'of it in the system'], ...rows]));
  output.document({ rounds });
}

async function measure({ runs, batch, history }: OptionsOf<typeof declared>) {
  using directory = temporaryDirectory();
  await seedJobs(directory.path, 'http://127.0.0.1:9', [{ prefix: 'job', count: runs }]);
  if (history > 0) await addHistory(directory.path, history);
  await makeDue(directory.path, 'job', Date.now());
  await using store = await openStore(directory.path);
  const writer = testWriter(store, systemClock, slots);
  const before = process.cpuUsage();
  const first = await writer.write({ records: false, claims: 'all' });
  const inFlight = first.claim?.executions ?? [];
  for (let recorded = 0; recorded < runs;) {
    for (const claimed of inFlight.splice(0, batch))
      writer.backlog.add({ claimed, ended: success(claimed) });
    const written = await writer.write({ records: true, claims: 'refill' });
    if (written.ended.length === 0) throw new Error(`only ${recorded} of ${runs} were claimed`);
    recorded += written.ended.length;
    inFlight.push(...(written.claim?.executions ?? []));
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: (user + system) / runs, systemUs: system / runs };
}

function success(claimed: Execution) {
  const answer = {
    httpStatus: 200,
    responseBody: 'ok',
    truncated: false,
    reason: null,
    detail: null,
  };
  const times = { finishedAt: claimed.startedAt + 5, durationMs: 5 };
  return { ...begunRun(claimed), status: 'success' as const, attempts: 1, ...times, ...answer };
}
