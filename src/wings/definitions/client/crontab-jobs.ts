/**
 * Turns the lines of a crontab into definitions: one that only calls a URL into a job, any other into a monitor. A line whose
 * times or whose command are not certain is skipped.
 */

import { parseCrontab, type BrokenLine, type CrontabLine } from '../../readers/crontab.ts';
import { nameOfCall, readCommand, whyUncertain, type ReadCommand } from '../../readers/command.ts';
import { messageOf } from '../../../domain/errors.ts';
import { jobDefaults } from '../../../domain/jobs/job.ts';
import { isSecretHeader } from '../../../domain/jobs/headers.ts';
import type { Remark } from '../../readers/remark.ts';
import type { WrittenCall } from '../../readers/written-call.ts';
import type { JobInput } from '../../../domain/jobs/job-input.ts';
import { monitorDefaults } from '../../../domain/monitors/monitor.ts';
import { withoutDefaults } from '../../../domain/definition.ts';
import { checkSchedule } from '../../../domain/schedule/schedule-input.ts';
import { graceOf, nameOfCommand } from './crontab-monitors.ts';
import { fieldsOf, fileOf, slugOf, unique, variableOf } from './write.ts';
import { checkJob, jobKind, monitorKind, type Fields } from './kinds.ts';
import { wordedForFiles } from './read-definition.ts';
import { literal } from './references.ts';

export interface CrontabOptions {
  isSystem: boolean;
  /** For lines that set no other; the zone of this machine if people gave none. */
  timezone: string;
  /** Whether people gave it. */
  isZoneGiven: boolean;
}

export interface TurnedCrontab {
  /** The file of definitions. */
  text: string;
  /** The variables it names, with their values. */
  variables: ReadonlyMap<string, string>;
  /** The numbers of the lines that became definitions, by section and key. */
  lines: ReadonlyMap<string, number>;
  /** How many lines became jobs. */
  turned: number;
  /** What a job does in another way than its line. */
  adapted: { line: CrontabLine; key: string; name: string; remarks: readonly Remark[] }[];
  /** The lines that became monitors, which must be changed to report to them, and why a call became none; null for a command. */
  monitored: { line: CrontabLine; key: string; name: string; why: string | null }[];
  /** The lines that were skipped, and why. */
  left: BrokenLine[];
}

/** Turns a crontab into a file of definitions. */
export function turnCrontab(text: string, options: CrontabOptions): TurnedCrontab {
  const { lines, broken } = parseCrontab(text, options);
  const taken: Taken = {
    jobs: new Set(),
    monitors: new Set(),
    names: new Set(),
    variables: new Map(),
  };
  const jobs: Written[] = [];
  const monitors: Written[] = [];
  const { monitored, adapted, left }: Pick<TurnedCrontab, 'monitored' | 'adapted' | 'left'> = {
    monitored: [],
    adapted: [],
    left: [...broken],
  };
  const numbers = new Map<string, number>();
  for (const line of lines) {
    try {
      const read = readCommand(line.command, line.variables);
      checkSchedule(scheduleOf(line, options));
      const { job, why } = jobOrReason(line, read, options, taken);
      if (job === null) {
        const monitor = monitorOf(line, read, options, taken);
        monitors.push(monitor);
        monitored.push({ line, key: monitor[0], name: nameOf(monitor), why });
        numbers.set(`${monitorKind.section}/${monitor[0]}`, line.number);
      } else {
        jobs.push(job);
        numbers.set(`${jobKind.section}/${job[0]}`, line.number);
        const remarks = [...line.times, ...read.adapted];
        if (remarks.length > 0) adapted.push({ line, key: job[0], name: nameOf(job), remarks });
      }
    } catch (error) {
      left.push({ number: line.number, text: line.text, reason: reasonOf(error, line) });
    }
  }
  return {
    text: fileOf({ jobs, monitors }, [...taken.variables.keys()]),
    variables: taken.variables,
    lines: numbers,
    turned: jobs.length,
    adapted,
    monitored,
    left: left.toSorted((one, other) => one.number - other.number),
  };
}

type Written = readonly [key: string, fields: Fields];

/** A name that is the key is not written. */
function nameOf([key, { name = key }]: Written): string {
  return String(name);
}

/** The names that are taken so far, and the values of the variables. */
interface Taken {
  jobs: Set<string>;
  monitors: Set<string>;
  names: Set<string>;
  variables: Map<string, string>;
}

/** What is wrong with a line, in words of a crontab instead of fields of the API. */
function reasonOf(error: unknown, { settings }: CrontabLine): string {
  const zone = settings.has('CRON_TZ') ? 'CRON_TZ' : '--tz';
  return wordedForFiles(jobKind, messageOf(error))
    .replace(/^cron:? /, 'the times: ')
    .replace(/^timezone /, `${zone} `);
}

