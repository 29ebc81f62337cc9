/** The next due times of a job, printed after its fields. */

import type { Job } from '../../api/jobs/contract.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { DueTimes } from '../schedule/preview.ts';
import type { Output } from '../terminal/output.ts';

type Scheduled = Pick<
  Job,
  'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds' | 'nextRunAt'
>;

/** How many are shown. */
const count = 3;

/**
 * Prints them in the zone of the job, for an interval in that of this machine, and in UTC, with notes on clock changes: a table
 * for people, one line per zone for programs. Prints nothing for a job that is not due again, or whose zone or times this
 * machine does not understand.
 */
export async function printDueTimes(output: Output, job: Scheduled): Promise<void> {
  const preview = await previewOf(job);
  if (preview === null) return;
  if (output.isTerminal) {
    const { printPreview } = await import('../schedule/preview.ts');
    output.data('');
    printPreview(output, preview, { sinceNow: true });
    return;
  }
  const { localIsoTime } = await import('../../domain/schedule/local-time.ts');
  const { next, timezone, notes } = preview;
  output.data(`next runs\t${next.map(isoTime).join(' ')}`);
  output.data(`next runs local\t${next.map((at) => localIsoTime(at, timezone)).join(' ')}`);
  for (const note of notes) output.say(note);
}

/** Null for a job that is not due again, and for what this machine does not understand. */
async function previewOf(job: Scheduled): Promise<DueTimes | null> {
  const first = Date.parse(job.nextRunAt ?? '');
  if (Number.isNaN(first)) return null;
  try {
    return await previewFrom(first, job);
  } catch (error) {
    if (error instanceof JobdError) return null;
    throw error;
  }
}

/** The first one comes from the server, because only it knows the anchor of a period; the others follow from it. */
async function previewFrom(first: number, job: Scheduled): Promise<DueTimes | null> {
  const { scheduleType, cronExpr, timezone, periodSeconds } = job;
  const from = systemClock.now();
  if (scheduleType === 'period') {
    const step = (periodSeconds ?? 0) * 1_000;
    const next = Array.from({ length: count }, (_, index) => first + index * step);
    const { shownZone } = await import('../schedule/machine-zone.ts');
    return next.every(isTime) ? { next, notes: [], from, timezone: shownZone() } : null;
  }
  const { previewSchedule } = await import('../../domain/schedule/preview-input.ts');
  const input = { scheduleType, cronExpr, timezone, count, from: isoTime(first - 1) };
  return { ...previewSchedule(input, from), from };
}

/** Whether a number of epoch milliseconds is a time that there is. */
function isTime(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}
