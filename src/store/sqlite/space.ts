/**
 * The space that the database takes on the disk. Removed rows leave free pages in the file, which later rows use.
 * `engine/upkeep/give-back.ts` returns the others to the system in small steps. SQLite allows that only in a file made
 * with `auto_vacuum`, as every new file is.
 */

import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import type { DatabaseFile, Db, Space } from '../database/store.ts';

/** Reads the numbers from the header of the file, which costs almost nothing. */
export async function readSpace(db: Db): Promise<Space> {
  return {
    pageBytes: await pragma(db, 'page_size'),
    pages: await pragma(db, 'page_count'),
    freePages: await pragma(db, 'freelist_count'),
  };
}

/** `auto_vacuum` of a file that can be made smaller step by step. */
const incremental = 2;

async function canGiveBack(db: Db): Promise<boolean> {
  return (await pragma(db, 'auto_vacuum')) === incremental;
}

/** Removes up to this many free pages from the end of the file, after moving used pages away from there. */
export async function giveBackPages(tx: Db, pages: number): Promise<void> {
  // The driver executes one step of a statement without rows, and one step is one page.
  for (let page = 0; page < pages; page += 1) {
    await sql.raw('pragma incremental_vacuum(1)').execute(tx);
  }
}

/** Moves the write-ahead log into the database file, which becomes smaller only then. */
export async function checkpoint(db: Db): Promise<void> {
  await sql.raw('pragma wal_checkpoint(passive)').execute(db);
}

/** Moves the log into the file and empties it. Returns false if another process was reading. */
export async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy === 0;
}

async function overwriteFreed(db: Db): Promise<void> {
  await sql`pragma secure_delete = on`.execute(db);
}

/** A larger file is not rewritten: it takes seconds, and as much space again. */
const largestRewriteBytes = 64 * 1024 * 1024;

/** How often `eraseFreed` tries to empty the log while others read. */
const emptyings = { tries: 20, everyMs: 50 };

/**
 * Rewrites the file, unless it is large, so that nothing freed is left in it. Returns false if that failed: the file is
 * large, or another process kept reading or writing.
 */
async function eraseFreed(db: Db): Promise<boolean> {
  const { pageBytes, pages } = await readSpace(db);
  if (pageBytes * pages > largestRewriteBytes) {
    await emptyLog(db);
    return false;
  }
  try {
    await sql.raw('pragma auto_vacuum = incremental').execute(db);
    await sql.raw('vacuum').execute(db);
    for (let tries = 0; tries < emptyings.tries; tries += 1) {
      if (await emptyLog(db)) return true;
      await setTimeout(emptyings.everyMs);
    }
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
  }
  return false;
}

/** Free space on the disk of a directory, in bytes. */
export function diskFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** The size of the write-ahead log in a data directory, in bytes. */
export function logBytes(dataDir: string): number {
  return statSync(join(dataDir, 'jobd.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}

/** The file of a database in a data directory. */
export function fileOf(
  db: Db,
  dataDir: string,
  misplaced: DatabaseFile['misplaced'],
): DatabaseFile {
  return {
    misplaced,
    diskFreeBytes: () => diskFreeBytes(dataDir),
    logBytes: () => logBytes(dataDir),
    readSpace: (tx = db) => readSpace(tx),
    canGiveBack: () => canGiveBack(db),
    giveBackPages,
    checkpoint: () => checkpoint(db),
    emptyLog: () => emptyLog(db),
    overwriteFreed: () => overwriteFreed(db),
    eraseFreed: () => eraseFreed(db),
  };
}

async function pragma(db: Db, name: string): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(db);
  return rows[0]?.[name] ?? 0;
}
