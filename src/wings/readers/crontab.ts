/**
 * Crontabs as cron reads them (crontab(5) of Debian and cronie). Settings apply to the lines below them. `%` ends the
 * command and begins its standard input, `\%` is a percent sign.
 */

/** A line that runs a command. */
export interface CrontabLine {
  /** Counts from 1. */
  number: number;
  /** The whole line, without spaces around it. */
  text: string;
  /** What is before the command as it is written: the times, and the user in a system crontab. */
  prefix: string;
  /** As written, but with the nicknames of jobs. */
  cronExpr: string;
  command: string;
  /** The standard input of the command; null if the line gives none. */
  input: string | null;
  /** Settings above the line that change how it is read: the shell and the zones. */
  settings: ReadonlyMap<string, string>;
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
const timesPattern = /^(@\S+|(?:\S+[ \t]+){4}\S+)[ \t]+(\S.*)$/s;
const userPattern = /^\S+[ \t]+(\S.*)$/s;

/** The settings that say how a line is read. Lines keep no others: a crontab can have as many as it has lines. */
const keptSettings = new Set(['CRON_TZ', 'SHELL', 'TZ']);

/** Nicknames of cron that jobs write differently. */
const nicknames: Readonly<Record<string, string>> = {
  '@annually': '@yearly',
  '@midnight': '@daily',
};

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
      comments = [];
    } else {
      const read = readLine(line, isSystem);
      if (read === null)
        broken.push({ number, text: line, reason: 'it needs five time fields and a command' });
      else lines.push({ number, text: line, ...read, settings, comment: wordsOf(comments) });
      comments = [];
    }
  }
  return { lines, broken };
}

/** Whether cron reads the lines of a file with a column for the user; `path` is absolute. */
export function isSystemCrontab(path: string): boolean {
  return path === '/etc/crontab' || /^\/etc\/cron\.d\/[^/]+$/.test(path);
}

/** Users that run commands of a system crontab, and whose names are no commands. */
const userBeforeCommand = /^(root|nobody|www-data)[ \t]+[^\s-]/;

/** The first line that names a user before its command, in a crontab that was read as one without that column; null if none. */
export function findUserColumn(
  lines: readonly CrontabLine[],
): { number: number; user: string } | null {
  for (const { number, command } of lines) {
    const [, user] = userBeforeCommand.exec(command) ?? [];
    if (user !== undefined) return { number, user };
  }
  return null;
}

function readLine(
  line: string,
  isSystem: boolean,
): Pick<CrontabLine, 'prefix' | 'cronExpr' | 'command' | 'input'> | null {
  const [, times = '', rest = ''] = timesPattern.exec(line) ?? [];
  const command = isSystem ? userPattern.exec(rest)?.[1] : rest;
  if (command === undefined || command === '') return null;
  const cronExpr = times.replaceAll(/[ \t]+/g, ' ').toLowerCase();
  const prefix = line.slice(0, line.length - command.length);
  return { prefix, cronExpr: nicknames[cronExpr] ?? cronExpr, ...splitInput(command) };
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
