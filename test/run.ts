/**
 * Runs tests:
 *
 *   node test/run.ts                  what `npm test` runs
 *   node test/run.ts all              what `npm run test:all` runs; `long` is what that adds, `unit` the rules alone
 *   node test/run.ts FILE...          these files
 *   node test/run.ts --postgres FILE...   the same with their stores on a PostgreSQL server
 *
 *   --lanes N      processes at a time, by default one more than there are processors
 *   --no-skips     what is skipped is a failure
 *   JOBD_TEST_SEED the seed of everything random, by default always the same
 *
 * A file runs with others in one process, unless it is end to end. It ends with what failed, and how to repeat that.
 */

import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { repeatedBy, seed } from './support/dice.ts';
import { noPostgres, startPostgres } from './support/postgres/server.ts';
import { failureText, runBatches, type Outcome } from './support/suite/lanes.ts';
import { batchesOf, onPostgres, root, suites, type Batch } from './support/suite/suites.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // One more than there are processors: half of the time tests wait.
    lanes: { type: 'string', default: String(availableParallelism() + 1) },
    postgres: { type: 'boolean', default: false },
    'no-skips': { type: 'boolean', default: false },
  },
});
const lanes = Number(values.lanes);
const started = performance.now();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await using resources = new AsyncDisposableStack();
const directory = makeDirectory();
chmodSync(directory, 0o755); // other users run programs in it
process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
process.env['TMPDIR'] = directory;

const batches = await choose();
print(`${batches.flatMap(({ files }) => files).length} files, ${lanes} at a time, seed ${seed}`);
const outcome = await runBatches(batches, lanes, {
  env: {
    ...process.env,
    JOBD_TEST_SEED: String(seed),
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'tests'),
  },
  onEnd: printBatch,
});
printEnd(outcome);
const isRed = outcome.failures.length > 0 || (values['no-skips'] && outcome.skips.length > 0);
process.exitCode = isRed ? 1 : 0;

/** What to run, from the arguments. */
async function choose(): Promise<Batch[]> {
  const [suite = 'quick', ...more] = positionals;
  if (suite === 'quick' || suite === 'unit') return suites[suite]();
  if (suite === 'long') return suites.long(await startServer());
  if (suite === 'all') return [...suites.quick(), ...suites.long(await startServer())];
  const files = [suite, ...more].map((file) => relative(root, file));
  const absent = files.filter((file) => !existsSync(join(root, file)));
  if (absent.length > 0) throw new Error(`there is no ${absent.join(' and no ')}`);
  return values.postgres ? onPostgres(files, await startServer()) : batchesOf('', files);
}

/** Starts the server that tests share. Returns its URL. */
async function startServer(): Promise<string> {
  const missing = noPostgres();
  if (missing !== undefined) throw new Error(`${missing}: npm test needs none`);
  const server = resources.use(await startPostgres());
  process.env['JOBD_TEST_SERVER'] = server.url;
  return server.url;
}

/** In memory, where a sync costs nothing, if there is enough of it. */
function makeDirectory(): string {
  const memory = '/dev/shm';
  const enough = 4 * 2 ** 30;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize > enough) return mkdtempSync(join(memory, 'jobd-tests-'));
  } catch {
    // No such place: not Linux.
  }
  return mkdtempSync(join(tmpdir(), 'jobd-tests-'));
}

function printBatch({ part, files }: Batch, ended: Outcome, ms: number): void {
  const [first = '', ...others] = files;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const word = ended.failures.length > 0 ? 'FAILED' : 'ok';
  print(`${word.padEnd(6)} ${(ms / 1_000).toFixed(1).padStart(6)} s  ${part}: ${first}${more}`);
  for (const failure of ended.failures) print(failureText(failure, repeatedBy));
}

function printEnd({ passed, failures, skips, seconds }: Outcome): void {
  const slow = [...seconds].toSorted(([, one], [, other]) => other - one).slice(0, 20);
  print('\nThe slowest files:');
  for (const [file, taken] of slow) print(`${taken.toFixed(1).padStart(7)} s  ${file}`);
  if (skips.length > 0) print('\nSkipped:');
  for (const { name, file, why } of skips) print(`﹣ ${name} (${file}): ${why}`);
  if (failures.length > 0) print('\nFailed:');
  for (const { part, file, line, name } of failures) {
    print(`✖ ${part}: ${name} (${file}:${line})`);
  }
  print(`\nℹ tests ${passed + failures.length + skips.length}`);
  print(`ℹ pass ${passed}`);
  print(`ℹ fail ${failures.length}`);
  print(`ℹ skipped ${skips.length}`);
  print(`ℹ duration_ms ${Math.round(performance.now() - started)}`);
}
