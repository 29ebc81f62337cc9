/**
 * The reserve: a file beside the database that keeps disk space for the time when the disk is full, as SQLite needs space even
 * to delete (docs/decisions/0020-full-disks.md#a-reserve-file-for-a-full-disk). It is emptied part by part, so that no other
 * program takes what the log needs, and a quarter becomes free pages of the database (`free-pages.ts`). An empty file means,
 * also after a restart, that the reserve is in use. It holds random bytes: compressing file systems store zeros in no space.
 */

import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db, Reserve } from '../database/store.ts';
import { makeFile } from '../../base/whole-file.ts';
import { dropFilling, makeFreePages } from './free-pages.ts';
import { checkpoint, diskFreeBytes, readSpace } from './space.ts';

const mib = 1024 ** 2;
/** The reserve takes at most `mostBytes` and an eighth of the disk; if that is below `leastBytes`, there is none. */
const mostBytes = 24 * mib;
const diskShare = 8;
const leastBytes = mib;
/** It is filled again when this many times its size is free; else it would soon be in use again. */
const freeToFill = 1.5;
/**
 * The log is moved into the database file when it has a sixth of the reserve's size. When a full disk is noticed, the log
 * may be twice as long, and the database file may have to grow by that much.
 */
const logShare = 6;
/** The number of parts in which it is emptied: the log, at its longest, fits into each. */
const releasedParts = logShare / 2;
/** The part of it that becomes free pages. */
const pagesShare = 1 / 4;
/** SQLite's default: pages of the log after which it is moved into the file. */
const mostLogPages = 1_000;
/** The pause after a failed fill: with a quota it may fail however much is free. */
const failedFillRestMs = 60_000;
/** While the reserve is in use, new runs leave free pages of a sixteenth of it to what is under way. */
const runningShare = 1 / 16;

/** The reserve's file in a data directory. */
export function reservePath(dataDir: string): string {
  return join(dataDir, 'jobd.reserve');
}

/** Whether the reserve of a data directory is in use, for other processes than the daemon. */
export function isReserveInUse(dataDir: string): boolean {
  return bytesOf(reservePath(dataDir)) === 0;
}

/** Whether a reserve in use leaves no space for new runs: the disk is still full, and the file has too few free pages. */
export async function isReserveSpent(dataDir: string, db: Db): Promise<boolean> {
  const wanted = wantedAt(dataDir);
  // It is soon filled again.
  if (diskFreeBytes(dataDir) >= wanted * freeToFill) return false;
  const { freePages, pageBytes } = await readSpace(db);
  return freePages * pageBytes <= wanted * runningShare;
}

/** Whether there is neither a reserve nor the space to fill one, so that a full disk would stop everything. */
export function lacksReserve(dataDir: string): boolean {
  const path = reservePath(dataDir);
  const [bytes, wanted] = [bytesOf(path) ?? 0, wantedAt(dataDir)];
  return bytes !== wanted && diskFreeBytes(dataDir) + bytes < wanted * freeToFill;
}

/** Empties the reserve of a store that cannot be opened, if the disk is full. Returns whether it did. */
export function releaseToOpen(dataDir: string): boolean {
  const path = reservePath(dataDir);
  try {
    if (!bytesOf(path) || diskFreeBytes(dataDir) >= leastBytes) return false;
  } catch {
    // The directory does not exist.
    return false;
  }
  empty(path);
  return true;
}

/** The reserve of an open store. */
export class FileReserve implements Reserve {
  readonly #db: Db;
  readonly #path: string;
  isInUse = false;
  isMissing = false;
  isSpent = false;
  wantedBytes = 0;
  #onChange: ((isInUse: boolean) => void) | undefined;
  #isFilled = false;
  #fillAgainAt = 0;

  constructor(db: Db, dataDir: string) {
    this.#db = db;
    this.#path = reservePath(dataDir);
  }

  get refusal(): string | null {
    if (this.isMissing) {
      return 'the disk is full, and there was no reserve to empty: free some space, until then little can be stored or deleted';
    }
    if (!this.isInUse) return null;
    return 'the disk is full: until there is space again, you can only read and delete, while jobs go on';
  }

  get lackingBytes(): number {
    return this.#isFilled ? 0 : this.wantedBytes;
  }

  get freeToFillBytes(): number {
    return this.wantedBytes * freeToFill;
  }

