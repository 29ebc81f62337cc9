/** `jobd audit`: who changed what, over the API. */

import type { Command } from 'commander';
import type { AuditEntry } from '../../api/accounts/contract.ts';
import { createApi } from '../client/api.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit } from '../options.ts';
import { moment } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';

interface AuditFlags extends Flags {
  subject?: string;
  actor?: string;
  action?: string;
}

/** Adds the command. */
export function addAuditCommand(program: Command, { output }: Context): void {
  withListLimit(program.command('audit'))
    .description('list who changed what, newest first')
    .option('--subject <id>', 'only changes to this job, monitor, channel or key')
    .option('--actor <id>', 'only changes by this key or session, or by commands of this user')
    .option('--action <action>', 'only this action, such as job.delete or job')
    .addHelpText(
      'after',
      `
Examples:
  jobd audit
  jobd audit --action job.delete --limit 10`,
    )
    .action(async ({ subject, actor, action, ...flags }: AuditFlags) => {
      const api = createApi(clientConfig());
      const found = await api.audit({ subject, actor, action }, listLimitOf(flags));
      if (flags['json']) return printJson(output, found);
      printRows(
        output,
        found.entries,
        {
          at: ({ at }) => moment(at),
          who: ({ actor: { type, name, id } }) => `${type} ${name === '' ? id : name}`,
          from: ({ address }) => address,
          action: whatOf,
          name: ({ subject: { name } }) => name,
          id: ({ subject: { id } }) => id,
        },
        { none: 'nobody has changed anything', optional: ['from'] },
      );
      if (found.isPartial) output.say('older changes were not searched: use --json and nextCursor');
    });
}

function whatOf({ action, fields }: AuditEntry): string {
  return fields.length === 0 ? action : `${action} (${fields.join(', ')})`;
}
