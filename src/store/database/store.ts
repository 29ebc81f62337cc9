/** What an open store is, whatever database it is in. */

import type { JobdError } from '../../domain/errors.ts';
import type { Hints } from './hints.ts';
import type { Admissions } from './admissions.ts';
import type { Db } from './schema.ts';

export type { Db };

/** An open store. */
export interface Store extends AsyncDisposable {
  /** For questions. */
  readonly db: Db;
  /**
   * Runs `work` in one writing transaction: all of it is kept, or, if it throws, none. A failure of the commit itself leaves
   * open whether it was kept: a server's is `isInDoubt`. Where several processes write at once, it may run again, with nothing of the first time kept;
   * also when it waits for a lock for longer than usual, until `lockWaitMs` are over.
   */
  write<T>(work: (tx: Db) => Promise<T>, how?: { lockWaitMs: number }): Promise<T>;
  /** Disk space that is released when a write finds the disk full. */
  readonly reserve: Reserve;
  /** The file of the database; null where a server sees to its files. */
  readonly file: DatabaseFile | null;
  /** Counts requests of keys for all processes that use the database; null where one has it alone and counts by itself. */
  readonly admissions: Admissions | null;
  /** How long a small write should take, in milliseconds: what else waits for it. */
  readonly smallWriteMs: number;
  /** How much space the database takes, in bytes. */
  sizeBytes(): Promise<number>;
  /** What this process and others that use the same database tell each other. */
  readonly hints: Hints;
  /** A number that changes when anybody else has written. Throws `unavailable` if the database cannot be used now. */
  othersWrites(): Promise<number>;
}

/** Disk space that is kept for the time when the disk is full. */
export interface Reserve {
  /** Whether the disk was full. Until the reserve is filled again, nothing new is stored except runs. */
  readonly isInUse: boolean;
  /** Whether it did not exist yet when the disk became full: then not even deleting is possible. */
  readonly isMissing: boolean;
  /** Whether nothing was left of it for new runs when the last ones were to start. */
  readonly isSpent: boolean;
  /** Why nothing new is stored, in a sentence; null if writing is allowed. */
  readonly refusal: string | null;
  /** Its size when it is filled, in bytes; 0 where there is none. */
  readonly wantedBytes: number;
  /** What it lacks, in bytes. */
  readonly lackingBytes: number;
  /** How many bytes must be free on the disk for it to be filled. */
  readonly freeToFillBytes: number;
  /** Turns the reserve on. `onChange` is called when its use begins and ends. */
  keep(onChange: (isInUse: boolean) => void): Promise<void>;
  /** Empties it, because a write found the disk full; if it is empty, lets the log start over. */
  release(): Promise<void>;
  /** Fills it if there is enough space. */
  fill(): Promise<void>;
  /** Whether new runs may start. */
  hasSpaceForRuns(tx: Db): Promise<boolean>;
}

/** Where a server sees to its own disk. */
export const noReserve: Reserve = {
  isInUse: false,
  isMissing: false,
  isSpent: false,
  refusal: null,
  wantedBytes: 0,
  lackingBytes: 0,
  freeToFillBytes: 0,
  keep: async () => {},
  release: async () => {},
  fill: async () => {},
  hasSpaceForRuns: async () => true,
};

/** The database file, in pages. */
export interface Space {
  pageBytes: number;
  pages: number;
  freePages: number;
}

/** A database file, which jobd itself keeps small. */
export interface DatabaseFile {
  /** Reads the numbers from the header of the file, which costs almost nothing. */
  readSpace(tx?: Db): Promise<Space>;
  /** Whether the file can be made smaller step by step. */
  canGiveBack(): Promise<boolean>;
  /** Removes up to this many free pages from the end of the file. */
  giveBackPages(tx: Db, pages: number): Promise<void>;
  /** Why nothing may be written any more: the file is not where it was opened. Null if it is. */
  misplaced(): JobdError | null;
  /** Free space on its disk, in bytes. */
  diskFreeBytes(): number;
  /** The size of the write-ahead log, in bytes. */
  logBytes(): number;
  /** Moves the write-ahead log into the file. */
  checkpoint(): Promise<void>;
  /** Moves the log into the file and empties it. Returns false if another process was reading. */
  emptyLog(): Promise<boolean>;
  /** Overwrites with zeros what is freed from now on. */
  overwriteFreed(): Promise<void>;
  /** Rewrites the file, unless it is large, so that nothing freed is left in it. Returns false if that failed. */
  eraseFreed(): Promise<boolean>;
}
