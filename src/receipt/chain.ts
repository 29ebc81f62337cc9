/**
 * Receipts of one job form a chain: each names the SHA-256 of the one before. So what was taken out,
 * or put in, between two receipts shows; what is missing before the first or behind the last cannot.
 */

import { escaped } from './refusal.ts';
import type { Receipt } from '../domain/receipts/receipt.ts';

/** A receipt that is valid by itself, where it was found, and its SHA-256. */
export interface Link {
  /** File, or file and line. */
  source: string;
  receipt: Receipt;
  receiptSha256: string;
}

/** The receipts of one job. */
export interface Chain {
  jobId: string;
  /** How many different receipts. */
  length: number;
  /** SHA-256 of the receipt that the first one follows and that is not here; null if it is the job's first. */
  follows: string | null;
  /** What does not hold, each a clause that names the receipt; empty for a sound chain. */
  problems: string[];
}

/**
 * The chains that receipts form, a chain for each job. `inOrder` says that their order means
 * something: then each must stand behind the one that it follows.
 */
export function chainsOf(links: readonly Link[], inOrder: boolean): Chain[] {
  const jobs = new Map<string, Link[]>();
  for (const link of links) {
    const { jobId } = link.receipt.payload;
    const ofJob = jobs.get(jobId);
    if (ofJob === undefined) jobs.set(jobId, [link]);
    else ofJob.push(link);
  }
  const known = new Set(links.map(({ receiptSha256 }) => receiptSha256));
  return Array.from(jobs, ([jobId, ofJob]) => chainOf(jobId, ofJob, known, inOrder));
}

/** `known` are all receipts that are here, of whatever job. */
function chainOf(
  jobId: string,
  links: readonly Link[],
  known: ReadonlySet<string>,
  inOrder: boolean,
): Chain {
  const problems: string[] = [];
  const distinct = withoutRepeats(links, problems);
  const ofJob = new Set(distinct.map(({ receiptSha256 }) => receiptSha256));
  const begin = beginning(distinct, ofJob);
  const before = new Set<string>();
  const followed = new Set<string>();
  for (const link of distinct) {
    const previous = previousOf(link);
    if (previous === null) {
      if (link !== begin)
        problems.push(`${named(link)} claims to be the first, and so does another`);
    } else if (followed.has(previous)) {
      problems.push(`${named(link)} follows the same receipt as another`);
    } else if (!ofJob.has(previous) && known.has(previous)) {
      problems.push(`${named(link)} follows a receipt of another job`);
    } else if (!ofJob.has(previous) && link !== begin) {
      problems.push(`the receipt that ${named(link)} follows is missing (SHA-256 ${previous})`);
    } else if (inOrder && ofJob.has(previous) && !before.has(previous)) {
      problems.push(`${named(link)} stands before the receipt that it follows`);
    }
    if (previous !== null) followed.add(previous);
    before.add(link.receiptSha256);
  }
  const follows = begin === undefined ? null : previousOf(begin);
  return { jobId, length: distinct.length, follows, problems };
}

/** Each receipt once; what stands here twice, or attests one run in two ways, is a problem. */
function withoutRepeats(links: readonly Link[], problems: string[]): Link[] {
  const byRun = new Map<string, Link>();
  const seen = new Map<string, Link>();
  for (const link of links) {
    const { runId } = link.receipt.payload;
    const same = seen.get(link.receiptSha256);
    const other = byRun.get(runId);
    if (same !== undefined) problems.push(`${named(link)} repeats ${named(same)}`);
    else if (other !== undefined) {
      problems.push(`${named(link)} is another receipt of the run of ${named(other)}`);
    }
    if (same === undefined) seen.set(link.receiptSha256, link);
    if (other === undefined) byRun.set(runId, link);
  }
  return [...seen.values()];
}

/** The job's first receipt; if it is not here, the earliest of those that follow none that is here. */
function beginning(links: readonly Link[], ofJob: ReadonlySet<string>): Link | undefined {
  const heads = links.filter((link) => !ofJob.has(previousOf(link) ?? ''));
  const first = heads.find((link) => previousOf(link) === null);
  if (first !== undefined) return first;
  const earliest = heads.map(issuedAt).reduce((a, b) => (a <= b ? a : b), '9999');
  return heads.find((link) => issuedAt(link) === earliest);
}

function previousOf({ receipt }: Link): string | null {
  return receipt.payload.previousReceiptSha256;
}

function issuedAt({ receipt }: Link): string {
  return receipt.payload.issuedAt;
}

function named({ source, receipt }: Link): string {
  return `the receipt of run ${receipt.payload.runId} (${escaped(source)})`;
}
