/** Turns the lines of a crontab that only call a URL into definitions. A line that is not certain is skipped. */

import { parseCrontab } from '../../domain/shell/crontab.ts';
import type { BrokenLine, CrontabLine } from '../../domain/shell/crontab.ts';
import { nameOfCall, readCommand, toolOf, whyUncertain } from '../../domain/shell/command.ts';
import { defineJob } from '../../domain/jobs/job-input.ts';
import { jobDefaults } from '../../domain/jobs/job.ts';
import { isSecretHeader } from '../../domain/jobs/headers.ts';
import type { Remark } from '../../domain/shell/remark.ts';
import type { WrittenCall } from '../../domain/shell/written-call.ts';
import { definedJob } from '../../domain/jobs/managed-job.ts';
import { nowhere } from './definition.ts';
import { fileOf, slugOf, unique, variableOf } from './export.ts';
import { literal } from './references.ts';
import { fieldsOf, literalOf } from './write-definitions.ts';

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
  /** How many lines became definitions. */
  turned: number;
  /** The lines that were skipped, and why. */
  left: BrokenLine[];
}

/** Turns a crontab into a file of definitions. */
export function turnCrontab(text: string, options: CrontabOptions): TurnedCrontab {
  const { lines, broken } = parseCrontab(text, options);
  const left = [...broken];
  const keys = new Set<string>();
  const variables = new Map<string, string>();
  const definitions = lines.flatMap((line) => {
    try {
      return [definitionOf(line, options, { keys, variables })];
    } catch (error) {
      left.push({
        number: line.number,
        reason: (error as Error).message.replace(/^cronExpr:? /, 'the times: '),
      });
      return [];
    }
  });
  return {
    text: fileOf(definitions, [...variables.keys()]),
    variables,
    turned: definitions.length,
    left: left.toSorted((one, other) => one.number - other.number),
  };
}

function definitionOf(
  line: CrontabLine,
  options: CrontabOptions,
  taken: { keys: Set<string>; variables: Map<string, string> },
) {
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
  defineJob(input, nowhere);
  const job = definedJob(input, timeoutSeconds ?? jobDefaults.timeoutSeconds);
  const key = unique(slugOf(name), taken.keys);
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
  return [key, fieldsOf(key, { ...literalOf(job), headers }, as)] as const;
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
