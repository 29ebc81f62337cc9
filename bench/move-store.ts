/**
 * Moving a large store from a file to a server and back, with the command that users run: rows a second, and whether both sides
 * are equal after it was killed several times on the way.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { createSigner } from '../src/engine/receipts/sign.ts';
import { makeDemo } from '../test/support/demo/demo.ts';
import { makeEmptyDatabase } from '../test/support/postgres/database.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { openTestLocal } from '../test/support/running/local.ts';
import {
  builtFile,
  grouped,
  json,
  run,
  startOutput,
  sum,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { OptionsOf } from './bench.ts';

const declared = {
  jobs: wholeNumber('jobs, each with ten runs and their receipts', [100_000, 1, 1_000_000]),
  kills: wholeNumber('how often each move is killed on the way', [10, 0, 100]),
  bundle: builtFile('the built jobd', 'jobd.cjs'),
  json,
};

interface Moved {
  tables: { name: string; rows: number }[];
  sha256: string;
  receipts: number;
}

/** Kills are spread over this time. */
const killsWithinMs = 30_000;
const longestMs = 3_600_000;

async function main(options: OptionsOf<typeof declared>): Promise<boolean> {
  const { jobs, kills, bundle } = options;
  const output = startOutput(options.json, { jobs, kills });
  using first = temporaryDirectory();
  using second = temporaryDirectory();
  await using server = await startPostgres({ fsync: 'on' });
  const nowMs = Date.now();
  await makeDemo(first.path, { nowMs, targetUrl: 'http://127.0.0.1:9', extraJobs: jobs });
  await sign(first.path);
  output.text('the store is made\n');
  const database = await makeEmptyDatabase(server.url);
  const back = `${second.path}/back`;
  const moves = [
    { name: 'to the server', args: ['--from', `sqlite:${first.path}`, '--to', database] },
    { name: 'back to a file', args: ['--from', database, '--to', `sqlite:${back}`] },
  ];
  const results = [];
  for (const { name, args } of moves) {
    const command = [bundle, 'migrate-store', ...args, '--json'];
    const began = performance.now();
    for (let kill = 0; kill < kills; kill += 1) await killed(command, killsWithinMs / kills);
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      timeout: longestMs,
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
    const seconds = (performance.now() - began) / 1_000;
    const moved = JSON.parse(stdout) as Moved;
    const rows = sum(moved.tables.map((table) => table.rows));
    results.push({ name, seconds, rows, rowsPerSecond: rows / seconds, ...moved });
    output.text(
      `${name}: ${grouped(rows)} rows in ${grouped(seconds)} s, ${grouped(rows / seconds)} rows/s, ` +
        `${grouped(moved.receipts)} receipts valid, SHA-256 ${moved.sha256}\n`,
    );
  }
  output.document({ results });
  return new Set(results.map(({ sha256 }) => sha256)).size === 1;
}

/** Marks every run that succeeded for signing, and signs all. */
async function sign(dataDir: string): Promise<void> {
  await using local = await openTestLocal(dataDir);
  const { store, clock } = local;
  const unsigned = store.db.selectFrom('receipts').select('run_id');
  await store.db
    .updateTable('runs')
    .set({ receipt_due: 1 })
    .where('status', '=', 'success')
    .where('id', 'not in', unsigned)
    .execute();
  const vault = await local.openVault();
  const signer = createSigner({ store, clock, vault, siteUrl: () => 'https://jobs.example.com' });
  while ((await signer.sign()) > 0);
}

async function killed(command: string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, command, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([ended, setTimeout(afterMs)]);
  child.kill('SIGKILL');
  await ended;
}

await run('move-store', 'a large store moves from a file to a server and back', declared, main);
