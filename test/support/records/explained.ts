/** What an explanation is made of, with defaults for what a test does not set. */

import { explain } from '../../../src/wings/explain/explain.ts';
import { readAskedTime } from '../../../src/wings/explain/asked-time.ts';
import type { Explanation, FactKind } from '../../../src/wings/explain/facts.ts';
import type { Records } from '../../../src/wings/explain/records.ts';
import { focusOn } from '../../../src/wings/explain/schedule-then.ts';
import type { MissedFacts, MissedReason } from '../../../src/domain/runs/reason.ts';
import type { RunSummary } from '../../../src/domain/runs/run.ts';
import type { ScheduleSpan } from '../../../src/domain/schedule/span.ts';

/** When explanations are asked for. */
export const now = Date.parse('2026-11-24T12:00:00Z');

/** A job that is due at 02:30 in Paris since the beginning of November 2026. */
export function explainedJob(changes: Partial<Records['job']> = {}): Records['job'] {
  const createdAt = changes.createdAt ?? Date.parse('2026-11-01T00:00:00Z');
  return {
    id: 'j',
    name: 'backup',
    paused: false,
    after: null,
    activeRunId: null,
    nextRunAt: null,
    createdAt,
    scheduleType: 'cron',
    cronExpr: '30 2 * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    anchorAt: createdAt,
    adjustments: null,
    timeoutSeconds: 30,
    retries: 0,
    deleteAfterSeconds: null,
    ...changes,
  } as Records['job'];
}

/** A schedule of a job that is in force since its creation; `changes` say since when, or how it ended. */
export function spanOf(job: Records['job'], changes: Partial<ScheduleSpan> = {}): ScheduleSpan {
  const { scheduleType, cronExpr, timezone, periodSeconds, anchorAt, adjustments } = job;
  const schedule = { scheduleType, cronExpr, timezone, periodSeconds, anchorAt, adjustments };
  const open = { untilAt: null, nextDueAt: null, endReason: null, heldUntil: null };
  return { ...schedule, fromAt: job.createdAt, ...open, ...changes };
}

/** A run of that job that was due at `dueAt`, began 5 ms later and succeeded. */
export function explainedRun(dueAt: string, changes: Partial<RunSummary> = {}): RunSummary {
  const scheduledFor = Date.parse(dueAt);
  const startedAt = changes.startedAt === undefined ? scheduledFor + 5 : changes.startedAt;
  return {
    id: 'r',
    source: 'scheduled',
    status: 'success',
    scheduledFor,
    startedAt,
    finishedAt: startedAt === null ? null : startedAt + 100,
    attempts: 1,
    httpStatus: 200,
    durationMs: 100,
    reason: null,
    detail: null,
    ...changes,
  };
}

/** A missed run of that job. */
export function explainedMiss(
  dueAt: string,
  { reason = 'not_running', ...changes }: Partial<MissedFacts> & { reason?: MissedReason } = {},
): RunSummary {
  const first = Date.parse(dueAt);
  const missed = { first, last: first, count: 1, from: null, until: null, ...changes };
  const none = {
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    httpStatus: null,
    durationMs: null,
  };
  return explainedRun(dueAt, { status: 'missed', reason, missed, ...none });
}

/** Explains what was recorded of a job that is asked about at `now`, about the time `at`. */
export function explained(at: string | null, changes: Partial<Records> = {}): Explanation {
  const job = changes.job ?? explainedJob();
  const zone = job.timezone;
  const schedules = changes.schedules ?? { last: spanOf(job), next: null };
  const known = { job, schedules, changes: changes.changes ?? [] };
  const asked = readAskedTime('at', at, { zone, now });
  return explain({
    ...focusOn(known, asked, changes.run?.scheduledFor ?? null),
    ...known,
    now,
    zone,
    plan: 'self-hosted',
    expiresAt: null,
    run: null,
    previous: null,
    again: [],
    manual: [],
    active: null,
    firstJob: null,
    oldestKept: null,
    inFlight: null,
    slots: { all: 256, perHost: 16 },
    startedAt: 0,
    deliveries: [],
    channels: ['ops'],
    failingSince: null,
    mutes: [],
    holds: [],
    target: { kind: 'allowed' },
    problems: [],
    ...changes,
  });
}

/** The sentences of one kind. */
export function said({ facts }: Explanation, kind: FactKind): string {
  return facts.flatMap((one) => (one.kind === kind ? [one.sentence] : [])).join(' ');
}
