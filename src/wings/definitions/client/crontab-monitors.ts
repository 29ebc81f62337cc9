/** A line of a crontab that runs a command: a monitor for it, and the line that reports to the monitor. */

import type { CrontabLine } from '../../readers/crontab.ts';
import { quoted } from '../../../domain/quote.ts';
import { nameRule } from '../../../domain/fields.ts';
import { dueAfter, monitorDefaults } from '../../../domain/monitors/monitor.ts';
import { readSchedule, type ScheduleInput } from '../../../domain/schedule/schedule-input.ts';
import { plainText } from '../../../cli/terminal/text.ts';

/** Words that a shell takes as they are; a word with `=` before them would be a variable. */
const plainCommand = /^(?![^ ]*=)[\w@%+=:,./-]+( +[\w@%+=:,./-]+)*$/;

/** Where cron ends the command and begins its standard input. */
const inputStart = /(?<!\\)%/;

/** What people paste the ping URL over, while it is not known. */
export const pingPlaceholder = 'PING_URL';

/** A name for the monitor of a line: its comment, or the first program that is more than a step towards another. */
export function nameOfCommand({ comment, command }: CrontabLine, program: string): string {
  return (comment ?? (program === '' ? command : program)).slice(0, nameRule.maxLength);
}

/** The same line as a terminal may show it; null if it has characters that cannot be copied from there. */
export function shownLine(line: CrontabLine, pingUrl: string): string | null {
  const wrapped = wrappedLine(line, pingUrl);
  return plainText(wrapped) === wrapped ? wrapped : null;
}

/** The line that runs the same command and reports to the monitor with this ping URL. */
export function wrappedLine({ text, prefix, settings }: CrontabLine, pingUrl: string): string {
  const written = text.slice(prefix.length);
  const end = written.search(inputStart);
  const command = (end === -1 ? written : written.slice(0, end)).trimEnd();
  const input = end === -1 ? '' : written.slice(end);
  const shell = settings.get('SHELL') ?? 'sh';
  const run = plainCommand.test(command) ? command : `${shell} -c ${quoted(command)}`;
  return `${prefix}/usr/local/bin/jobd ping ${pingUrl} -- ${run}${input}`;
}

/** A quarter of the shortest interval, from 5 minutes to an hour: a run must end within this time too. */
export function graceOf(schedule: Partial<ScheduleInput>): number {
  const settings = { ...readSchedule(schedule), anchorAt: 0 };
  // Any time does: the same crontab gives the same file.
  let at = Date.UTC(2026, 0, 1);
  let shortestMs = Infinity;
  for (let count = 0; count < 8; count += 1) {
    const next = dueAfter(settings, at);
    if (next === null) break;
    if (count > 0) shortestMs = Math.min(shortestMs, next - at);
    at = next;
  }
  const quarter = Math.floor(shortestMs / 4 / 60_000) * 60;
  return Math.min(Math.max(quarter, monitorDefaults.graceSeconds), 3_600);
}
