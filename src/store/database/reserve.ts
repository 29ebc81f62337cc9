/**
 * The reserve: a file beside the database that keeps room for a full disk. SQLite needs room even to remove something:
 * every change is appended to the write-ahead log, and the log can start over only when all of it is in the database
 * file, which may have to grow for that. On a full disk neither is possible, so nothing could be removed any more.
 *
 * When a write finds the disk full, the reserve is emptied. The log then reaches the database file, and removing and
 * recording go on. When there is room again, the reserve is filled again. An empty file says, also after a restart,
 * that the reserve is in use.
 *
 * It is filled with random bytes: zeros take no room where the file system compresses. Copy-on-write file systems
 * (btrfs, ZFS) may give the room back some seconds later.
 */

import { randomFillSync } from 'node:crypto';
import { lstatSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from './schema.ts';
import { makeFile } from '../../whole-file.ts';
import { checkpoint, readSpace } from './space.ts';

const mib = 1024 ** 2;
/** At most this, and at most this part of the disk; a disk too small for the least has no reserve. */
const mostBytes = 24 * mib;
const diskShare = 8;
const leastBytes = mib;
/** It is filled again when this many times its size is free, so that it is not in use again at once. */
const freeToFill = 1.5;
/**
 * The log goes into the database file whenever it holds this part of the reserve. When a full disk is noticed, the log may
 * be twice as long, and the database file may have to grow by that much.
 */
const logShare = 6;
/** SQLite's own bound of the log: pages after which it goes into the file. */
const mostLogPages = 1_000;
/** After a fill that failed, which a quota may do however much is free. */
const failedFillRestMs = 60_000;
/** While the reserve is in use, new runs may take this part of what is left; the rest is for removing. */
const runsShare = 4;

/** The reserve of an open store. */
export interface Reserve {
  /** Whether the disk was full: until the reserve is filled again nothing new is kept, except runs. */
  readonly isInUse: boolean;
  /** Whether it was not there yet when the disk became full: not even removing is possible then. */
  readonly isMissing: boolean;
  /** Why nothing new is kept, in a sentence; null if it is. */
  readonly refusal: string | null;
  /** Begins to keep it; without this nothing is done. `onChange` hears when it begins to be in use, and when that ends. */
  keep(onChange: (isInUse: boolean) => void): Promise<void>;
  /** Empties it: a write has found the disk full. */
  giveUp(): Promise<void>;
  /** Fills it if it is not there and there is enough room. */
  fill(): Promise<void>;
  /** Whether new runs may be kept: always, unless it is in use and runs have had their part of it. */
  hasRoomForRuns(db: Db): Promise<boolean>;
}

/** The reserve's file in a data directory. */
export function reservePath(dataDir: string): string {
  return join(dataDir, 'jobd.reserve');
}

/** Whether the reserve of a data directory is in use, as whoever looks from outside sees it. */
export function isReserveInUse(dataDir: string): boolean {
  return bytesOf(reservePath(dataDir)) === 0;
}

/** Whether there is neither a reserve nor room to fill one, so that a full disk would stop everything. */
export function lacksReserve(dataDir: string): boolean {
  const path = reservePath(dataDir);
  const [bytes, wanted] = [bytesOf(path) ?? 0, wantedAt(dataDir)];
  return bytes !== wanted && freeBytes(path) + bytes < wanted * freeToFill;
}

/** Empties the reserve of a store that cannot be opened, if the disk is full. Returns whether it did. */
export function giveUpToOpen(dataDir: string): boolean {
  const path = reservePath(dataDir);
  try {
    if (!bytesOf(path) || freeBytes(path) >= leastBytes) return false;
  } catch {
    // There is no such directory.
    return false;
  }
  empty(path);
  return true;
}

/** Makes the reserve of a store. */
export function createReserve(db: Db, dataDir: string): Reserve {
  const path = reservePath(dataDir);
  let onChange: ((isInUse: boolean) => void) | undefined;
  let wantedBytes = 0;
  let isFilled = false;
  let isInUse = false;
  let isMissing = false;
  let fillAgainAt = 0;
  /** Pages of the database that may hold something before no run is begun. */
  let mostPages = Infinity;

  async function use(): Promise<void> {
    isFilled = false;
    isInUse = true;
    // At once, before another program takes the room.
    await checkpoint(db).catch(() => {});
    const { pages, pageBytes } = await readSpace(db);
    mostPages = pages + Math.floor(freeBytes(path) / runsShare / pageBytes);
    onChange?.(true);
  }

  return {
    get isInUse() {
      return isInUse;
    },
    get isMissing() {
      return isMissing;
    },
    get refusal() {
      if (isMissing)
        return 'the disk is full and there is no reserve yet: make room, nothing can be written';
      if (!isInUse) return null;
      return 'the disk is full: until there is room again, you can only read and delete';
    },
    async keep(hear) {
      wantedBytes = wantedAt(dataDir);
      if (wantedBytes === 0) return;
      onChange = hear;
      await boundLog(db, wantedBytes);
      const bytes = bytesOf(path);
      isFilled = bytes === wantedBytes;
      if (bytes === 0) await use();
    },
    async giveUp() {
      if (onChange === undefined || isInUse) return;
      isMissing = !bytesOf(path);
      empty(path);
      await use();
    },
    async fill() {
      if (isFilled || onChange === undefined || performance.now() < fillAgainAt) return;
      if (freeBytes(path) + (bytesOf(path) ?? 0) < wantedBytes * freeToFill) return;
      const wasInUse = isInUse;
      const isWritten = await writeRandom(path, wantedBytes);
      // The disk may have become full meanwhile.
      if (!isWritten || isInUse !== wasInUse) {
        fillAgainAt = performance.now() + failedFillRestMs;
        rmSync(path, { force: true });
        if (isInUse) empty(path);
        return;
      }
      isFilled = true;
      isInUse = false;
      isMissing = false;
      mostPages = Infinity;
      if (wasInUse) onChange(false);
    },
    async hasRoomForRuns(tx) {
      if (!isInUse) return true;
      const { pages, freePages } = await readSpace(tx);
      return pages - freePages < mostPages;
    },
  };
}

/** How large the reserve of a data directory should be; 0 where the disk is too small for one. */
function wantedAt(dataDir: string): number {
  const { blocks, bsize } = statfsSync(dataDir);
  const bytes = Math.min(mostBytes, Math.floor((blocks * bsize) / diskShare));
  return bytes < leastBytes ? 0 : bytes;
}

/** Bounds the log, so that what is in it always fits into the reserve. */
async function boundLog(db: Db, reserveBytes: number): Promise<void> {
  const { pageBytes } = await readSpace(db);
  const pages = Math.min(mostLogPages, Math.floor(reserveBytes / logShare / pageBytes));
  await sql.raw(`pragma wal_autocheckpoint = ${pages}`).execute(db);
}

/** Leaves an empty file in its place. Not by truncating it: root may run this where others can put a link. */
function empty(path: string): void {
  try {
    rmSync(path, { force: true });
    makeFile(path);
  } catch {
    // The empty file is for the next start only; without it, that start finds out by itself.
  }
}

/** Returns false if there was no room; what was written until then is there. */
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

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** The size of a file; undefined if there is none. */
function bytesOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size;
}
