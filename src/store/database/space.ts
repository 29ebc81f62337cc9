/**
 * The room that the database takes on the disk. What is removed leaves free pages in the file, which later
 * rows use; pages beyond a reserve are given back to the system. SQLite can do that step by step only in a file
 * that was made for it (`auto_vacuum`), as every new one is; an older one must be rewritten once.
 */

import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import type { Db } from './schema.ts';

/** The database file, in pages. */
export interface Space {
  pageBytes: number;
  pages: number;
  freePages: number;
}

/** The numbers stand in the file's header: asking costs next to nothing. */
export async function readSpace(db: Db): Promise<Space> {
  return {
    pageBytes: await pragma(db, 'page_size'),
    pages: await pragma(db, 'page_count'),
    freePages: await pragma(db, 'freelist_count'),
  };
}

/** `auto_vacuum` of a file that can be made smaller step by step. */
const incremental = 2;

/** Whether the file can be made smaller step by step. */
export async function canGiveBack(db: Db): Promise<boolean> {
  return (await pragma(db, 'auto_vacuum')) === incremental;
}

/** Takes up to so many free pages off the end of the file, moving there what is not free. */
export async function giveBackPages(tx: Db, pages: number): Promise<void> {
  // The driver takes one step of a statement that returns no rows, and that is one page.
  for (let page = 0; page < pages; page += 1) {
    await sql.raw('pragma incremental_vacuum(1)').execute(tx);
  }
}

/** Moves what is in the write-ahead log into the database file, which only then becomes smaller. */
export async function checkpoint(db: Db): Promise<void> {
  await sql.raw('pragma wal_checkpoint(passive)').execute(db);
}

/** The same, and leaves the log empty. Returns whether it is: it is not while another process reads. */
export async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy === 0;
}

/** Writes the file anew: without what was freed in it, and so that it can be made smaller step by step. */
export async function rewrite(db: Db): Promise<void> {
  await sql.raw('pragma auto_vacuum = incremental').execute(db);
  await sql.raw('vacuum').execute(db);
}

/** Larger files are not rewritten unasked: it takes seconds, and as much room again. */
const largestRewriteBytes = 64 * 1024 * 1024;

/** How often, and how long apart, the log is tried to be emptied while others read. */
const emptyings = { tries: 20, everyMs: 50 };

/**
 * Writes a file anew that is not large, so that nothing is left in it of what was freed. Returns whether that is
 * so; it is not while another process goes on reading or writing.
 */
export async function eraseFreed(db: Db): Promise<boolean> {
  const { pageBytes, pages } = await readSpace(db);
  if (pageBytes * pages > largestRewriteBytes) {
    await emptyLog(db);
    return false;
  }
  try {
    await rewrite(db);
    for (let tries = 0; tries < emptyings.tries; tries += 1) {
      if (await emptyLog(db)) return true;
      await setTimeout(emptyings.everyMs);
    }
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
  }
  return false;
}

async function pragma(db: Db, name: string): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(db);
  return rows[0]?.[name] ?? 0;
}
