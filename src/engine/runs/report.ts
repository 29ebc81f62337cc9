/**
 * Report: ends the runs whose targets reported after an answer of 202, and those whose time for it is over. A report is kept
 * by whoever hears it (app/runs/reports.ts); only here does it end a run, as a record of any other run does.
 */

import { renewEveryMs } from '../../domain/nodes.ts';
import { outcomeOfWait } from '../../domain/runs/report.ts';
import { beginWaitsAgain, closeWaits, type DueWait } from '../../store/runs/reports.ts';
import { findDueWaits, findNextWaitEnd, type WaitScope } from '../../store/runs/reports.ts';
import type { Db } from '../../store/database/store.ts';
import { clockStepMs, watchClock } from '../clock-watch.ts';
import type { Step } from '../loop.ts';
import { announceEnd, announceFollowUp } from './announce.ts';
import { begunRun } from './execution.ts';
import type { ExecutorParts } from './executor.ts';
import type { EndedFact } from './follow.ts';
import { recordBatch, type Recorded } from './record.ts';

/** Runs that one transaction ends. */
const largestBatch = 200;
/** So long after its start this process ends no older wait as out of time: targets may have reported meanwhile, and try again. */
const graceMs = 60_000;
/** Other nodes learn within so long that the clock of the server was set back: one that is still ahead would end a wait that begins again. */
const allRenewMs = 2 * renewEveryMs;

type StepParts = Pick<
  ExecutorParts,
  'store' | 'clock' | 'log' | 'meter' | 'changes' | 'receipts' | 'wake'
>;

/** A run that waited, as it ends. */
interface EndedWait extends EndedFact {
  claimed: DueWait;
}

/** Makes the step. */
export function createReportStep(parts: StepParts): Step {
  const { store, clock, receipts } = parts;
  const startedAt = clock.now();
  const graceEndMs = clock.monotonicMs() + graceMs;
  const clockGain = watchClock(clock);
  let beginAgainMs = clock.monotonicMs();
  return async () => {
    const monotonicMs = clock.monotonicMs();
    if (clockGain() <= -clockStepMs) beginAgainMs = monotonicMs + allRenewMs;
    const now = clock.now();
    const isTime = beginAgainMs <= monotonicMs;
    if (isTime && (await findNextWaitEnd(store.db, { acceptedFrom: 0 })) !== null)
      await store.write((tx) => beginWaitsAgain(tx, now));
    if (isTime) beginAgainMs = Infinity;
    const graceMsLeft = Math.ceil(graceEndMs - monotonicMs);
    const restMs = Math.min(graceMsLeft > 0 ? graceMsLeft : Infinity, beginAgainMs - monotonicMs);
    const scope = { acceptedFrom: graceMsLeft > 0 ? startedAt : 0 };
    const nextAt = await findNextWaitEnd(store.db, scope);
    if (nextAt === null) return restMs;
    if (nextAt > now) return Math.min(nextAt - now, restMs);
    const { found, recorded } = await store.write((tx) => endDue(tx, { ...scope, now }, receipts));
    announce(parts, recorded);
    // What another process ends at this moment is found again.
    return found.length > 0 ? 0 : restMs;
  };
}

async function endDue(
  tx: Db,
  due: WaitScope & { now: number },
  receipts: boolean,
): Promise<{ found: DueWait[]; recorded: Recorded<EndedWait> }> {
  const found = await findDueWaits(tx, { ...due, limit: largestBatch });
  const ends = found.map(({ runId, outcome }) => ({
    runId,
    outcome: outcome ?? ('expired' as const),
  }));
  // First: what is posted of a run says how its wait ended.
  await closeWaits(tx, ends);
  const recorded = await recordBatch(tx, { executions: found.map(endedWait) }, { receipts });
  return { found, recorded };
}

/** The end of a run is the report; without one, the moment up to which it was waited for. */
function endedWait(wait: DueWait): EndedWait {
  const { attempts, httpStatus, responseBody, startedAt } = wait;
  // The wall clock may have been set back.
  const finishedAt = Math.max(wait.reportedAt ?? wait.expiresAt, startedAt);
  const kept = { attempts, httpStatus, responseBody, truncated: wait.truncated === 1 };
  const times = { finishedAt, durationMs: finishedAt - startedAt };
  return { claimed: wait, ended: { ...begunRun(wait), ...times, ...kept, ...outcomeOfWait(wait) } };
}

function announce({ wake, ...hearers }: StepParts, { ended, followUp }: Recorded<EndedWait>): void {
  for (const wait of ended) announceEnd(hearers, wait);
  announceFollowUp({ ...hearers, wake }, followUp);
  if (ended.length === 0) return;
  wake('sign');
  wake('claim');
}
