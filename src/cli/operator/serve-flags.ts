/** The options of `jobd serve`, for it and for who reads the command of a daemon. */

import { Command } from 'commander';
import { ifPossible } from '../../domain/errors.ts';
import type { Flags } from '../../settings/config.ts';
import { serveFlags } from '../../settings/serve-settings.ts';
import { collect } from '../options.ts';

/** Adds the flags of `jobd serve`. */
export function withServeFlags(command: Command): Command {
  for (const { flag, help, isList } of serveFlags) {
    if (isList) command.option(flag, help, collect);
    else command.option(flag, help);
  }
  return command;
}

/** Those in the words of a command that has `serve` in it, as it reads them itself; none if it would refuse them. */
export function flagsIn(words: readonly string[]): Flags {
  const at = words.indexOf('serve');
  const command = withServeFlags(new Command()).exitOverride().helpOption(false);
  command.configureOutput({ writeErr: () => {} });
  const own = at === -1 ? [] : words.slice(at + 1);
  return ifPossible(() => command.parse(own, { from: 'user' }).opts()) ?? {};
}
