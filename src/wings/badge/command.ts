/** `jobd badges`: pictures of a state, over the API. */

import type { Command } from 'commander';
import { pages } from '../../cli/client/client.ts';
import { connect } from '../../cli/client/connect.ts';
import { findOne, searchAmong } from '../../cli/client/find.ts';
import { path } from '../../cli/client/path.ts';
import { askOnce } from '../../cli/client/retry.ts';
import type { Context } from '../../cli/context.ts';
import { withWide } from '../../cli/options.ts';
import { withName } from '../../cli/resource.ts';
import { fitsNothing, selectorOf, withSelector } from '../../cli/selection.ts';
import { idCell, moment } from '../../cli/terminal/cell.ts';
import { printDone, printFields, printJson, printRows } from '../../cli/terminal/output.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import { plain } from '../../cli/terminal/text.ts';
import { isThisMachine } from '../../domain/client-address.ts';
import type { Flags } from '../../settings/config.ts';
import type { Badge, BadgeMade } from './contract.ts';

/** Adds the commands. */
export function addBadgeCommands(program: Command, context: Context): void {
  const { output } = context;
  const group = program
    .command('badges')
    .description('manage pictures of a state, for anybody who has their address');
  withSelector(group.command('create'), 'only jobs and monitors')
    .description('create a badge, of all jobs and monitors or of some')
    .requiredOption('--name <name>', 'what it says before the state: everybody sees it')
    .addHelpText('after', '\nExample:\n  jobd badges create --name acme --selector client=acme')
    .action(async (flags: Flags) => {
      const api = connect(context, { waits: true });
      const input = { name: flags['name'], selector: selectorOf(flags) };
      const made = await askOnce<BadgeMade>(api.ask, '/badges', input);
      if (flags['json']) return printJson(output, made);
      const { badge, pictureUrl, stateUrl } = made;
      printFields(output, {
        name: badge.name,
        about: badge.selector ?? 'all',
        picture: pictureUrl,
        JSON: stateUrl,
        id: badge.id,
      });
      output.say('Keep the addresses: they are not shown again.');
      if (isThisMachine(new URL(pictureUrl).hostname)) output.say(onlyHere);
      const nothing = await fitsNothing(badge.selector, api);
      if (nothing !== null) output.say(nothing);
    });
  withWide(group.command('list'))
    .description('list all badges of the workspace, newest first')
    .addHelpText('after', '\nExample:\n  jobd badges list')
    .action(async (flags: Flags) => {
      const badges = await listAll(context);
      if (flags['json']) return printJson(output, { badges });
      printRows(
        output,
        badges,
        {
          name: ({ name }) => name,
          about: ({ selector }) => selector ?? 'all',
          created: ({ createdAt }) => moment(createdAt),
          id: ({ id }) => idCell(id),
        },
        { none: 'there are no badges', optional: ['id'], isWide: flags['wide'] === true },
      );
    });
  withName(group.command('delete'), 'badge')
    .description('delete a badge: its addresses show nothing any more')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  jobd badges delete acme --yes')
    .action(async (text: string, flags: Flags) => {
      const words = { noun: 'badge', list: 'badges list' };
      const { id, name } = await findOne(searchAmong(words, await listAll(context)), text);
      await confirm(`Delete badge ${plain(name)}?`, flags['yes'] === true);
      await connect(context).ask('DELETE', path`/badges/${id}`);
      printDone(output, flags, `deleted ${plain(name)}`);
    });
}

const onlyHere = 'They are for this machine: with jobd serve --base-url URL others see them too.';

async function listAll(context: Context): Promise<Badge[]> {
  return await Array.fromAsync(pages<Badge>(connect(context).ask, '/badges', 'badges'));
}
