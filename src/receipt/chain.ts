/**
 * The receipts of a job form a chain: each has the SHA-256 of the previous one. So a receipt that is removed or inserted
 * between two others is noticed. One that is missing before the first or after the last is not.
 */

import { escaped } from './refusal.ts';
import type { Receipt } from '../domain/proof/receipt.ts';

/** A receipt that is valid on its own, its source and its SHA-256. */
export interface Link {
  /** File, or file and line. */
  source: string;
  receipt: Receipt;
  receiptSha256: string;
}

/** The receipts of one job. */
export interface Chain {
  jobId: string;
  /** Number of different receipts. */
  length: number;
  /** SHA-256 of the absent receipt that the first one follows; null if it is the job's first. */
  follows: string | null;
  /** Each a clause that names the receipt; empty for a sound chain. */
  problems: string[];
}

/** The chain of each job. With `inOrder`, each receipt must come after the one that it follows. */
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

/** `known`: the given receipts of all jobs. */
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
      problems.push(`${named(link)} comes before the receipt that it follows`);
    }
    if (previous !== null) followed.add(previous);
    before.add(link.receiptSha256);
  }
  const follows = begin === undefined ? null : previousOf(begin);
  return { jobId, length: distinct.length, follows, problems };
}

/** Each receipt once. A repeated receipt is a problem, and so is a second one for the same run. */
function withoutRepeats(links: readonly Link[], problems: string[]): Link[] {
  const byRun = new Map<string, Link>();
  const seen = new Map<string, Link>();
  for (const link of links) {
    const { runId } = link.receipt.payload;
    const same = seen.get(link.receiptSha256);
    const other = byRun.get(runId);
    if (same !== undefined) problems.push(`${named(link)} repeats ${named(same)}`);
    else if (other !== undefined) {
      problems.push(`${named(link)} is the second for its run, after ${escaped(other.source)}`);
    }
    if (same === undefined) seen.set(link.receiptSha256, link);
    if (other === undefined) byRun.set(runId, link);
  }
  return [...seen.values()];
}

/** The job's first receipt, or the earliest whose previous one is absent. */
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
