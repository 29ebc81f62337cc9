/**
 * Crontabs as cron reads them (crontab(5) of Debian and cronie). Settings apply to the lines below them. `%` ends the
 * command and begins its standard input, `\%` is a percent sign.
 */

import { isPrefix } from './prefixes.ts';
import { toolOf } from './program.ts';
import type { Remark } from './remark.ts';
import { readTimes } from './times.ts';
import type { Variables } from './command-list.ts';

/** A line that runs a command. */
export interface CrontabLine {
  /** Counts from 1. */
  number: number;
  /** The whole line, without spaces around it. */
  text: string;
  /** What is before the command as it is written: the times, and the user in a system crontab. */
  prefix: string;
  /** As written, without what only some crons know; empty if the line has an interval. */
  cronExpr: string;
  /** The interval in seconds of `@every 5m` and `@300`; null if the line has a cron expression. */
  periodSeconds: number | null;
  /** What of the times is read in another way, or not at all. */
  times: readonly Remark[];
  command: string;
  /** The standard input of the command; null if the line gives none. */
  input: string | null;
  /** Settings above the line that change how it is read: the shell and the zones. */
  settings: ReadonlyMap<string, string>;
  /** The values that lines above give variables, as cron does: they are never expanded. */
  variables: Variables;
  /** The comment directly above, if it is one line of words. */
  comment: string | null;
}

/** A line that no crontab can have. */
export interface BrokenLine {
  number: number;
  text: string;
  reason: string;
}

/** More characters than cron runs: cronie has 131,072, others far fewer. */
const longestLine = 131_072;
/** With `s`, `.` takes all of a line: a character that it stops at would make the pattern try each place before. */
const settingPattern = /^(["']?)([A-Za-z_]\w*)\1[ \t]*=[ \t]*(.*)$/s;
/** Five fields or a nickname, then the rest. */
const timesPattern = /^(-?@every[ \t]+\S+|-?@\S+|(?:\S+[ \t]+){4}\S+)[ \t]+(\S.*)$/s;
const userPattern = /^\S+[ \t]+(\S.*)$/s;

/** The settings that say how a line is read. */
const keptSettings = new Set(['CRON_TZ', 'SHELL', 'TZ']);

/** The names of the columns, above the first line of many crontabs: `# m h dom mon dow command`. */
const titlePattern = /^#+[ \t]*m(?:in(?:ute)?)?[ \t]+h(?:our)?[ \t]+d/i;

/** Reads a crontab. A system crontab has a column with the user before the command. */
export function parseCrontab(
  text: string,
  { isSystem }: { isSystem: boolean },
): { lines: CrontabLine[]; broken: BrokenLine[] } {
  const lines: CrontabLine[] = [];
  const broken: BrokenLine[] = [];
  let settings: ReadonlyMap<string, string> = new Map();
  const values = new Map<string, { number: number; value: string }[]>();
  let comments: string[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const number = index + 1;
    const line = raw.trim();
    if (line.length > longestLine) {
      const reason = `it has more than ${longestLine} characters`;
      broken.push({ number, text: `${line.slice(0, 60)}…`, reason });
      comments = [];
      continue;
    }
    const setting = settingPattern.exec(line);
    if (line === '' || titlePattern.test(line)) comments = [];
    else if (line.startsWith('#')) comments.push(line.replace(/^#+[ \t]*/, ''));
    else if (setting !== null) {
      const [, , name = '', value = ''] = setting;
      if (keptSettings.has(name)) settings = new Map(settings).set(name, unquoted(value));
      const given = { number, value: unquoted(value) };
      const before = values.get(name);
      if (before === undefined) values.set(name, [given]);
      else before.push(given);
      comments = [];
    } else {
      const read = readLine(line, isSystem);
      if (read === null)
        broken.push({ number, text: line, reason: 'it needs five time fields and a command' });
      else {
        const variables: Variables = (name) => valueAt(values.get(name) ?? [], number);
        const comment = wordsOf(comments);
        lines.push({ number, text: line, ...read, settings, variables, comment });
      }
      comments = [];
    }
  }
  return { lines, broken };
}

/** The value that a variable has in a line: a search by halves, as a crontab can set it in each line. */
function valueAt(
  values: readonly { number: number; value: string }[],
  line: number,
): string | undefined {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle]?.number ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return values[low - 1]?.value;
}

/** Whether cron reads the lines of a file with a column for the user; `path` is absolute. */
export function isSystemCrontab(path: string): boolean {
  return path === '/etc/crontab' || /^\/etc\/cron\.d\/[^/]+$/.test(path);
}

/** Users that run commands of a system crontab, and whose names are no commands. */
const userBeforeCommand = /^(root|nobody|www-data)[ \t]+[^\s-]/;
/** A name before curl or wget. */
const nameBeforeCall = /^([a-z_][\w-]*)[ \t]+(?:\/\S*\/)?(?:curl|wget)[ \t]/;

/**
 * The first line that names a user before its command, in a crontab that was read as one without that column; null if none.
 * A name before curl is a user, unless it is known to run commands.
 */
export function findUserColumn(
  lines: readonly CrontabLine[],
): { number: number; user: string } | null {
  for (const { number, command } of lines) {
    const [, user] = userBeforeCommand.exec(command) ?? nameBeforeCall.exec(command) ?? [];
    if (user !== undefined && !isPrefix(user) && toolOf(user) === null) return { number, user };
  }
  return null;
}

function readLine(
  line: string,
  isSystem: boolean,
): Pick<
  CrontabLine,
  'prefix' | 'cronExpr' | 'periodSeconds' | 'times' | 'command' | 'input'
> | null {
  const [, times = '', rest = ''] = timesPattern.exec(line) ?? [];
  const command = isSystem ? userPattern.exec(rest)?.[1] : rest;
  if (command === undefined || command === '') return null;
  const prefix = line.slice(0, line.length - command.length);
  return { prefix, ...readTimes(times, line), ...splitInput(command) };
}

/** The first percent sign begins the standard input, and each further one is a line break there. `\%` is literal. */
function splitInput(text: string): Pick<CrontabLine, 'command' | 'input'> {
  const [command = '', ...input] = text
    .split(/(?<!\\)%/)
    .map((part) => part.replaceAll('\\%', '%'));
  return { command, input: input.length === 0 ? null : input.join('\n') };
}

function unquoted(value: string): string {
  const [, , inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  return inner ?? value;
}

/** A comment of one line, unless it is a disabled line or a rule. */
function wordsOf(comments: readonly string[]): string | null {
  const [comment, ...more] = comments;
  if (comment === undefined || more.length > 0) return null;
  const isLine = timesPattern.test(comment) && /^[@*\d]/.test(comment);
  return isLine || !/\p{L}/u.test(comment) || comment.length > 120 ? null : comment;
}
