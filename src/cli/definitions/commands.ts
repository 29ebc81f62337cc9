/** `jobd export`, `jobd diff` and `jobd apply`: jobs as files of definitions, over the API. */

import type { Command } from 'commander';
import { collect } from '../options.ts';
import type { Context } from '../context.ts';
import type { ApplyFlags, PlanFlags } from './actions.ts';

/** Adds the commands. */
export function addDefinitionCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write all jobs as a file of definitions, for a repository')
    .addHelpText(
      'after',
      '\nThe values of headers are never shown: the file names variables for them.\n\nExample:\n  jobd export > jobs.yaml',
    )
    .action(async (flags: { json?: true }) => (await actions()).exportAll(context, flags));

  withFiles(program.command('diff'))
    .description('show what applying files of definitions would change')
    .addHelpText(
      'after',
      '\nEnds with 0 if nothing would change, with 1 if something would.\n\nExamples:\n' +
        '  jobd diff -f jobs.yaml\n  jobd diff -f jobs/ --prune',
    )
    .action(async (flags: PlanFlags) => (await actions()).diff(context, flags));

  withFiles(program.command('apply'))
    .description('make the jobs what files of definitions say')
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'do not ask before jobs are deleted')
    .addHelpText(
      'after',
      '\nJobs are matched by their keys. Jobs made by hand have none: they are never\nchanged or deleted.\n\nExamples:\n' +
        '  jobd apply -f jobs.yaml --dry-run\n  jobd apply -f jobs/ --prune --yes',
    )
    .action(async (flags: ApplyFlags) => (await actions()).apply(context, flags));
}

/** Reading and comparing files costs packages that no other command should wait for. */
const actions = () => import('./actions.ts');

function withFiles(command: Command): Command {
  return command
    .requiredOption(
      '-f, --file <path>',
      'file or directory; may be repeated; - is standard input',
      collect,
    )
    .option('--prune', 'delete managed jobs that are not in the files');
}
