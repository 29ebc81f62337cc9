/** Options that several commands have, and their values as people type them. */

import type { Command } from 'commander';
import type { Flags } from '../settings/config.ts';
import { got, invalidInput, JobdError } from '../domain/errors.ts';
import { fileProblem } from '../domain/file-problem.ts';
import { parseDuration, parseWholeNumber, refuseNumber } from '../settings/setting.ts';

/** Collects the values of an option that may be repeated; commander passes them one by one. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Reads an option, or an argument without a flag, that is a text, `@FILE` or `-` for standard input. Throws `usage` if the file cannot be read. */
export async function textOrFile(value: string, flag?: string): Promise<string> {
  if (value === '-') return await (await import('node:stream/consumers')).text(process.stdin);
  if (!value.startsWith('@')) return value;
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(value.slice(1), 'utf8');
  } catch (error) {
    const problem = fileProblem(value.slice(1) || '(no name)', error);
    throw new JobdError('usage', flag ? `${flag} ${value}: ${problem}` : problem, { cause: error });
  }
}

/** One request answers up to so many. */
const mostListed = 100;

/** Adds `--limit` to a command that lists the latest of something. */
export function withListLimit(command: Command, max = mostListed): Command {
  return command.option('--limit <n>', `how many, 1 to ${max}`, '50');
}

/** The value of `--limit`. Throws `invalid_input`. */
export function listLimitOf(flags: Flags, max = mostListed): number {
  return parseWholeNumber(String(flags['limit']), '--limit', { min: 1, max });
}

/** Adds `--wide` to a command that prints a table with ids. */
export function withWide(command: Command): Command {
  return command.option('--wide', 'show ids whole on a terminal');
}

/** The same where a number alone is documented to be in seconds. Throws `invalid_input`. */
export function parseSeconds(text: string, flag: string): number {
  return parseDuration(/^\d{1,9}$/.test(text) ? `${text}s` : text, flag);
}

/**
 * Parses a time into epoch milliseconds: a duration counted from `now`, `30d` later or, with direction -1, earlier; or a time, as the
 * clocks of a zone show it unless it has an offset, by default that of this machine. Throws `invalid_input`.
 */
export async function parseMoment(
  text: string,
  flag: string,
  now: number,
  direction: 1 | -1 = 1,
  zone?: string,
): Promise<number> {
  if (text.length <= 5) refuseNumber(text, flag);
  if (/^\d{1,5}[smhd]$/.test(text)) return now + direction * parseDuration(text, flag) * 1_000;
  const { momentOf } = await import('../domain/schedule/local-moments.ts');
  const { shownZone } = await import('./schedule/machine-zone.ts');
  const at = momentOf(text, zone ?? shownZone(), now, direction === 1 ? 'next' : 'last');
  if (at !== null) return at;
  const forms =
    'a duration such as 90m, 12h or 30d, a time of day such as 22:00, or a time such as';
  throw invalidInput(
    `${flag} must be ${forms} '2026-12-31 22:00' or 2026-12-31T22:00:00Z, ${got(text)}`,
  );
}
