/** The jobs, monitors or channels that a command is about: named one by one, or all, or those in a state or with labels. */

import type { Command } from 'commander';
import type { Flags } from '../settings/config.ts';
import { JobdError } from '../domain/errors.ts';
import { readSelector, type Labels } from '../domain/labels.ts';
import { parseChoice } from '../settings/setting.ts';
import type { Api } from './client/api.ts';

/** What a command needs of each. */
export interface Selected {
  id: string;
  name: string;
  /** Its state and labels when it was looked up; channels have none. */
  status?: string;
  labels?: Labels;
  /** Until when windows hold it, if they do. */
  heldUntil?: string;
}

/** Where they are looked up. */
export interface Selectable<Status extends string> {
  noun: string;
  /** The states that can be asked for; none for what has no state. */
  statuses: readonly Status[];
  find(text: string): Promise<Selected>;
  /** All of them, within limits. */
  all(limits: Limits<Status>): AsyncIterable<Selected>;
}

/** What limits a list, or a selection of all: a state, labels, or both; null for any. */
export interface Limits<Status extends string = string> {
  status: Status | null;
  selector: string | null;
}

/** Adds the arguments and options that select. `more` is what else the arguments are. */
export function withSelection(
  command: Command,
  noun: string,
  statuses: readonly string[],
  more = '',
): Command {
  command
    .argument(`[${noun}...]`, `names or ids of ${noun}s${more}`)
    .option('--all', `all ${noun}s of the workspace`);
  return statuses.length === 0 ? command : withLimits(command, `all ${noun}s`, statuses);
}

/** Adds the options that select by state and by labels; `which` is what they select. */
export function withLimits(command: Command, which: string, statuses: readonly string[]): Command {
  command.option('--status <status>', `${which} in this state: ${statuses.join(', ')}`);
  return withSelector(command, which);
}

/** Adds the option that selects by labels. */
export function withSelector(command: Command, which: string): Command {
  return command.option(
    '-l, --selector <selector>',
    `${which} with these labels, such as client=acme,env!=dev`,
  );
}

/** What is asked for. Throws `usage` if there is no such state, and `invalid_input` for a selector that is none. */
export function limitsOf<Status extends string>(
  flags: Flags,
  statuses: readonly Status[],
): Limits<Status> {
  const { status } = flags;
  return {
    status: typeof status === 'string' ? parseChoice(status, '--status', statuses) : null,
    selector: selectorOf(flags),
  };
}

/** The selector that is asked for, or null. Throws `invalid_input` for one that is none. */
export function selectorOf({ selector }: Flags): string | null {
  if (typeof selector !== 'string') return null;
  readSelector(selector, '--selector');
  return selector;
}

/** Says that a selector fits no job or monitor now; null if it does, or if that cannot be asked. */
export async function fitsNothing(
  selector: string | null,
  { jobs, monitors }: Pick<Api, 'jobs' | 'monitors'>,
): Promise<string | null> {
  if (selector === null) return null;
  const asked = [jobs, monitors].map((of) => of.list({ selector }).next());
  const first = await Promise.all(asked).catch(() => []);
  const isIdle = first.length > 0 && first.every(({ done }) => done);
  return isIdle ? `${selector} ${unfitWords(selector)}` : null;
}

/** What a selector does that fits nothing, as a clause. */
export function unfitWords(selector: string | null): string {
  return `fits no job or monitor now${commasAdvice(selector)}`;
}

/** A clause for a selector that fits nothing, and may be written without its commas: a value may have blanks and `=`. */
export function commasAdvice(selector: unknown): string {
  const isLikely = /[^\s,]\s+[^\s,]+=/.test(String(selector));
  return isLikely ? '; separate terms by commas: client=acme,env=prod' : '';
}

/** Whether many may be meant, so that each gets a line of the answer. */
export function isForMany(names: readonly string[], flags: Flags): boolean {
  return names.length > 1 || areAllMeant(flags);
}

function areAllMeant({ all, status, selector }: Flags): boolean {
  return all === true || status !== undefined || selector !== undefined;
}

/** Looks up what was selected; each only once. Throws `usage` unless it is said in one way. */
export async function select<Status extends string>(
  names: readonly string[],
  flags: Flags,
  from: Selectable<Status>,
): Promise<Selected[]> {
  const { noun, statuses } = from;
  const isAll = areAllMeant(flags);
  if (isAll === names.length > 0) {
    const ways = statuses.length === 0 ? '--all' : '--all, --status or --selector';
    throw new JobdError('usage', `either name the ${noun}s or use ${ways}`);
  }
  const found = new Map<string, Selected>();
  if (isAll) {
    for await (const item of from.all(limitsOf(flags, statuses))) found.set(item.id, item);
  } else {
    for (const text of names) {
      const item = await from.find(text);
      found.set(item.id, item);
    }
  }
  return [...found.values()];
}
