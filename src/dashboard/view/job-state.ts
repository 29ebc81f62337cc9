/** How a job is, as the sentences on top of its page. */

import type { Job } from '../../api/jobs/contract.ts';
import { span } from './figures.ts';
import { flapping } from './strip.ts';
import { clock, dateIn, dayIn } from './times.ts';

/** Text in three parts: the error is from outside, and the page shows it as such. */
export interface JobSentence {
  /** The sign beside it. */
  status: Job['status'];
  before: string;
  error: string | null;
  after: string;
}

/** The fields of a job that tell how it is. */
export type JobState = Pick<Job, 'status' | 'paused' | 'downReason' | 'nextRunAt' | 'timezone'> &
  Partial<Pick<Job, 'runAt' | 'notAfter' | 'after'>>;

/** What only a list or the due times of a job know. */
export interface MoreOfState {
  nowMs: number;
  /** Consecutive failed runs. */
  failures?: number;
  failingSince?: string | null;
  /** The statuses of its newest runs, oldest first. */
  recent?: readonly string[];
  /** The run that is under way. */
  run?: { startedAt: string | null } | undefined;
  /** Why there is no due time: a note of `GET /jobs/{id}/due-times`. */
  note?: string | undefined;
}

/** Says how a job is and when it is called next. */
export function jobSentence(job: JobState, more: MoreOfState): JobSentence {
  const next = nextSentence(job, more);
  const { status, downReason } = job;
  const { failures = 1, failingSince = null, recent = [], run, nowMs } = more;
  const since = status === 'running' ? (run?.startedAt ?? null) : null;
  const begin = since === null ? begins[status] : `Running for ${span(nowMs - Date.parse(since))}`;
  const flaps = flapping(recent);
  const but = flaps === null ? '' : `, but ${flaps.failed} of the last ${flaps.of} runs failed`;
  if (downReason === null) {
    return { status, before: `${begin}${but}. ${next}`, error: null, after: '' };
  }
  const length = failingSince === null ? '' : ` for ${span(nowMs - Date.parse(failingSince))}`;
  return {
    status,
    before: status === 'down' ? `Down${length}: ` : `${begin}. Down${length}: `,
    error: downReason,
    after: `${failures > 1 ? `, ${failures} runs in a row` : ''}. ${next}`,
  };
}

/** What is said of a job that is run by hand. */
export const runsNow = (job: { name: string; heldUntil?: string }, nowMs: number): string =>
  `${job.name} runs now${Date.parse(job.heldUntil ?? '') > nowMs ? ', though a window holds it' : ''}.`;

const begins: Record<Job['status'], string> = {
  new: 'No result yet',
  up: 'Up',
  down: 'Down',
  paused: 'Paused',
  running: 'Running now',
};

function nextSentence(job: JobState, { nowMs, note }: MoreOfState): string {
  const { status, paused, nextRunAt, downReason, timezone } = job;
  if (paused && isOver(job, nowMs))
    return 'Its time has passed: set a later one to have it called.';
  if (paused) return 'It is called again once it is resumed.';
  if (nextRunAt === null) return note ? `${capitalized(note)}.` : 'It has no next due time.';
  if (Date.parse(nextRunAt) <= nowMs) return 'It is due now.';
  const isToday = dateIn(Date.parse(nextRunAt), timezone) === dateIn(nowMs, timezone);
  const day = isToday ? '' : `on ${dayIn(nextRunAt, nowMs, timezone)} `;
  const again = status === 'running' || downReason !== null ? 'called again' : 'called next';
  const called = status === 'new' ? 'called' : again;
  return `It is ${called} ${day}at ${clock(nextRunAt, timezone)} (${timezone}).`;
}

/** Whether nothing is left to resume. */
function isOver({ after, runAt, notAfter }: JobState, nowMs: number): boolean {
  const last = runAt ?? notAfter;
  return after === undefined && last !== undefined && Date.parse(last) <= nowMs;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
