/**
 * The copy of the database that is kept before a newer jobd changes its tables: the way back. It is named after the version that
 * changed them, `jobd-before-0.2.0-20261124T080910Z.db`. One for each version is kept, and of few versions.
 */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../domain/clock.ts';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { sizeText } from '../../domain/sizes.ts';
import type { Db } from '../database/store.ts';
import type { StoreUpgrade } from '../database/upgrade.ts';
import { isFull } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { diskFreeBytes, readSpace } from './space.ts';

/** Of how many versions a copy is kept. */
const keptCopies = 3;
/** Beside the copy itself, this must stay free: for the log of the database. */
const spareBytes = 4 * 1024 * 1024;

const namePattern = /^jobd-before-(.+)-(\d{8}T\d{6}Z)(?:-\d+)?\.db$/;

export interface KeptCopy {
  path: string;
  /** The version of jobd that changed the tables after that. */
  before: string;
  /** When it was made, as its name says it. */
  madeAt: string;
}

/** The copies in a data directory, newest first. */
export function findCopies(dataDir: string): KeptCopy[] {
  return readdirSync(dataDir)
    .flatMap((name) => {
      const [, before, madeAt] = namePattern.exec(name) ?? [];
      if (before === undefined || madeAt === undefined) return [];
      return [{ path: join(dataDir, name), before, madeAt }];
    })
    .toSorted((one, other) => (one.madeAt < other.madeAt ? 1 : -1));
}

/** The copy of one start. */
export interface CopyBeforeUpgrade {
  /** Makes it, and then removes older ones. Throws `unavailable`, having changed nothing. */
  make(db: Db): Promise<void>;
  /** Removes it, because the database did not change. */
  remove(): void;
  /** Whether it could not be made. */
  readonly wasRefused: boolean;
}

/** Prepares the copy; it is only made when the tables are about to change. */
export function createCopyBeforeUpgrade(
  dataDir: string,
  { version, now, keepsCopy, onBegin }: StoreUpgrade,
): CopyBeforeUpgrade {
  let made: string | null = null;
  let wasRefused = false;
  return {
    get wasRefused() {
      return wasRefused;
    },
    async make(db) {
      try {
        if (keepsCopy) made = await makeCopy(db, dataDir, { version, now });
      } catch (error) {
        wasRefused = true;
        throw error;
      }
      onBegin(made);
    },
    remove() {
      if (made !== null) rmSync(made, { force: true });
      made = null;
    },
  };
}

async function makeCopy(
  db: Db,
  dataDir: string,
  { version, now }: Pick<StoreUpgrade, 'version' | 'now'>,
): Promise<string> {
  const { pages, freePages, pageBytes } = await readSpace(db);
  requireSpace(dataDir, (pages - freePages) * pageBytes + spareBytes);
  const when = isoTime(now).replace(/[-:]|\.\d+/g, '');
  const path = freePath(join(dataDir, `jobd-before-${version}-${when}`));
  try {
    await copyDatabase(db, dataDir, { path, descriptor: null });
  } catch (error) {
    const cause = error instanceof JobdError ? error.cause : error;
    if (isFull(cause) || systemCode(cause) === 'ENOSPC') throw noSpace(dataDir, null, cause);
    throw error;
  }
  removeOlder(dataDir, path, version);
  return path;
}

function requireSpace(dataDir: string, needed: number): void {
  const free = diskFreeBytes(dataDir);
  if (free < needed) throw noSpace(dataDir, { needed, free });
}

function noSpace(
  dataDir: string,
  bytes: { needed: number; free: number } | null,
  cause?: unknown,
): JobdError {
  const figures =
    bytes === null
      ? ''
      : ` (it needs ${sizeText(bytes.needed)}, and ${sizeText(bytes.free)} are free)`;
  return new JobdError(
    'unavailable',
    `this jobd changes the tables of the database, and the disk of ${dataDir} has no space for the copy that is kept before that` +
      `${figures}; nothing was changed`,
    { cause, notes: ['free some space and start it again, or start the jobd that ran before'] },
  );
}

/** The newest copy of each version stays, of few versions. A copy that cannot be removed is no reason to stop. */
function removeOlder(dataDir: string, made: string, version: string): void {
  const others = findCopies(dataDir).filter(({ path }) => path !== made);
  const versions = new Set([version]);
  for (const { path, before } of others) {
    const isKept = !versions.has(before) && versions.size < keptCopies;
    versions.add(before);
    if (!isKept) rmSync(path, { force: true });
  }
}

function freePath(start: string): string {
  for (let number = 1; ; number += 1) {
    const path = `${start}${number === 1 ? '' : `-${number}`}.db`;
    if (!existsSync(path)) return path;
  }
}
