/** The daily check of the ledger: jobd checks its own books, a page at a time. */

import type { Log } from '../../base/log.ts';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import { beginLedgerCheck, withLedger } from './sum.ts';
import type { LedgerCheck } from '../../domain/runs/ledger-check.ts';
import { findLastLedgerCheck, keepLedgerCheck } from '../../store/runs/ledger-checks.ts';
import type { App } from '../../app/app.ts';
import type { Starting } from '../../serve/house.ts';
import { checkLedgerPage, type LedgerPosition } from './entries.ts';

/** After a start, what was due meanwhile comes first. Then it is checked, as nobody knows how the process before ended. */
const settledAfterMs = 60_000;
/** After a long time without a check, this much is checked. */
const longestMs = 7 * msPerDay;
const jobsPerPage = 100;
/** Between pages, as a multiple of the time that the last one took. */
const restsPerPage = 4;
const shortestRestMs = 20;

interface Work {
  check: LedgerCheck;
  from: LedgerPosition | null;
}

/**
 * Makes a step of the check, which returns how long to rest, in milliseconds. A minute after its start, and a day after the last
 * check, it begins another one, of the last day and of what the last one did not see. `report` is called with what was found and kept.
 */
export function createLedgerCheck(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  report: (check: LedgerCheck) => void,
): () => Promise<number> {
  const startAt = clock.monotonicMs() + settledAfterMs;
  let dueAt = -Infinity;
  let work: Work | null = null;

  async function begin(now: number): Promise<Work> {
    const last = await findLastLedgerCheck(store.db);
    const lastAt = last === undefined || last.checkedAt > now ? -Infinity : last.checkedAt;
    const after = Math.max(now - longestMs, Math.min(lastAt, now - msPerDay));
    return {
      check: beginLedgerCheck(now, lastAt === -Infinity ? now - msPerDay : after),
      from: null,
    };
  }

  async function goOn({ check, from }: Work): Promise<Work | null> {
    const request = {
      workspaceId: null,
      jobId: null,
      after: check.after,
      until: null,
      limit: jobsPerPage,
    };
    const { jobs, next } = await checkLedgerPage({ store, clock }, request, from);
    let sum = check;
    const continued = from === null || from.after === null ? null : from.jobId;
    for (const job of jobs) sum = withLedger(sum, job, job.id !== continued);
    if (next !== null) return { check: sum, from: next };
    await store.write((tx) => keepLedgerCheck(tx, sum));
    dueAt = sum.checkedAt + msPerDay;
    report(sum);
    return null;
  }

  return async () => {
    const now = clock.now();
    // The clock may have been ahead when the next check was planned.
    if (dueAt - now > msPerDay) dueAt = -Infinity;
    if (clock.monotonicMs() < startAt || (work === null && now < dueAt)) return Infinity;
    const began = clock.monotonicMs();
    const current = work ?? (await begin(now));
    // A check that fails starts again.
    work = null;
    work = await goOn(current);
    return work === null
      ? Infinity
      : Math.max(shortestRestMs, restsPerPage * (clock.monotonicMs() - began));
  };
}

/** Checks the ledger of a daemon each day, and logs what was found. */
export function checkDaily({ store, clock, log, addDuty }: Starting): void {
  addDuty(
    'ledger',
    createLedgerCheck({ store, clock }, (check) => logLedger(log, check)),
  );
}

/** Says what a check of the ledger found. */
function logLedger(log: Log, { checkedAt, after, example, ...counts }: LedgerCheck): void {
  const found = { since: isoTime(after), until: isoTime(checkedAt), ...counts };
  if (example === null) log.info(found, 'every due time is accounted for');
  else
    log.error({ ...found, error: example }, 'due times are not accounted for: jobd ledger check');
}
