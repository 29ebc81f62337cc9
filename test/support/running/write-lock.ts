/** Somebody else who holds the database's write lock, as a command or a backup tool may. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connectTo } from '../postgres/database.ts';
import { databaseOf } from './local.ts';

/** The holder adds the workspace `holder` in its transaction, which it commits at its end. */
const program = `
  import Database from 'better-sqlite3';
  const [path, ms] = process.argv.slice(1);
  const database = new Database(path);
  database.exec("begin immediate; " +
    "insert into workspaces (id, name, account_id, created_at) select 'holder', 'holder', id, 1 from accounts limit 1");
  const end = () => {
    database.exec('commit');
    database.close();
    process.exit();
  };
  if (ms === 'until released') process.stdin.once('data', end);
  else setTimeout(end, Number(ms));
  process.stdout.write('held');
`;

export interface WriteLock {
  /** Ends a lock held until released. */
  release(): void;
  /** Resolves when the holder has committed and is gone. */
  ended: Promise<unknown>;
}

/** Resolves once the lock is held; it is held for this many milliseconds, or until released. */
export async function holdWriteLock(
  t: TestContext,
  dataDir: string,
  held: number | 'until released',
): Promise<WriteLock> {
  const database = databaseOf(dataDir);
  if (database !== undefined) return await lockTables(t, database, held);
  const args = ['--input-type=module', '--eval', program, join(dataDir, 'jobd.db'), String(held)];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {},
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
  if (String(said) !== 'held') throw new Error('the lock could not be taken');
  return { release: () => void child.stdin.end('release'), ended };
}

/** The same on PostgreSQL: tables can be read, and not written, but for those that requests are counted in. */
async function lockTables(
  t: TestContext,
  database: string,
  held: number | 'until released',
): Promise<WriteLock> {
  const client = await connectTo(database);
  t.after(() => client.end());
  const { rows } = await client.query<{ names: string }>(
    "select string_agg(quote_ident(tablename), ', ') as names from pg_tables where schemaname = 'jobd' and tablename not in ('admissions', 'keys')",
  );
  await client.query(`begin; lock table ${rows[0]?.names} in exclusive mode;
    insert into workspaces (id, name, account_id, created_at)
      select 'holder', 'holder', id, 1 from accounts limit 1`);
  const released = Promise.withResolvers<void>();
  const ended = released.promise.then(() => client.query('commit'));
  if (held !== 'until released') void setTimeout(held).then(released.resolve);
  return { release: released.resolve, ended };
}
