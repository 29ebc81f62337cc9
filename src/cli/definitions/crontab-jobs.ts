/** Turns the lines of a crontab that only call a URL into definitions. A line that is not certain is skipped. */

import { parseCrontab } from '../../domain/shell/crontab.ts';
import type { BrokenLine, CrontabLine } from '../../domain/shell/crontab.ts';
import { readCurl } from '../../domain/shell/curl.ts';
import { nameRule } from '../../domain/fields.ts';
import { defineJob } from '../../domain/jobs/job-input.ts';
import { jobDefaults } from '../../domain/jobs/job.ts';
import { isSecretHeader } from '../../domain/jobs/headers.ts';
import type { Remark } from '../../domain/shell/remark.ts';
import { readShellCommand } from '../../domain/shell/words.ts';
import { readWget } from '../../domain/shell/wget.ts';
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

/** Shells that read a command the same way. */
const knownShells = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);

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
  const { hostname, pathname } = new URL(call.url);
  const name =
    line.comment ?? `${hostname}${pathname === '/' ? '' : pathname}`.slice(0, nameRule.maxLength);
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
function callOf(
  { command, input, settings }: CrontabLine,
  { isSystem }: CrontabOptions,
): WrittenCall {
  if (input !== null)
    throw new Error('% begins the standard input of the command; \\% is a percent sign');
  const shell = settings.get('SHELL')?.split('/').at(-1);
  if (shell !== undefined && !knownShells.has(shell)) {
    throw new Error('SHELL names a shell that may read the command in another way');
  }
  const { words, unhonoured } = readShellCommand(command);
  refuse(unhonoured);
  const [program = '', ...rest] = words;
  const read = { curl: readCurl, wget: readWget }[program.split('/').at(-1) ?? ''];
  if (read === undefined) {
    const hint = !isSystem && /^(?:curl|wget)$|\/(?:curl|wget)$/.test(rest[0] ?? '');
    const how = hint ? '; --system reads a column with the user' : '';
    throw new Error(`not a curl or wget call (${program.slice(0, 40)})${how}`);
  }
  const { call, unhonoured: more } = read(rest);
  refuse(more);
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