  async keep(onChange: (isInUse: boolean) => void): Promise<void> {
    this.wantedBytes = wantedAt(dirname(this.#path));
    if (this.wantedBytes === 0) return;
    this.#onChange = onChange;
    await boundLog(this.#db, this.wantedBytes);
    const bytes = bytesOf(this.#path);
    this.#isFilled = bytes === this.wantedBytes;
    if (bytes !== 0) return await dropFilling(this.#db);
    this.#use();
    // It may have been released so that the store could be opened.
    await this.#db.connection().execute((db) => makeFreePages(db, this.wantedBytes * pagesShare));
  }

  /** Empties it, because a write found the disk full; if it is empty, lets the log start over in the space it has. */
  async release(): Promise<void> {
    if (this.#onChange === undefined) return;
    if (this.isInUse) return await checkpoint(this.#db).catch(() => {});
    this.isMissing = !bytesOf(this.#path);
    this.#use();
    // On one connection, so that nothing comes between a part and what it is for.
    await this.#db.connection().execute((db) => this.#handOver(db));
    if (!this.isMissing) empty(this.#path);
  }

  #use(): void {
    this.#isFilled = false;
    this.isInUse = true;
    this.#onChange?.(true);
  }

  /** Gives its space to the database file. */
  async #handOver(db: Db): Promise<void> {
    const bytes = bytesOf(this.#path) ?? 0;
    for (let left = releasedParts - 1; left >= 0; left -= 1) {
      shorten(this.#path, Math.floor((bytes * left) / releasedParts));
      if (await makeFreePages(db, bytes * pagesShare)) return;
    }
  }

  async fill(): Promise<void> {
    if (this.#isFilled || this.#onChange === undefined) return;
    if (performance.now() < this.#fillAgainAt) return;
    const free = diskFreeBytes(dirname(this.#path)) + (bytesOf(this.#path) ?? 0);
    if (free < this.freeToFillBytes) return;
    const wasInUse = this.isInUse;
    const isWritten = await writeRandom(this.#path, this.wantedBytes);
    // The disk may have become full meanwhile.
    if (!isWritten || this.isInUse !== wasInUse) {
      this.#fillAgainAt = performance.now() + failedFillRestMs;
      rmSync(this.#path, { force: true });
      if (this.isInUse && !this.isMissing) empty(this.#path);
      return;
    }
    this.#isFilled = true;
    this.isInUse = false;
    this.isMissing = false;
    if (wasInUse) this.#onChange(false);
  }

  async hasSpaceForRuns(tx: Db): Promise<boolean> {
    this.isSpent = this.isInUse && (await isReserveSpent(dirname(this.#path), tx));
    return !this.isSpent;
  }
}

/** How large the reserve of a data directory should be; 0 where the disk is too small for one. */
function wantedAt(dataDir: string): number {
  const { blocks, bsize } = statfsSync(dataDir);
  const bytes = Math.min(mostBytes, Math.floor((blocks * bsize) / diskShare));
  return bytes < leastBytes ? 0 : bytes;
}

/** Bounds the log, so that its pages always fit into the reserve. */
async function boundLog(db: Db, reserveBytes: number): Promise<void> {
  const { pageBytes } = await readSpace(db);
  const pages = Math.min(mostLogPages, Math.floor(reserveBytes / logShare / pageBytes));
  await sql.raw(`pragma wal_autocheckpoint = ${pages}`).execute(db);
}

/** Cuts the end off. What another user may have put there is left alone: a link of either kind, or a pipe. */
function shorten(path: string, bytes: number): void {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const file = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (fstatSync(file).nlink === 1) ftruncateSync(file, bytes);
    } finally {
      closeSync(file);
    }
  } catch {
    // There is none.
  }
}

/** Replaces it with an empty file. */
function empty(path: string): void {
  try {
    rmSync(path, { force: true });
    makeFile(path);
  } catch {
    // Only the next start reads the empty file; without it, that start notices the full disk itself.
  }
}

/** Returns false if there was not enough space; the file is then incomplete. */
async function writeRandom(path: string, bytes: number): Promise<boolean> {
  const chunk = randomFillSync(Buffer.alloc(mib));
  try {
    rmSync(path, { force: true });
    await using file = await open(path, 'wx', 0o600);
    for (let at = 0; at < bytes; at += chunk.length) {
      await file.write(chunk, 0, Math.min(chunk.length, bytes - at), at);
    }
    return true;
  } catch {
    return false;
  }
}

/** The size of a file; undefined if there is none. */
function bytesOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size;
}
