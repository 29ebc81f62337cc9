/** How a target answers in a demo: what its runs end with, and how long they take. */

import { outcomeOf } from '../../../src/domain/runs/outcome.ts';
import type { FailureReason, Outcome } from '../../../src/domain/runs/outcome.ts';
import { startPreview } from '../../../src/domain/runs/preview.ts';

/** A due time that a target is called at. */
export interface Due {
  /** How long ago it is, in milliseconds. */
  agoMs: number;
  /** How many due times follow until now, this one not counted. */
  left: number;
  random: () => number;
}

/** How a call ended. */
export interface Called {
  outcome: Outcome;
  /** With all attempts, and the waits between them. */
  durationMs: number;
  attempts: number;
}

export type Behavior = (due: Due) => Called;

/** Waits before the second and third attempt. */
const waitsMs = [1_000, 5_000];

/** A call that got an answer, `ms` after each attempt. */
export function answered(
  httpStatus: number,
  body: string,
  {
    ms,
    attempts = 1,
    location = null,
  }: { ms: number; attempts?: number; location?: string | null },
): Called {
  const preview = startPreview();
  preview.push(Buffer.from(body));
  const { text, truncated } = preview.finish(false);
  const response = { httpStatus, location, retryAfter: null, body: text, truncated, broken: null };
  const outcome = outcomeOf({ kind: 'response', response });
  return { outcome, durationMs: durationOf(ms, attempts), attempts };
}

/** A call that got no answer. */
export function failed(
  reason: FailureReason,
  detail: string,
  { ms, attempts = 1 }: { ms: number; attempts?: number },
): Called {
  const outcome = outcomeOf({ kind: 'failure', failure: { reason, detail } });
  return { outcome, durationMs: durationOf(ms, attempts), attempts };
}

function durationOf(ms: number, attempts: number): number {
  const waits = waitsMs.slice(0, attempts - 1).reduce((sum, wait) => sum + wait, 0);
  return Math.round(ms * attempts + waits);
}

/** A duration around `medianMs`: most are near it, a few take far longer. */
export function around(medianMs: number, random: () => number): number {
  const bell = Array.from({ length: 6 }, random).reduce((sum, one) => sum + one - 0.5, 0);
  const tail = random() < 0.02 ? 1 + 4 * random() : 1;
  return medianMs * Math.exp(0.25 * bell) * tail;
}

/** A target that answers well, except where `unless` says how a call ended. */
export function usually(
  { ms, status = 200, body = 'ok' }: { ms: number; status?: number; body?: string },
  unless: (due: Due) => Called | null = () => null,
): Behavior {
  return (due) =>
    unless(due) ?? answered(status, body, { ms: Math.min(around(ms, due.random), 59_000) });
}
