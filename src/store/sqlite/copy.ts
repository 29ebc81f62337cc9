/** Copies the database into a file, which is written under a temporary name and synced before it gets its own name. */

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { JobdError, systemCode } from '../../domain/errors.ts';
import {
  alreadyExists,
  cannotMake,
  makeFile,
  publishFile,
  syncFile,
  writeNewFileOf,
} from '../../base/whole-file.ts';
import type { Db } from '../database/store.ts';
import { damageIn } from './connection.ts';
import { checkDatabase } from './inspect.ts';
import { openReader } from './reader.ts';

/** Where a backup is written. */
export interface Target {
  path: string;
  /** The open, empty file at `path`, if this process cannot create it; else null. */
  descriptor: number | null;
}

/** What happens to a copy before it gets its name. */
export interface Finishing {
  /** May append to the copy. */
  finish: (draft: string) => Promise<void>;
  /** What is written instead of the copy's own bytes; null for these. */
  encrypt: ((chunks: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>) | null;
}

/**
 * Writes a snapshot of the database, without deleted data, to a file that only its owner can read. Writers do not wait
 * for it. What is to be encrypted is never written elsewhere than into the data directory before. Returns the length of the
 * file. Throws `conflict` if the file already exists, `unavailable` if it cannot be written or is damaged.
 */
export async function copyDatabase(
  db: Db,
  dataDir: string,
  { path, descriptor }: Target,
  { finish, encrypt }: Finishing = { finish: async () => {}, encrypt: null },
): Promise<number> {
  if (descriptor === null && fs.existsSync(path)) throw alreadyExists(path);
  const name = `.${basename(path)}.${process.pid}`;
  const beside = join(dirname(path), name);
  const draft = descriptor === null && encrypt === null ? beside : join(dataDir, `${name}.copy`);
  const content = () => (encrypt === null ? bytesAt(draft) : encrypt(bytesAt(draft)));
  try {
    await writeCopy(db, draft);
    await finish(draft);
    if (descriptor !== null) {
      for await (const bytes of content()) fs.writeFileSync(descriptor, bytes);
      fs.fsyncSync(descriptor);
      return fs.fstatSync(descriptor).size;
    }
    if (encrypt === null) syncFile(draft);
    else await writeNewFileOf(beside, encrypt(bytesAt(draft)));
    publishFile(beside, path);
    return fs.statSync(path).size;
  } catch (error) {
    if (descriptor !== null) fs.ftruncateSync(descriptor);
    if (damageIn(error) !== null) throw error;
    throw cannotMake(path, error);
  } finally {
    removeDraft(draft);
    if (draft !== beside && descriptor === null) removeDraft(beside);
  }
}

/** Removes a draft. There is none where this user may not look: the error of writing it says more. */
function removeDraft(draft: string): void {
  try {
    fs.rmSync(draft, { force: true });
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
  }
}

const chunkBytes = 1024 * 1024;

/** Reads an open file from its beginning, up to `length` bytes. */
export function* bytesOf(descriptor: number, length = Infinity): Generator<Uint8Array> {
  const buffer = Buffer.alloc(chunkBytes);
  for (let position = 0; position < length;) {
    const wanted = Math.min(chunkBytes, length - position);
    const read = fs.readSync(descriptor, buffer, 0, wanted, position);
    if (read === 0) return;
    yield buffer.subarray(0, read);
    position += read;
  }
}

/** Reads a file from its beginning. */
export function* bytesAt(path: string): Generator<Uint8Array> {
  const descriptor = fs.openSync(path, 'r');
  try {
    yield* bytesOf(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

async function writeCopy(db: Db, path: string): Promise<void> {
  fs.rmSync(path, { force: true });
  // SQLite accepts an empty file, and keeps its mode.
  makeFile(path);
  await sql`vacuum into ${path}`.execute(db);
  await using copy = await openReader(path);
  const [damage] = await checkDatabase(copy.db);
  if (damage === undefined) return;
  throw new JobdError(
    'unavailable',
    `the copy is damaged (${damage}): check the database with jobd doctor`,
  );
}
