/**
 * Runs the tests of behavior again, with stores on a PostgreSQL server of their own. Arguments are files of tests; without
 * them it runs all that are not about one database.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { noPostgres, startPostgres } from './support/postgres/server.ts';

/** Folders of tests that open a store in their own process. */
const folders = ['app', 'engine', 'store', 'api'];

/** Tests about SQLite: its file, its plans and its steps. And of the API those that store nothing. */
const others = [
  'store/sqlite',
  'api/page',
  'api/contract',
  'api/clients.test.ts',
  'api/docs.test.ts',
  'api/openapi.test.ts',
  'app/overview/bounds.test.ts',
];

const missing = noPostgres();
if (missing !== undefined) {
  process.stdout.write(`the tests of behavior were not run on PostgreSQL: ${missing}\n`);
  process.exit(process.env['CI'] === undefined ? 0 : 1);
}

const named = process.argv.slice(2);
const root = import.meta.dirname;
const files = (named.length > 0 ? named : folders.flatMap(testsIn)).toSorted();

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await using server = await startPostgres();
const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], {
  stdio: 'inherit',
  // Any request is tried on SQLite: here they only show that the same statements are taken.
  env: { JOBD_FUZZ_RUNS: '400', ...process.env, JOBD_TEST_POSTGRES: server.url },
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;

function testsIn(folder: string): string[] {
  return globSync(`${root}/${folder}/**/*.test.ts`).filter(
    (file) =>
      !file.endsWith('query-plans.test.ts') &&
      !others.some((one) => file.startsWith(`${root}/${one}`)),
  );
}
