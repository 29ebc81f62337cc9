/** The commands that jobs, monitors, channels and windows share: list, get, update, pause, resume and delete. */

import type { Command } from 'commander';
import type { Flags } from '../settings/config.ts';
import { JobdError } from '../domain/errors.ts';
import type { Api, Noun } from './client/api.ts';
import { connect } from './client/connect.ts';
import type { Named } from './client/find.ts';
import type { Context } from './context.ts';
import { withWide } from './options.ts';
import { addLabelCommand, keepLabels } from './labels.ts';
import { commasAdvice, isForMany, limitsOf, select } from './selection.ts';
import { withLimits, withSelection } from './selection.ts';
import { actOn, hasNothingToDo, notDoneWords, timeHasPassed, type Many } from './many.ts';
import type { Limits, Selected, Selectable } from './selection.ts';
import { printDone, printJson, printRows, type Columns, type Output } from './terminal/output.ts';
import { confirm } from './terminal/prompt.ts';
import { counted } from '../domain/counted.ts';
import { plain } from './terminal/text.ts';

export interface Resource<Item, Update, Status extends string = string, Listed = Item> extends Many<
  Item,
  Update
> {
  noun: Noun;
  /** The name that examples use. */
  example: string;
  /** The table of `list`. */
  columns: Columns<Item | Listed>;
  /** Columns that need to know all that is listed; each takes the place of the one with its name. */
  columnsOf?: (api: Api, listed: readonly (Item | Listed)[]) => Promise<Columns<Item | Listed>>;
  /** Columns that a narrow terminal does not show: the last of these is hidden first. */
  optionalColumns?: readonly string[];
  /** Columns that a text keeps before that. */
  leastText?: number;
  /** Prints one for people. */
  print: (output: Output, item: Item, context: Context) => void | Promise<void>;
  /** Adds the options of `update`. */
  withOptions: (command: Command) => Command;
  /** What `update` adds to `jobd … update NAME` in its example. */
  exampleOptions: string;
  /** The fields that the options give. Throws `invalid_input`, naming the option. */
  updateOf: (flags: Flags, api: Api) => Update | Promise<Update>;
  /** Completes an update of what was found; `note` says what it added. Throws, in words of the command line, for one that is refused. */
  complete?: (
    item: Item,
    fields: Update,
    flags: Flags,
    api: Api,
  ) => Promise<{ fields: Update; note: string | null }>;
  /** Further commands that update it: pause and resume. */
  actions?: Record<string, Action<Update>>;
  /** What is deleted with it, in the plural; null for nothing. */
  belongings: string | null;
  /** Why one cannot be deleted, so that nobody is asked in vain; null if nothing is known to be in the way. */
  whyKept?: (api: Api, id: string) => Promise<string | null>;
  /** The states by which many can be selected. */
  statuses: readonly Status[];
  /** Lists what `--all`, `--status` or `--selector` selects. */
  all: (api: Api, limits: Limits<Status>) => AsyncIterable<Listed & Selected>;
}

interface Action<Update> {
  description: string;
  update: Update;
}

/** Adds the commands to `group`. */
export function addResourceCommands<
  Item extends Named,
  Update extends object,
  Status extends string,
  Listed,