/** The job of a line, or why it is none; no reason for a command. Throws the reason if it is not certain what the line does. */
function jobOrReason(
  line: CrontabLine,
  read: ReadCommand,
  options: CrontabOptions,
  taken: Taken,
): { job: Written | null; why: string | null } {
  const why = whyNoJob(line, read);
  if (read.call === null || why !== null) return { job: null, why };
  try {
    return { job: jobOf(line, read.call, options, taken), why };
  } catch (error) {
    // A rule of jobs that tools do not have, such as one for the values of headers.
    return { job: null, why: wordedForFiles(jobKind, messageOf(error)) };
  }
}

/** Why a line with a call is no job; null if it is one, and for a command. Throws the reason if it is not certain what it does. */
function whyNoJob(line: CrontabLine, read: ReadCommand): string | null {
  const { tool, call, unhonoured, followsOthers, isDelayed } = read;
  if (tool === null) return null;
  const uncertain = whyUncertain(line);
  // In most URLs, nobody meant it.
  if (line.input !== null && uncertain !== null) throw new Error(uncertain);
  const reasons = unhonoured.map(({ text, reason }) => `${text}: ${reason}`);
  if (isDelayed && /^\*(?:\/1)? /.test(line.cronExpr)) {
    reasons.push(
      'a job is called once a minute at most: two jobs with an interval of a minute, the second created half a minute later, do it',
    );
  }
  if (uncertain !== null) reasons.unshift(uncertain);
  if (followsOthers)
    reasons.push('a call that only reports that a command ran can go: the monitor does it');
  if (reasons.length > 0) return reasons.join('; ');
  return call === null ? 'it makes no call' : null;
}

type Scheduled = Pick<JobInput, 'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds'>;

/** When a line is due. Throws the reason if that is not certain. */
function scheduleOf(line: CrontabLine, options: CrontabOptions): Scheduled {
  const { cronExpr, periodSeconds } = line;
  if (periodSeconds !== null) return { scheduleType: 'period', periodSeconds };
  return { cronExpr, timezone: zoneOf(line, options) };
}

/** The monitor of a line that is no job. Throws an error with the reason if it cannot have one. */
function monitorOf(
  line: CrontabLine,
  { program }: ReadCommand,
  options: CrontabOptions,
  { monitors, names }: Taken,
): Written {
  const name = nameOfCommand(line, program);
  const schedule = scheduleOf(line, options);
  monitorKind.check({ name, ...schedule });
  const input = { name: unique(name, names, ' '), ...schedule, graceSeconds: graceOf(schedule) };
  const key = unique(slugOf(name, 'monitor'), monitors);
  return [key, fieldsOf(monitorKind, key, withoutDefaults(input, monitorDefaults))];
}

/** The job of a line that only calls a URL. Throws an error with the reason if it cannot be one. */
function jobOf(
  line: CrontabLine,
  call: WrittenCall,
  options: CrontabOptions,
  taken: Taken,
): Written {
  const { timeoutSeconds, retries, headers: sent, ...request } = call;
  const name = line.comment ?? nameOfCall(call.url);
  const input = {
    ...request,
    name,
    headers: sent,
    ...scheduleOf(line, options),
    retries: retries ?? jobDefaults.retries,
  };
  checkJob(input);
  const key = unique(slugOf(name, 'job'), taken.jobs);
  const headers = Object.fromEntries(
    Object.entries(sent).map(([header, value]) => {
      if (!isSecretHeader(header)) return [header, literal(value)];
      const variable = variableOf(key, header, new Set(taken.variables.keys()));
      taken.variables.set(variable, value);
      return [header, `\${${variable}}`];
    }),
  ) as Record<string, string>;
  // A timeout is written if the command has one, whatever the default of the plan.
  const named = { ...input, name: unique(name, taken.names, ' '), headers };
  const job = { ...withoutDefaults(named, jobDefaults), timeoutSeconds };
  return [key, fieldsOf(jobKind, key, job)];
}

/** cronie reads the times in CRON_TZ. TZ applies to the times in some crons, and only to the command in others. */
function zoneOf({ settings }: CrontabLine, { timezone, isZoneGiven }: CrontabOptions): string {
  const zone = settings.get('CRON_TZ');
  const other = settings.get('TZ');
  if (zone !== undefined) return zone;
  if (other !== undefined && other !== timezone && !isZoneGiven) {
    throw new Error(
      'TZ is the zone of the times in some crons only: say --tz, or CRON_TZ in the crontab',
    );
  }
  return timezone;
}
