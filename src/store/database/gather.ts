/**
 * Writes of one turn of the event loop in one transaction, so that a crowd of them costs one sync. Each is kept or
 * undone by itself. None is answered before the commit; if that fails, none was kept.
 */

import type { Kysely } from 'kysely';
import { atOnce } from './at-once.ts';
import { createBatcher } from './batches.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;
type Work<T> = (tx: Db) => Promise<T>;

interface Waiting {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Tells a waiting one what came of it. */
type Answer = () => void;

/** Makes what gathers writes; `write` runs a transaction. */
export function createGatherer(
  write: <T>(work: Work<T>) => Promise<T>,
): <T>(work: Work<T>) => Promise<T> {
  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await write((tx) => workThrough(tx, batch));
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  const gather = createBatcher(writeBatch);
  return <T>(work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      gather({ work, resolve: resolve as Waiting['resolve'], reject });
    });
}

async function workThrough(tx: Db, batch: readonly Waiting[]): Promise<Answer[]> {
  const [only] = batch;
  if (only !== undefined && batch.length === 1) {
    const value = await only.work(tx);
    return [() => only.resolve(value)];
  }
  const answers: Answer[] = [];
  for (const one of batch) answers.push(await workApart(tx, one));
  return answers;
}

/**
 * Runs one of several. What it throws is told after the commit, too: it may be due to what one before it wrote. If the
 * database gave up the transaction as a whole (a full disk, say) nobody's work is left, and this throws.
 */
async function workApart(tx: Db, { work, resolve, reject }: Waiting): Promise<Answer> {
  const connection = atOnce(tx);
  if (connection === undefined) throw new Error('this is no transaction');
  connection.run('savepoint one');
  try {
    const value = await work(tx);
    connection.run('release one');
    return () => resolve(value);
  } catch (error) {
    if (!connection.isInTransaction) throw error;
    connection.run('rollback to one');
    connection.run('release one');
    return () => reject(error);
  }
}
