/** Prints the preview of a schedule: a table for people, ISO times for programs. */

import { isoTime } from '../../domain/clock.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import type { SchedulePreview } from '../../domain/schedule/preview-input.ts';
import { localIsoTime, localTimeText } from '../../domain/schedule/local-time.ts';
import { printRows, type Columns, type Output } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';

/** What is printed of a preview. */
export type DueTimes = Omit<SchedulePreview, 'words'>;

/** Prints it. `sinceNow` means that it begins now, so the time until each due time is shown. */
export function printPreview(
  output: Output,
  { next, notes, from, timezone }: DueTimes,
  { sinceNow }: { sinceNow: boolean },
): void {
  const withSeconds = next.some((at) => at % 60_000 !== 0);
  const wait = sinceNow ? 'in' : 'after';
  const forPeople: Columns<number> = {
    [`local (${timezone})`]: (at) => localTimeText(at, timezone, withSeconds),
    utc: isoTime,
    [wait]: (at) => inTwoUnits(Math.ceil((at - from) / 1_000), { minute: 'min' }),
  };
  const forPrograms: Columns<number> = { local: (at) => localIsoTime(at, timezone), utc: isoTime };
  const columns = output.isTerminal ? forPeople : forPrograms;
  printRows(output, next, columns, { optional: [wait, 'utc'], leastText: output.width });
  if (output.isTerminal && notes.length > 0) output.say('');
  for (const note of notes) output.say(plain(note));
}
