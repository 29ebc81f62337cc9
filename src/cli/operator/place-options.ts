/** The options of commands that open the database themselves: where it is. */

import { Option, type Command } from 'commander';

/** `--data`: a file in this directory. */
export const dataOption = new Option('--data <dir>', 'data directory');

/** `--database`: on a server. */
export const databaseOption = new Option(
  '--database <url>',
  'PostgreSQL database, if it is no file; without a password',
);

/** Adds both. */
export function withPlace(command: Command): Command {
  return command.addOption(dataOption).addOption(databaseOption);
}
