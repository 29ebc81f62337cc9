/** `jobd export`, `jobd diff`, `jobd apply` and `jobd import`: jobs as files of definitions. */

import type { Command } from 'commander';
import { collect } from '../options.ts';
import type { Context } from '../context.ts';
import type { ApplyFlags, PlanFlags } from './actions.ts';
import type { CrontabFlags } from './import-crontab.ts';

/** Adds the commands. */
export function addDefinitionCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write all jobs to a definition file, for a repository')
    .addHelpText(
      'after',
      '\nThe values of headers are never shown: the file names variables for them.\n\nExample:\n  jobd export > jobs.yaml',
    )
    .action(async (flags: { json?: true }) => (await actions()).exportAll(context, flags));

  withFiles(program.command('diff'))
    .description('show what applying definition files would change')
    .addHelpText(
      'after',
      '\nEnds with 0 if nothing would change, with 1 if something would.\n\nExamples:\n' +
        '  jobd diff -f jobs.yaml\n  jobd diff -f jobs/ --prune',
    )
    .action(async (flags: PlanFlags) => (await actions()).diff(context, flags));

  withFiles(program.command('apply'))
    .description('create and change jobs as definition files say')
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'do not ask before jobs are deleted')
    .addHelpText(
      'after',
      '\nJobs are matched by their keys. Jobs made by hand have none: they are never\nchanged or deleted.\n\nExamples:\n' +
        '  jobd apply -f jobs.yaml --dry-run\n  jobd apply -f jobs/ --prune --yes',
    )
    .action(async (flags: ApplyFlags) => (await actions()).apply(context, flags));
}

/** Reading and comparing files loads packages that no other command should wait for. */
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

/** Adds `jobd import`. */
export function addImportCommands(program: Command, context: Context): void {
  program
    .command('import')
    .description('turn the lines of a crontab into jobs')
    .command('crontab')
    .argument('[file]', 'the crontab; standard input if it is - or not given')
    .description('turn lines that call a URL by curl or wget into a file of definitions')
    .option('--system', 'the lines have a column with the user, as in /etc/crontab')
    .option('--tz <zone>', 'IANA time zone of the times (default: the one of this machine)')
    .option(
      '--variables <file>',
      'write the values that may be secret to this new file, for a shell',
    )
    .option('--apply', 'make the jobs, and write no file')
    .addHelpText(
      'after',
      '\nWhat is not certain is not turned, but listed; the command then ends with 1.\n\nExamples:\n' +
        '  crontab -l | jobd import crontab > jobs.yaml\n' +
        '  jobd import crontab /etc/crontab --system --variables secrets.env > jobs.yaml\n' +
        '  set -a; . ./secrets.env; set +a; jobd apply -f jobs.yaml',
    )
    .action(async (file: string | undefined, flags: CrontabFlags) => {
      const { importCrontab } = await import('./import-crontab.ts');
      await importCrontab(context, file, flags);
    });
}
