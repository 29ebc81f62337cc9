/** Adds up what a check of the ledger finds. */

import { isoTime } from '../../domain/clock.ts';
import type { LedgerCheck } from '../../domain/runs/ledger-check.ts';
import type { Ledger } from './accounted.ts';

/** A check of nothing yet. */
export function beginLedgerCheck(checkedAt: number, after: number): LedgerCheck {
  const none = { jobs: 0, called: 0, missed: 0, explained: 0, unaccounted: 0, unexpected: 0 };
  return { checkedAt, after, ...none, example: null };
}

/** Adds the ledger of a job, or of a part of its history. */
export function withLedger(
  check: LedgerCheck,
  { name, ...ledger }: Ledger & { name: string },
  isNewJob: boolean,
): LedgerCheck {
  const { called, missed, explained, unaccounted, unexpected } = ledger;
  return {
    ...check,
    jobs: check.jobs + (isNewJob ? 1 : 0),
    called: check.called + called,
    missed: check.missed + missed,
    explained: check.explained + countOf(explained),
    unaccounted: check.unaccounted + countOf(unaccounted),
    unexpected: check.unexpected + unexpected.length,
    example: check.example ?? exampleOf(name, ledger),
  };
}

function countOf(times: readonly { count: number }[]): number {
  return times.reduce((all, { count }) => all + count, 0);
}

function exampleOf(name: string, { unaccounted, unexpected }: Ledger): string | null {
  const [due] = unaccounted;
  if (due !== undefined)
    return `${name} was due at ${isoTime(due.first)}, and nothing says what became of it`;
  const [run] = unexpected;
  return run === undefined ? null : `${name} has a run of ${isoTime(run)}, when it was not due`;
}
