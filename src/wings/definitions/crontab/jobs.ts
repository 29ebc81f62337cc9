/**
 * Turns the lines of a crontab into definitions: one that only calls a URL into a job, one that runs a command into a monitor.
 * A line that is not certain is skipped.
 */

import { parseCrontab } from '../../readers/crontab.ts';
import type { BrokenLine, CrontabLine } from '../../readers/crontab.ts';
import { nameOfCall, readCommand, toolOf, whyUncertain } from '../../readers/command.ts';
import { messageOf } from '../../../domain/errors.ts';
import { jobDefaults } from '../../../domain/jobs/job.ts';
import { isSecretHeader } from '../../../domain/jobs/headers.ts';
import type { Remark } from '../../readers/remark.ts';
import type { WrittenCall } from '../../readers/written-call.ts';
import { definedJob } from '../../../domain/jobs/managed-job.ts';
import { graceOf, isCommand, nameOfCommand } from './monitors.ts';
import { fileOf, slugOf, unique, variableOf } from '../client/export.ts';
import { checkJob, jobKind } from '../client/job-kind.ts';
import type { Fields } from '../client/kind.ts';
import { monitorKind } from '../client/monitor-kind.ts';
import { wordedForFiles } from '../client/read-definition.ts';
import { literal } from '../client/references.ts';
import { fieldsOf } from '../client/write-definitions.ts';

export interface CrontabOptions {
  isSystem: boolean;
  /** For lines that set no other; the zone of the machine if people gave none. */
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
  /** The lines that became monitors, which must be changed to report to them. */
  monitored: { line: CrontabLine; key: string }[];
  /** The lines that were skipped, and why. */
  left: BrokenLine[];
}

/** Turns a crontab into a file of definitions. */
export function turnCrontab(text: string, options: CrontabOptions): TurnedCrontab {
  const { lines, broken } = parseCrontab(text, options);
  const left = [...broken];
  const taken: Taken = { jobs: new Set(), monitors: new Set(), variables: new Map() };
  const jobs: Written[] = [];
  const monitors: Written[] = [];
  const monitored: TurnedCrontab['monitored'] = [];
  const numbers = new Map<string, number>();
  for (const line of lines) {
    try {
      if (isCommand(line)) {
        const monitor = monitorOf(line, options, taken);
        monitors.push(monitor);
        monitored.push({ line, key: monitor[0] });
        numbers.set(`${monitorKind.section}/${monitor[0]}`, line.number);
      } else {
        const job = jobOf(line, options, taken);
        jobs.push(job);
        numbers.set(`${jobKind.section}/${job[0]}`, line.number);
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
    monitored,
    left: left.toSorted((one, other) => one.number - other.number),
  };
}

type Written = readonly [key: string, fields: Fields];

/** The names that are taken so far, and the values of the variables. */
interface Taken {
  jobs: Set<string>;
  monitors: Set<string>;
  variables: Map<string, string>;
}

/** What is wrong with a line, in words of a crontab instead of fields of the API. */
function reasonOf(error: unknown, { settings }: CrontabLine): string {
  const zone = settings.has('CRON_TZ') ? 'CRON_TZ' : '--tz';
  return wordedForFiles(jobKind, messageOf(error))
    .replace(/^cron:? /, 'the times: ')
    .replace(/^timezone /, `${zone} `);
}

/** The monitor of a line that runs a command. Throws an error with the reason if it cannot have one. */
function monitorOf(line: CrontabLine, options: CrontabOptions, { monitors }: Taken): Written {
  const name = nameOfCommand(line);
  const schedule = { cronExpr: line.cronExpr, timezone: zoneOf(line, options) };
  monitorKind.check({ name, ...schedule });
  const input = { name, ...schedule, graceSeconds: graceOf(schedule) };
  const key = unique(slugOf(name, 'monitor'), monitors);
  const writing = { defaultTimeoutSeconds: jobDefaults.timeoutSeconds };
  return [key, fieldsOf(monitorKind, key, monitorKind.whole(input, writing), writing)];
}

/** The job of a line that only calls a URL. Throws an error with the reason if it does anything else. */
function jobOf(line: CrontabLine, options: CrontabOptions, taken: Taken): Written {
  const call = callOf(line, options);
  const { timeoutSeconds, retries, headers: sent, ...request } = call;
  const timezone = zoneOf(line, options);
  const name = line.comment ?? nameOfCall(call.url);
  const input = {
    ...request,
    name,
    headers: sent,
    cronExpr: line.cronExpr,
    timezone,
    retries: retries ?? jobDefaults.retries,
  };
  checkJob(input);
  const job = definedJob(input, timeoutSeconds ?? jobDefaults.timeoutSeconds);
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
  const as = { defaultTimeoutSeconds: timeoutSeconds === null ? job.timeoutSeconds : NaN };
  return [key, fieldsOf(jobKind, key, { ...job, headers }, as)];
}

/** The call of a line. Throws the reason if the line does anything else. */
function callOf(line: CrontabLine, { isSystem }: CrontabOptions): WrittenCall {
  const why = whyUncertain(line);
  if (why !== null) throw new Error(why);
  const { words, tool, call, unhonoured } = readCommand(line.command);
  refuse(unhonoured);
  if (tool === null) {
    const [program = '', next = ''] = words;
    const hint = !isSystem && toolOf(next) !== null;
    const how = hint ? '; --system reads a column with the user' : '';
    throw new Error(`not a curl or wget call (${program.slice(0, 40)})${how}`);
  }
  if (call === null) throw new Error('it makes no call');
  return call;
}

function refuse(unhonoured: readonly Remark[]): void {
  if (unhonoured.length === 0) return;
  throw new Error(unhonoured.map(({ text, reason }) => `${text}: ${reason}`).join('; '));
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
