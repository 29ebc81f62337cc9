/** The commands as data, for completion and the man page. */

import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';

export interface CommandNode {
  /** The words after `jobd`; empty for jobd itself. */
  path: readonly string[];
  description: string;
  usage: string;
  options: readonly OptionNode[];
  /** Names of the arguments, as in `<job>`. */
  args: readonly { name: string; choices: readonly string[] }[];
  /** The text after the options in its help: examples and notes. */
  epilogue: string;
  children: readonly CommandNode[];
}

export interface OptionNode {
  /** Such as `--name <name>`. */
  flags: string;
  /** Without its dashes. */
  long: string;
  takesValue: boolean;
  description: string;
}

/** Reads a command and its subcommands. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  return {
    path,
    description: command.description(),
    usage: `${['jobd', ...path].join(' ')} ${command.usage()}`,
    options: help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((option) => ({
        flags: option.flags,
        long: (option.long ?? '').slice(2),
        takesValue: option.required || option.optional,
        description: help.optionDescription(option),
      })),
    args: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      choices: argument.argChoices ?? [],
    })),
    epilogue: epilogueOf(command),
    children: command.commands
      .filter((child) => child.name() !== 'help' || path.length === 0)
      .map((child) => commandTree(child, [...path, child.name()])),
  };
}

/** Lists a command and its subcommands, in the order of the help. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(allCommands)];
}

/** The text that `addHelpText` added: commander only gives it by printing it. */
function epilogueOf(command: Command): string {
  let printed = '';
  const emitter = command as unknown as EventEmitter;
  emitter.emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => {
      printed += text;
    },
  });
  return printed.trim();
}
