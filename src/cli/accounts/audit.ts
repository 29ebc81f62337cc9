/** `jobd audit`: who changed what, over the API. */

import type { Command } from 'commander';
import type { AuditEntry } from '../../api/accounts/contract.ts';
import { connect } from '../client/connect.ts';
import type { Flags } from '../../settings/config.ts';
import { auditActionWords } from '../../domain/accounts/audit.ts';
import { oftenWords } from '../../domain/accounts/audit-words.ts';
import { parseChoice } from '../../settings/setting.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit, withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';
import { findInTrail } from './trail-search.ts';

interface AuditFlags extends Flags {
  subject?: string;
  actor?: string;
  action?: string;
}

/** Adds the command. */
export function addAuditCommand(program: Command, context: Context): void {
  const { output } = context;
  withWide(withListLimit(program.command('audit')))
    .description('list who changed what, newest first')
    .option('--subject <subject>', 'only changes to this job, monitor, channel or key')
    .option('--actor <actor>', 'only changes by this key or session, or by commands of this user')
    .option('--action <action>', 'only this action, such as job.delete or job')
    .addHelpText(
      'after',
      `
Examples:
  jobd audit
  jobd audit --action job.delete --limit 10
  jobd audit --subject backup

A subject and an actor are given by name, id or the beginning of the id, as the
trail has them: also those that were deleted. A user is given whole.
It asks the server, with a key that may write.`,
    )
    .action(async ({ action: word, ...flags }: AuditFlags) => {
      const action = word && parseChoice(word, '--action', auditActionWords);
      const api = connect(context);
      const { subject, actor } = await findInTrail(api, flags);
      const found = await api.audit({ subject, actor, action }, listLimitOf(flags));
      if (flags['json']) return printJson(output, found);
      const isFiltered = [subject, actor, action].some((given) => given !== undefined);
      const none = isFiltered ? 'no entry matches' : 'nobody has changed anything';
      printRows(
        output,
        found.entries,
        {
          at: ({ at }) => moment(at),
          who: ({ actor: { type, name, id } }) =>
            name === '' ? idCell(id, type) : `${type} ${name}`,
          from: fromOf,
          action: whatOf,
          name: ({ subject: { name } }) => name,
          id: ({ subject: { id } }) => idCell(id),
          'actor id': ({ actor: { type, id } }) => (type === 'command' ? id : idCell(id)),
        },
        { none, optional: ['from', 'actor id'], isWide: flags['wide'] === true },
      );
      if (found.isPartial) output.say('older changes were not searched: use --json and nextCursor');
    });
}

/** What a proxy claims comes first: if it is true, it is where the person is. */
function fromOf({ address, forwardedFor }: AuditEntry): string | null {
  return forwardedFor === null ? address : `${forwardedFor} via ${address ?? 'unknown'}`;
}

function whatOf({ action, fields, count, runId }: AuditEntry): string {
  if (runId !== undefined) return `${action} (run ${runId})`;
  const changed = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return `${action}${changed}${oftenWords({ action, count })}`;
}
