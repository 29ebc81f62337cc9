/** `jobd help`, `jobd completion` and `jobd man`: documentation made from the commands. */

import { Argument, type Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { version } from '../../version.ts';
import type { Context } from '../context.ts';
import { environment } from '../../settings/variables.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson, printRows, type Output } from '../terminal/output.ts';
import type { Shell } from './completion.ts';
import { padTo, wrapTo } from '../terminal/text.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** Names with their meaning. */
type Topic = readonly (readonly [name: string | number, meaning: string])[];

/** Help about other things than commands. */
const topics: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ['exit-codes', exitCodes],
  ['environment', environment],
]);

/** Adds the commands. They document all commands of `program`. */
export function addHelpCommands(program: Command, { output }: Context): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'a command, exit-codes or environment')
    .description('show help for a command, the exit codes or the environment variables')
    .option('--json', 'for exit-codes and environment: print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  jobd help jobs create\n  jobd help exit-codes\n  jobd help environment --json',
    )
    .action((words: string[], flags: Flags) => {
      const topic = topics.get(words.join(' '));
      if (topic === undefined) commandOf(program, words).outputHelp();
      else if (flags['json']) printJson(output, Object.fromEntries(topic));
      else printTopic(output, topic);
    });

  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .description('print a shell completion script')
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
}

function printTopic(output: Output, rows: Topic): void {
  if (!output.isTerminal) {
    return printRows(output, rows, { name: ([name]) => name, meaning: ([, meaning]) => meaning });
  }
  const width = Math.max(...rows.map(([name]) => String(name).length)) + 2;
  for (const [name, meaning] of rows) {
    wrapTo(meaning, Math.max(output.width - width, 20)).forEach((line, index) =>
      output.data(padTo(index === 0 ? String(name) : '', width) + line),
    );
  }
}

/** The command that the words name. Fails as commander does for an unknown one. */
function commandOf(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find(
      (child) => child.name() === word || child.aliases().includes(word),
    );
    if (found !== undefined) return found;
    return command.error(`error: unknown command '${word}'`);
  }, program);
}
