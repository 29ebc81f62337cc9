/** Who makes a call, as its signature or its token says it (docs/behavior.md#identity-1). Nothing in it is a name, which people change. */

import type { SignKind } from '../jobs/sign.ts';

/** What a call says of itself, and the key that proves it: plain data that can cross to another thread. */
export interface Caller {
  kind: SignKind;
  keyId: string;
  /** The site URL, where the public keys are found. */
  issuer: string;
  workspaceId: string;
  jobId: string;
  runId: string;
  /** The due time that the run stands for, as its calls name it. */
  scheduledFor: string;
  /** Who a token is for. */
  audience: string | null;
  /** When the attempt began, in epoch milliseconds. */
  at: number;
}

/** Longest life of a signature or a token, in seconds. */
const mostSeconds = 300;
/** Clocks differ, and targets take a while before they look. */
const spareSeconds = 60;

/** When a signature or token begins and ends to be valid, in seconds of the epoch. */
export function validity(at: number, timeoutMs: number): { from: number; until: number } {
  const from = Math.floor(at / 1_000);
  return { from, until: from + Math.min(mostSeconds, Math.ceil(timeoutMs / 1_000) + spareSeconds) };
}

/** The subject of a token: it stays the same as long as the job exists. */
export function subjectOf({ workspaceId, jobId }: Pick<Caller, 'workspaceId' | 'jobId'>): string {
  return `workspace:${workspaceId}:job:${jobId}`;
}
