/**
 * When space runs short, and why: the database nears the size that the operator allows, or the disk is nearly full. Either way
 * jobd removes history before its time (docs/retention.md#short-of-space). It begins at one mark and continues to a lower one, so
 * that it does not start again at once.
 */

import { sizeText } from './sizes.ts';

export const spaceCauses = ['limit', 'disk'] as const;
/** `limit`: the database nears its largest size. `disk`: the disk is nearly full. */
export type SpaceCause = (typeof spaceCauses)[number];

/** What space there is, in bytes. */
export interface SpaceFigures {
  /** Rows and the write-ahead log: the file without its free pages. */
  usedBytes: number;
  /** Free pages of the file: new rows use them first. */
  reusableBytes: number;
  diskFreeBytes: number;
  /** What the reserve for a full disk takes; 0 where there is none. */
  reserveBytes: number;
  /** What the reserve lacks now. */
  lackingBytes: number;
}

/** The parts of the limit at which removing begins and ends. */
const limitMarks = { begin: 0.9, end: 0.85 };
/** How many times the size of the reserve jobd can still use when removing begins and ends. */
const diskMarks = { begin: 1, end: 1.5 };

/** Why space is short. `before` is the last answer; `limitBytes` is null without a limit. */
export function findShortages(
  figures: SpaceFigures,
  limitBytes: number | null,
  before: readonly SpaceCause[],
): SpaceCause[] {
  const { usedBytes, reusableBytes, diskFreeBytes, reserveBytes, lackingBytes } = figures;
  const mark = (cause: SpaceCause, marks: typeof limitMarks): number =>
    before.includes(cause) ? marks.end : marks.begin;
  const isShort: Record<SpaceCause, boolean> = {
    limit: limitBytes !== null && usedBytes > limitBytes * mark('limit', limitMarks),
    disk: reusableBytes + diskFreeBytes - lackingBytes < reserveBytes * mark('disk', diskMarks),
  };
  return spaceCauses.filter((cause) => isShort[cause]);
}

/** How long a disk may be short before history goes: another program's file is often gone by then. */
const patienceMs = 30_000;
/** The parts of the reserve by which jobd may grow meanwhile, and which must be left. */
const patienceMarks = { grown: 1 / 16, left: 1 / 8 };

/** Whether history has to make room now, or waits: `forMs` is how long space is short, `grownBytes` what jobd took since then. */
export function mustMakeRoom(
  causes: readonly SpaceCause[],
  { reusableBytes, diskFreeBytes, reserveBytes, lackingBytes }: SpaceFigures,
  { forMs, grownBytes }: { forMs: number; grownBytes: number },
): boolean {
  if (causes.length === 0) return false;
  const leftBytes = reusableBytes + diskFreeBytes + reserveBytes - lackingBytes;
  return (
    causes.includes('limit') ||
    forMs >= patienceMs ||
    grownBytes > reserveBytes * patienceMarks.grown ||
    leftBytes < reserveBytes * patienceMarks.left
  );
}

/** Why space is short, and how much is free on the disk. */
export interface Shortage {
  causes: readonly SpaceCause[];
  freeBytes: number;
}

/** Why space is short, in words. */
export function shortageText({ causes, freeBytes }: Shortage): string {
  const disk = freeBytes === 0 ? 'the disk is full' : 'the disk is nearly full';
  const words = { limit: 'the database nears its limit', disk };
  return causes.map((cause) => words[cause]).join(' and ');
}

/** What is known of a full disk. */
interface FullDisk {
  freeBytes: number;
  isReserveInUse: boolean;
  /** Whether nothing is left of it for new runs. */
  isSpent: boolean;
  isServed: boolean;
}

/** Without this, SQLite cannot make the files beside the database that it needs. A jobd that serves has them. */
const openingBytes = 64 * 1024;

/** What is wrong with a full disk and what to do, in a sentence: calls do not go on if nothing can open the database. */
export function fullDiskText({ freeBytes, isReserveInUse, isSpent, isServed }: FullDisk): string {
  const [state, source] = isReserveInUse
    ? [' or was, and the reserve is in use', 'the space it gave']
    : ['', 'the reserve'];
  const full = `the disk is full${state} (${sizeText(freeBytes)} free): free space`;
  if (isReserveInUse && !isServed && freeBytes < openingBytes) {
    return `${full}, until then nothing can be called or stored`;
  }
  const calls = `${isServed ? 'calls go on' : 'jobd serve calls'} while ${source} lasts`;
  return `${full}, or delete jobs or monitors; ${isSpent ? 'until then nothing more is called' : calls}`;
}

/** The newest results of a job, and pings of a monitor, that are never removed before their time. */
export const alwaysKept = 10;

/** In each round the history that has used up most of what is kept of it loses this part. */
const keptInRound = 0.9;

/**
 * The part of everything that plans keep which is still kept, in a round of removing. `usedUp` has, of each history, the part of
 * what is kept of it that it takes: those above the result lose their oldest. So whoever takes most gives most.
 */
export function nextShare(usedUp: readonly number[]): number {
  return keptInRound * usedUp.reduce((most, part) => Math.max(most, Math.min(part, 1)), 0);
}
