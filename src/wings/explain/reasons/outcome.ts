/** What became of a due time, and the answer in a sentence or two. */

import { isBeforeRenewal, madePaused } from './of-state.ts';
import { hasExpired } from '../../../domain/accounts/account.ts';
import { plans } from '../../../domain/accounts/plan.ts';
import { msPerDay } from '../../../domain/clock.ts';
import { becauseOf } from '../../../domain/runs/reason.ts';
import type { RunSummary } from '../../../domain/runs/run.ts';
import type { ExplainedOutcome, Records } from './facts.ts';
import type { HeldThen } from './held-then.ts';
import { latenessOfRun, onTimeMs } from './of-lateness.ts';
import { outcomeWords } from './of-run.ts';
import { isAwaiting } from '../../../domain/runs/active.ts';
import { byWhom, lengthText } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

export interface Verdict {
  outcome: ExplainedOutcome;
  answer: string;
}

/** Whether a run is that of a due time, or the missed run that it belongs to. */
export function isRunOf(run: RunSummary, dueAt: number): boolean {
  if (run.scheduledFor === dueAt) return true;
  return run.status === 'missed' && run.scheduledFor < dueAt && dueAt <= (run.missed?.last ?? 0);
}

/** Decides about a due time. */
export function verdictOn(records: Records, held: HeldThen, dueAt: number): Verdict {
  const { run, job, account, now } = records;
  const zone = job.timezone;
  const at = timeIn(dueAt, zone);
  const not = `It did not run at ${at}`;
  if (run !== null) return runVerdict(records, run, dueAt);
  if (dueAt > now) {
    const answer = `${at} is still to come, ${lengthText(dueAt - now)} from now.`;
    return { outcome: 'to_come', answer: `${answer}${pausedNow(records, held)}` };
  }
  if (held.isPaused === true) {
    const { pausedBy } = held;
    const since =
      pausedBy === null
        ? madePaused(records.trail, job)
        : `, since ${timeIn(pausedBy.at, zone)}${byWhom(pausedBy)}`;
    return { outcome: 'paused', answer: `${not}: it was paused${since}.` };
  }
  if (hasExpired(account, dueAt)) {
    const since = timeIn(account.expiresAt ?? dueAt, zone);
    return { outcome: 'expired', answer: `${not}: the account expired at ${since}.` };
  }
  if (isBeforeRenewal(account, dueAt, now)) {
    const until = timeIn(account.renewedAt ?? now, zone);
    const answer = `${not}: no run is kept, and the account was renewed later, at ${until}. It had probably expired.`;
    return { outcome: 'unknown', answer };
  }
  if (job.nextRunAt !== null && job.nextRunAt <= dueAt) return waitingVerdict(records, at);
  return { outcome: 'unknown', answer: unexplained(records, held, dueAt) };
}

/** That the job is paused now, and since when; nothing if it is not. */
export function pausedNow(
  { job }: Pick<Records, 'job'>,
  { pausedBy }: Pick<HeldThen, 'pausedBy'>,
): string {
  if (!job.paused) return '';
  const since =
    pausedBy === null ? '' : `, since ${timeIn(pausedBy.at, job.timezone)}${byWhom(pausedBy)}`;
  return ` The job is paused now${since}.`;
}

function runVerdict(records: Records, run: RunSummary, dueAt: number): Verdict {
  const zone = records.job.timezone;
  const at = timeIn(dueAt, zone);
  const { status } = run;
  if (status === 'missed') {
    const why = becauseOf(run);
    return { outcome: 'missed', answer: `It did not run at ${at}: it was missed, because ${why}.` };
  }
  const lateMs = latenessOfRun(records) ?? 0;
  const late = lateMs < onTimeMs ? '' : `, ${lengthText(lateMs)} late`;
  const outcome = status === 'queued' ? 'waiting' : status;
  return { outcome, answer: `It ran at ${at}${late}, and ${outcomeWords(run)}.` };
}

function waitingVerdict({ job, active, troubles }: Records, at: string): Verdict {
  const does = active !== null && isAwaiting(active) ? 'waits for a report' : 'is executing';
  const because =
    job.activeRunId !== null
      ? `a run of it ${does}, and a job executes one run at a time`
      : (troubles[0] ?? 'why is not recorded; all slots may be busy');
  return { outcome: 'waiting', answer: `It was due at ${at} and has not begun: ${because}.` };
}

function unexplained(
  { job, account, oldestKept, now }: Records,
  held: HeldThen,
  dueAt: number,
): string {
  const at = timeIn(dueAt, job.timezone);
  const none = `Whether it ran at ${at} is not known: no run of that time is kept`;
  const { plan } = account;
  const { retentionDays, results } = plans[plan];
  if (dueAt < now - retentionDays * msPerDay) {
    return `${none}, as results are kept for ${retentionDays} days.`;
  }
  if (held.isPaused === null) return `${none}, and neither is whether the job was paused.`;
  if (oldestKept === null || oldestKept > dueAt) {
    return `${none}. The newest ${results} results of the account are kept; whether this one was removed is not recorded.`;
  }
  return `${none}, though older ones are, and nothing recorded says why. The clock may have been set back, or the database restored.`;
}

/** The answer where the job was not due at the time that was asked about. */
export function notDue(records: Records, before: Verdict | null): Verdict {
  const { asked, job } = records;
  const answer = `It was not due at ${timeIn(asked.at, job.timezone)}.`;
  const earlier = before === null ? '' : ` About the due time before: ${before.answer}`;
  return { outcome: 'not_due', answer: `${answer}${earlier}` };
}
