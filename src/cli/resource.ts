/** The commands that jobs, monitors and channels share: list, get, update, pause, resume and delete. */

import type { Command } from 'commander';
import { clientConfig } from './client/settings.ts';
import type { Flags } from '../config.ts';
import { createApi } from './client/api.ts';
import type { Api, Collection } from './client/api.ts';
import type { Context } from './context.ts';
import { printDone, printJson, printRows } from './terminal/output.ts';
import type { Columns, Output } from './terminal/output.ts';
import { confirm } from './terminal/prompt.ts';
import { plain } from './terminal/text.ts';

export interface Resource<Item, Update> {
  noun: 'job' | 'monitor' | 'channel';
  /** The name that examples use. */
  example: string;
  of: (api: Api) => Collection<Item, Update>;
  /** The table of `list`. */
  columns: Columns<Item>;
  optionalColumns?: readonly string[];
  /** Prints one for people. */
  print: (output: Output, item: Item) => void | Promise<void>;
  /** Adds the options of `update`. */
  withOptions: (command: Command) => Command;
  /** What `update` adds to `jobd … update NAME` in its example. */
  exampleOptions: string;
  /** The fields that the options give. Throws `invalid_input`, naming the option. */
  updateOf: (flags: Flags) => Update | Promise<Update>;
  /** Throws for an update that the server would refuse, in words of the command line. */
  check?: (item: Item, update: Update) => void;
  /** Further commands that update it: pause and resume. */
  actions?: Record<string, { description: string; update: Update }>;
  /** What is deleted with it. */
  belongings: string;
}

/** Adds the commands to `group`. */
export function addResourceCommands<Item extends { id: string; name: string }, Update>(
  group: Command,
  context: Context,
  resource: Resource<Item, Update>,
): void {
  const { noun, example, updateOf, check, actions = {}, belongings } = resource;
  const { output } = context;
  const collection = (): Collection<Item, Update> => resource.of(createApi(clientConfig()));
  const named = (name: string, description: string, more = ''): Command =>
    withName(group.command(name), noun)
      .description(description)
      .addHelpText('after', `\nExample:\n  jobd ${noun}s ${name} ${example}${more}`);
  const change = async (name: string, flags: Flags, update: Update): Promise<void> => {
    const items = collection();
    const found = await items.find(name);
    check?.(found, update);
    await printItem(context, resource, flags, await items.update(found.id, update));
  };

  addListCommand(group, context, resource, collection);

  named('get', `show a ${noun}`).action(async (name: string, flags: Flags) =>
    printItem(context, resource, flags, await collection().find(name)),
  );

  const update = named('update', `change the given fields of a ${noun}`, resource.exampleOptions);
  resource
    .withOptions(update)
    .action(async (name: string, flags: Flags) => change(name, flags, await updateOf(flags)));

  for (const [action, { description, update: fields }] of Object.entries(actions)) {
    named(action, description).action((name: string, flags: Flags) => change(name, flags, fields));
  }

  named('delete', `delete a ${noun} and ${belongings}`, ' --yes')
    .option('--yes', 'do not ask')
    .action(async (name: string, flags: Flags) => {
      const items = collection();
      const item = await items.find(name);
      const question = `Delete ${noun} ${plain(item.name)} and ${belongings}?`;
      await confirm(question, flags['yes'] === true);
      await items.delete(item.id);
      printDone(output, flags, `deleted ${item.id}`);
    });
}

function addListCommand<Item, Update>(
  group: Command,
  { output }: Context,
  { noun, columns, optionalColumns: optional = [] }: Resource<Item, Update>,
  collection: () => Collection<Item, Update>,
): void {
  group
    .command('list')
    .description(`list all ${noun}s of the workspace, newest first`)
    .addHelpText('after', `\nExample:\n  jobd ${noun}s list`)
    .action(async (flags: Flags) => {
      const found = await Array.fromAsync(collection().list());
      if (flags['json']) return printJson(output, { [`${noun}s`]: found });
      printRows(output, found, columns, { none: `there are no ${noun}s`, optional });
    });
}

/** Adds the argument that names a resource. */
export function withName(command: Command, noun: string): Command {
  return command.argument(`<${noun}>`, `id or name of the ${noun}`);
}

/** Prints one, as JSON or for people. */
export async function printItem<Item, Update>(
  { output }: Context,
  { noun, print }: Resource<Item, Update>,
  flags: Flags,
  item: Item,
): Promise<void> {
  if (flags['json']) printJson(output, { [noun]: item });
  else await print(output, item);
}
