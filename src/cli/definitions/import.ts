/** `jobd import`: what other schedulers run, as files of definitions. */

import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { CrontabFlags } from './import-crontab.ts';

/** Adds the commands. */
export function addImportCommands(program: Command, context: Context): void {
  program
    .command('import')
    .description('turn what other schedulers run into jobs')
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
