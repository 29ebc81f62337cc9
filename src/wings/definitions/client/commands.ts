/** `jobd export`, `jobd diff`, `jobd apply`, `jobd schema` and `jobd import`: jobs, monitors and channels in files. */

import type { Command } from 'commander';
import { collect } from '../../../cli/options.ts';
import type { Context } from '../../../cli/context.ts';
import type { ApplyFlags, PlanFlags } from './actions.ts';
import type { CrontabFlags } from './crontab.ts';

/** Adds the commands. */
export function addDefinitionCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write all jobs, monitors and channels to a definition file')
    .addHelpText(
      'after',
      '\nThe values of headers and of the config of channels are never shown: the file\nnames variables for them.\n\nExample:\n  jobd export > jobs.yaml',
    )
    .action(async (flags: { json?: true }) => (await actions()).printExport(context, flags));

  withFiles(program.command('diff'))
    .description('show what applying definition files would change')
    .addHelpText(
      'after',
      '\nEnds with 0 if nothing would change, with 1 if something would: also if\nit would only adopt what was made by hand.\n\nExamples:\n' +
        '  jobd diff -f jobs.yaml\n  jobd diff -f jobs/ --prune',
    )
    .action(async (flags: PlanFlags) => (await actions()).diff(context, flags));

  withFiles(program.command('apply'))
    .description('create and change what definition files define')
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'do not ask before anything is deleted')
    .addHelpText(
      'after',
      '\nJobs, monitors and channels are matched by their keys. Those made by hand have\nnone, and stay as they are until a file adopts them, as one of an export does.\n\nExamples:\n' +
        '  jobd apply -f jobs.yaml --dry-run\n  jobd apply -f jobs/ --prune --yes',
    )
    .action(async (flags: ApplyFlags) => (await actions()).apply(context, flags));

  program
    .command('schema')
    .description('print the JSON Schema of definition files, for editors')
    .addHelpText(
      'after',
      '\nWith this as its first line, editors complete and check a definition file:\n' +
        '  # yaml-language-server: $schema=jobd.schema.json\n\n' +
        'Example:\n  jobd schema > jobd.schema.json',
    )
    .action(async () => (await actions()).printSchema(context));
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
    .option('--prune', 'delete managed jobs, monitors and channels that are not in the files');
}

/** Adds `jobd import`. */
export function addImportCommands(program: Command, context: Context): void {
  program
    .command('import')
    .description('turn the lines of a crontab into jobs and monitors')
    .command('crontab')
    .argument('[file]', 'the crontab; standard input if it is - or not given')
    .description(
      'turn lines into definitions: a call by curl or wget into a job, a command into a monitor',
    )
    .option(
      '--system',
      'the lines have a column with the user; known of /etc/crontab and /etc/cron.d',
    )
    .option('--tz <zone>', 'IANA time zone of the times (default: the one of this machine)')
    .option(
      '--variables <file>',
      'write the values that may be secret to this new file, for a shell',
    )
    .option('--apply', 'make the jobs and monitors, and write no file')
    .addHelpText(
      'after',
      '\nA line that runs a command stays in the crontab: it is shown as it should be, so\nthat it reports to its monitor. What is not certain is not turned, but listed;\nthe command then ends with 1.\n\nExamples:\n' +
        '  crontab -l | jobd import crontab > jobs.yaml\n' +
        '  jobd import crontab /etc/crontab --system --variables secrets.env > jobs.yaml\n' +
        '  set -a; . ./secrets.env; set +a; jobd apply -f jobs.yaml',
    )
    .action(async (file: string | undefined, flags: CrontabFlags) => {
      const { importCrontab } = await import('./crontab.ts');
      await importCrontab(context, file, flags);
    });
}
