/** Due times of jobs that are stored, for a daemon that runs: whatever it took to start, they are to come. */

import { join } from 'node:path';
import { until } from '../until.ts';
import { runProgram } from './program.ts';

const busy = 75;

/** A process of its own, because a namespace has paths of its own. It ends with `busy` if another process is writing. */
const dueProgram = `
  import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
  const [path, dueIn] = process.argv.slice(1);
  const database = new Database(path);
  const set = database.prepare(
    'update jobs set next_run_at = @at, anchor_at = @at - 1000 * period_seconds where id = @id');
  const setAll = database.transaction(() => {
    const now = Date.now();
    for (const [id, ms] of JSON.parse(dueIn)) set.run({ id, at: Math.round(now + ms) });
  });
  try {
    setAll.immediate();
  } catch (error) {
    if (error.code !== 'SQLITE_BUSY') throw error;
    process.exitCode = ${busy};
  }
  database.close();
`;

/** The milliseconds from now at which a job is due, by its id. */
export type Due = readonly (readonly [id: string, ms: number])[];

/**
 * Makes jobs due, and again after their periods. `enter` is the wrapper command of the namespace in which the data directory is.
 * False if another process was writing.
 */
export async function tryMakeDue(dataDir: string, due: Due, enter: readonly string[] = []) {
  const words = ['--input-type=module', '--eval', dueProgram, join(dataDir, 'jobd.db')];
  const { exitCode, stderr } = await runProgram([
    ...enter,
    process.execPath,
    ...words,
    JSON.stringify(due),
  ]);
  if (exitCode !== 0 && exitCode !== busy) throw new Error(stderr);
  return exitCode === 0;
}

/** The same, as soon as no other process is writing. */
export async function makeDueIn(dataDir: string, due: Due, enter?: readonly string[]) {
  await until('due times', () => tryMakeDue(dataDir, due, enter));
}
