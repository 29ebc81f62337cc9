/** `jobd help`, `jobd completion` and `jobd man`: what there is to know about the commands. */

import { Argument } from 'commander';
import type { Command } from 'commander';
import type { Flags } from '../../config.ts';
import { version } from '../../version.ts';
import type { Context } from '../context.ts';
import { environment } from './environment.ts';
import { exitCodes } from './exit-codes.ts';
import { printJson, printRows } from '../terminal/output.ts';
import { shells } from './shells.ts';
import type { Shell } from './shells.ts';
import { padTo } from '../terminal/text.ts';

/** Names, and what each means. */
type Topic = readonly (readonly [name: string | number, means: string])[];

/** What there is help about besides commands. */
const topics: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ['exit-codes', exitCodes],
  ['environment', environment],
]);

/** Adds the commands; they tell of all commands that are added to `program`. */
export function addHelpCommands(program: Command, { output }: Context): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'a command, exit-codes or environment')
    .description('show what a command does, the exit codes, or the variables of the environment')
    .option('--json', 'exit-codes and environment: print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  jobd help jobs create\n  jobd help exit-codes\n  jobd help environment --json',
    )
    .action((words: string[], flags: Flags) => {
      const topic = topics.get(words.join(' '));
      if (topic === undefined) commandOf(program, words).outputHelp();
      else if (flags['json']) printJson(output, Object.fromEntries(topic));
      else printTopic(topic);
    });

  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .description('print a script that completes commands and options in a shell')
    .option('--json', 'print the script as a JSON string')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  source <(jobd completion bash)\n' +
        '  jobd completion zsh > ~/.zfunc/_jobd\n' +
        '  jobd completion fish > ~/.config/fish/completions/jobd.fish',
    )
    .action(async (shell: Shell, flags: Flags) => {
      const { completionScript } = await import('./completion.ts');
      const { commandTree } = await import('./command-tree.ts');
      const script = completionScript(shell, commandTree(program));
      if (flags['json']) printJson(output, script);
      else output.data(script.trimEnd());
    });

  program
    .command('man')
    .description('print the manual page')
    .option('--json', 'print the page as a JSON string')
    .addHelpText(
      'after',
      '\nExamples:\n  jobd man | man -l -\n  jobd man > /usr/local/share/man/man1/jobd.1',
    )
    .action(async (flags: Flags) => {
      const { manPage } = await import('./man.ts');
      const { commandTree } = await import('./command-tree.ts');
      const page = manPage(commandTree(program), version);
      if (flags['json']) printJson(output, page);
      else output.data(page.trimEnd());
    });

  /** Names stay whole, and what they mean is wrapped behind them. */
  function printTopic(rows: Topic): void {
    if (!output.isTerminal) {
      return printRows(output, rows, { name: ([name]) => name, means: ([, means]) => means });
    }
    const width = Math.max(...rows.map(([name]) => String(name).length)) + 2;
    for (const [name, means] of rows) {
      wrap(means, Math.max(output.width - width, 20)).forEach((line, index) =>
        output.data(padTo(index === 0 ? String(name) : '', width) + line),
      );
    }
  }
}

/** The command that the words name; unknown ones are refused as commander does it, with the nearest one. */
function commandOf(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find(
      (child) => child.name() === word || child.aliases().includes(word),
    );
    if (found !== undefined) return found;
    return command.error(`error: unknown command '${word}', jobd --help lists them`);
  }, program);
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
