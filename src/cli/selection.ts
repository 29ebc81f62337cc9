/** The jobs, monitors or channels that a command is about: named one by one, or all, or those in a state. */

import type { Command } from 'commander';
import type { Flags } from '../settings/config.ts';
import { JobdError } from '../domain/errors.ts';
import { parseChoice } from '../settings/setting.ts';

/** What a command needs of each. */
export interface Selected {
  id: string;
  name: string;
  /** Its state when it was looked up; channels have none. */
  status?: string;
}

/** Where they are looked up. */
export interface Selectable<Status extends string> {
  noun: string;
  /** The states that can be asked for; none for what has no state. */
  statuses: readonly Status[];
  find(text: string): Promise<Selected>;
  /** All of them, or those in a state. */
  all(status: Status | null): AsyncIterable<Selected>;
}

/** Adds the arguments and options that select. */
export function withSelection(
  command: Command,
  noun: string,
  statuses: readonly string[],
): Command {
  command
    .argument(`[${noun}...]`, `names or ids of ${noun}s`)
    .option('--all', `all ${noun}s of the workspace`);
  return statuses.length === 0 ? command : withStatus(command, `all ${noun}s`, statuses);
}

/** Adds the option that selects by state; `which` is what it selects. */
export function withStatus(command: Command, which: string, statuses: readonly string[]): Command {
  return command.option('--status <status>', `${which} in this state: ${statuses.join(', ')}`);
}

/** The state that is asked for, or null. Throws `usage` if there is no such state. */
export function statusOf<Status extends string>(
  { status }: Flags,
  statuses: readonly Status[],
): Status | null {
  return typeof status === 'string' ? parseChoice(status, '--status', statuses) : null;
}

/** Whether many may be meant, so that each gets a line of the answer. */
export function isForMany(names: readonly string[], flags: Flags): boolean {
  return names.length > 1 || flags['all'] === true || flags['status'] !== undefined;
}

/** Looks up what was selected; each only once. Throws `usage` unless it is said in one way. */
export async function select<Status extends string>(
  names: readonly string[],
  flags: Flags,
  from: Selectable<Status>,
): Promise<Selected[]> {
  const { noun, statuses } = from;
  const { status } = flags;
  const isAll = flags['all'] === true || status !== undefined;
  if (isAll === names.length > 0) {
    const ways = statuses.length === 0 ? '--all' : '--all or --status';
    throw new JobdError('usage', `name the ${noun}s, or use ${ways}`);
  }
  const found = new Map<string, Selected>();
  if (isAll) {
    const wanted = statusOf(flags, statuses);
    for await (const item of from.all(wanted)) found.set(item.id, selectedOf(item));
  } else {
    for (const text of names) {
      const item = await from.find(text);
      found.set(item.id, selectedOf(item));
    }
  }
  return [...found.values()];
}

function selectedOf({ id, name, status }: Selected): Selected {
  return { id, name, ...(status !== undefined && { status }) };
}
