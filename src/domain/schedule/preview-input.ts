/** The preview of a schedule before a job has it: what people send, and what they are shown. */

import { inTwoUnits } from '../durations.ts';
import { readTime } from '../fields.ts';
import { readAdjustments } from './adjustment-input.ts';
import { none, type AdjustmentFields } from './adjustments.ts';
import { scheduleOf } from './schedule.ts';
import { anchorOf, readSchedule, type ScheduleInput } from './schedule-input.ts';
import { checkYear } from './local-moments.ts';
import { preview, type Preview } from './preview.ts';
import { scheduleWords } from './words.ts';

/** A schedule as for a job, how many due times to show, and after which moment. */
export interface PreviewInput extends Partial<ScheduleInput>, Partial<AdjustmentFields> {
  /** The job that is to have it: a spread depends on that. */
  jobId?: string;
  count?: number;
  /** ISO 8601 with an offset or `Z`. */
  from?: string;
}

/** How many due times may be asked for. */
export const previewCount = { min: 1, max: 100, default: 5 } as const;

/** Due times and notes, with the moment they come after and the zone as ICU spells it. */
export interface SchedulePreview extends Preview {
  /** The schedule, without its zone. */
  words: string;
  /** Epoch milliseconds. */
  from: number;
  timezone: string;
}

/**
 * The next due times of a job that is created at `from`, which is `now` (epoch milliseconds) unless it is
 * given; defaults and rules are a job's. Throws `invalid_input`, naming the field.
 */
export function previewSchedule(
  { count = previewCount.default, from, jobId, ...given }: PreviewInput,
  now: number,
): SchedulePreview {
  const settings = readSchedule(given);
  const start = from === undefined ? now : readFrom(from);
  const id = jobId?.toLowerCase() ?? null;
  const adjusted = { ...settings, id, adjustments: null };
  const { spreadSeconds, runAt, adjustments } = readAdjustments(
    { ...none, ...given },
    adjusted,
    start,
  );
  const schedule = scheduleOf({ ...settings, adjustments, anchorAt: anchorOf(start) });
  const words = scheduleWords(schedule);
  const { next, notes } = preview(schedule, start, count);
  const isOpen = id === null && runAt === null;
  const spread = spreadSeconds !== null && isOpen ? [spreadNote(spreadSeconds)] : [];
  return { words, next, notes: [...notes, ...spread], from: start, timezone: settings.timezone };
}

function readFrom(text: string): number {
  const at = readTime('from', text);
  checkYear('from', text, at);
  return at;
}

function spreadNote(spreadSeconds: number): string {
  const most = inTwoUnits(spreadSeconds, { minute: 'min' });
  return `each is up to ${most} later, for one job always by the same time`;
}
