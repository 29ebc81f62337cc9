/** The preview of a schedule before a job has it: what people send, and what they are shown. */

import { got, invalidInput } from '../errors.ts';
import { readTime } from '../fields.ts';
import { scheduleOf } from './schedule.ts';
import { anchorOf, readSchedule, type ScheduleInput } from './schedule-input.ts';
import { preview, type Preview } from './preview.ts';
import { scheduleWords } from './words.ts';

/** A schedule as for a job, how many due times to show, and after which moment. */
export interface PreviewInput extends Partial<ScheduleInput> {
  count?: number;
  /** ISO 8601 with an offset or `Z`. */
  from?: string;
}

/** How many due times may be asked for. */
export const previewCount = { min: 1, max: 100, default: 5 } as const;

/** After a time in these years, every due time has a year of four digits. */
const earliestFrom = Date.UTC(1970);
const latestFrom = Date.UTC(3000) - 1;

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
  { count = previewCount.default, from, ...given }: PreviewInput,
  now: number,
): SchedulePreview {
  const settings = readSchedule(given);
  const start = from === undefined ? now : readFrom(from);
  const schedule = scheduleOf({ ...settings, anchorAt: anchorOf(start) });
  const { timezone } = settings;
  const words = scheduleWords(schedule);
  return { words, ...preview(schedule, start, count), from: start, timezone };
}

function readFrom(text: string): number {
  const at = readTime('from', text);
  if (at >= earliestFrom && at <= latestFrom) return at;
  throw invalidInput(`from must be in the years 1970 to 2999, ${got(text)}`);
}