>(group: Command, context: Context, resource: Resource<Item, Update, Status, Listed>): void {
  const { noun, example, updateOf, complete, actions = {}, belongings } = resource;
  const named = (name: string, description: string, more = ''): Command =>
    withName(group.command(name), noun)
      .description(description)
      .addHelpText('after', `\nExample:\n  jobd ${noun}s ${name} ${example}${more}`);

  addListCommand(group, context, resource);
  if (resource.statuses.length > 0) {
    addLabelCommand(group, context, resource, (api) => selectable(resource, api));
  }

  named('get', `show a ${noun}`).action(async (name: string, flags: Flags) =>
    printItem(context, resource, flags, await resource.of(connect(context)).find(name)),
  );

  const update = named('update', `change the given fields of a ${noun}`, resource.exampleOptions);
  resource.withOptions(update).action(async (name: string, flags: Flags) => {
    const api = connect(context);
    const given = await updateOf(flags, api);
    if (Object.keys(given).length === 0)
      throw nothingToChange(noun, `${example}${resource.exampleOptions}`);
    const items = resource.of(api);
    const found = await items.find(name);
    keepLabels(found, given, flags);
    const completed = await complete?.(found, given, flags, api);
    const { fields, note } = completed ?? { fields: given, note: null };
    const changed = await items.update(found.id, fields);
    if (note !== null) context.output.say(note);
    await printItem(context, resource, flags, changed);
  });

  for (const [action, { description, update: fields }] of Object.entries(actions)) {
    const command = group.command(action).description(description);
    withSelection(command, noun, resource.statuses)
      .addHelpText('after', examplesOf(resource, action))
      .action(async (names: string[], flags: Flags) => {
        const api = connect(context, { waits: isForMany(names, flags) });
        const found = await select(names, flags, selectable(resource, api));
        if (isForMany(names, flags))
          return await actOn(context, resource, api, action, found, flags);
        const [first = { id: '', name: '' }] = found;
        const changed = await resource.of(api).update(first.id, fields);
        if (hasNothingToDo(action, first)) {
          context.output.say(`${plain(first.name)} ${notDoneWords(action)}`);
        } else if (action === 'pause' && changed.status !== 'paused') {
          context.output.say(`${plain(first.name)} is not paused: ${timeHasPassed}`);
        }
        await printItem(context, resource, flags, changed);
      });
  }

  const withBelongings = (whose: 'its' | 'their'): string =>
    belongings === null ? '' : ` and all ${whose} ${belongings}`;
  const remove = group.command('delete').description(`delete a ${noun}${withBelongings('its')}`);
  withSelection(remove, noun, resource.statuses)
    .option('--yes', 'do not ask')
    .addHelpText('after', examplesOf(resource, 'delete'))
    .action(async (names: string[], flags: Flags) => {
      const api = connect(context, { waits: isForMany(names, flags) });
      const found = await select(names, flags, selectable(resource, api));
      const [first] = found;
      const what =
        found.length === 1 && first !== undefined
          ? `${noun} ${plain(first.name)}${withBelongings('its')}`
          : `${counted(found.length, noun)}${withBelongings('their')}`;
      if (found.length === 1 && first !== undefined && flags['yes'] !== true) {
        const why = await resource.whyKept?.(api, first.id);
        if (typeof why === 'string') throw new JobdError('conflict', why);
      }
      if (found.length > 0) await confirm(`Delete ${what}?`, flags['yes'] === true);
      if (isForMany(names, flags))
        return await actOn(context, resource, api, 'delete', found, flags);
      if (first === undefined) return;
      await resource.of(api).delete(first.id);
      printDone(context.output, flags, `deleted ${plain(first.name)}`);
    });
}

function nothingToChange(noun: Noun, example: string): JobdError {
  const command = `jobd ${noun}s update`;
  const sentence = `say what to change: ${command} ${example}`;
  return new JobdError('usage', sentence, { notes: [`all options: ${command} --help`] });
}

function examplesOf(
  { noun, example, statuses }: { noun: string; example: string; statuses: readonly string[] },
  action: string,
): string {
  const yes = action === 'delete' ? ' --yes' : '';
  const byState = statuses.includes('down')
    ? `\n  jobd ${noun}s ${action} --status down${yes}`
    : '';
  return `\nExamples:\n  jobd ${noun}s ${action} ${example}${yes}\n  jobd ${noun}s ${action} --all${yes}${byState}`;
}

function selectable<Item extends Named, Update, Status extends string, Listed>(
  { noun, statuses, all, of }: Resource<Item, Update, Status, Listed>,
  api: Api,
): Selectable<Status> {
  return { noun, statuses, find: (text) => of(api).find(text), all: (limits) => all(api, limits) };
}

function addListCommand<Item extends Named, Update, Status extends string, Listed>(
  group: Command,
  context: Context,
  resource: Resource<Item, Update, Status, Listed>,
): void {
  const { noun, columns, statuses, leastText, optionalColumns: optional = [] } = resource;
  const { output } = context;
  const command = withWide(group.command('list')).description(
    `list all ${noun}s of the workspace, newest first`,
  );
  const example = `  jobd ${noun}s list`;
  const hasStatuses = statuses.length > 0;
  (hasStatuses ? withLimits(command, `only ${noun}s`, statuses) : command)
    .addHelpText(
      'after',
      hasStatuses ? `\nExamples:\n${example}\n${example} --status down` : `\nExample:\n${example}`,
    )
    .action(async (flags: Flags) => {
      const limits = limitsOf(flags, statuses);
      const { status } = limits;
      const api = connect(context);
      const found: (Item | Listed)[] = await Array.fromAsync<Item | Listed>(
        status === null ? resource.of(api).list(limits) : resource.all(api, limits),
      );
      if (flags['json']) return printJson(output, { [`${noun}s`]: found });
      const unfit =
        status === null ? `no ${noun} has such labels` : `no ${noun} has the status ${status}`;
      const isAll = limits.status === null && limits.selector === null;
      const none = isAll ? `there are no ${noun}s` : `${unfit}${commasAdvice(limits.selector)}`;
      const further = await resource.columnsOf?.(api, found);
      const isWide = flags['wide'] === true;
      printRows(output, found, { ...columns, ...further }, { none, optional, leastText, isWide });
    });
}

/** Adds the argument that names a resource. */
export function withName(command: Command, noun: string): Command {
  return command.argument(`<${noun}>`, `name of the ${noun}, its id or the beginning of its id`);
}

/** Prints one, as JSON or for people. */
export async function printItem<Item>(
  context: Context,
  { noun, print }: Pick<Resource<Item, unknown>, 'noun' | 'print'>,
  flags: Flags,
  item: Item,
): Promise<void> {
  const { output } = context;
  if (flags['json']) printJson(output, { [noun]: item });
  else await print(output, item, context);
}
