/** `jobd licenses`: the licences of the bundled software. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';

/** Adds the command. */
export function addLicensesCommand(program: Command, { output }: Context): void {
  program
    .command('licenses')
    .description('print the licences of the bundled software')
    .addHelpText('after', '\nExample:\n  jobd licenses | less')
    .action(async (flags: Flags) => {
      const { readLicenses } = await import('../../base/built-files.ts');
      const text = await readLicenses();
      if (flags['json']) printJson(output, { text });
      else output.data(text);
    });
}
