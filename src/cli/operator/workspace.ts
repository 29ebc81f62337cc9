/** `jobd workspace`: workspaces, in the database. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import type { Workspace } from '../../domain/accounts/account.ts';
import { isWide, withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printDone, printFields, printJson, printRows } from '../terminal/output.ts';
import type { Columns } from '../terminal/output.ts';

/** Adds the commands. */
export function addWorkspaceCommands(program: Command, { output }: Context): void {
  const workspace = program.command('workspace').description('create, list and delete workspaces');

  workspace
    .command('create')
    .argument('<name>', 'name of the workspace')
    .description('create a workspace')
    .option('--account <name>', 'account of the workspace', 'default')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd workspace create staging --account acme')
    .action(async (name: string, flags: Flags & { account: string }) => {
      await using local = await openStoreFor(flags, output);
      const { createWorkspace } = await import('../../app/accounts/workspaces.ts');
      const { account } = flags;
      const made = shape({ ...(await createWorkspace(local, { name, account })), account });
      if (flags['json']) printJson(output, made);
      else
        printFields(output, {
          name: made.name,
          account,
          created: moment(made.createdAt),
          id: made.id,
        });
    });

  withWide(workspace.command('list'))
    .description('list all workspaces')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd workspace list')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listWorkspaces } = await import('../../app/accounts/workspaces.ts');
      const found = (await listWorkspaces(local)).map(shape);
      if (flags['json']) return printJson(output, { workspaces: found });
      const columns: Columns<(typeof found)[0]> = {
        name: ({ name }) => name,
        account: ({ account }) => account,
        id: ({ id }) => idCell(id),
      };
      printRows(output, found, columns, { isWide: isWide(flags) });
    });

  workspace
    .command('delete')
    .argument('<name>', 'name of the workspace')
    .description('delete a workspace with all its jobs, monitors, results and keys')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd workspace delete staging --yes')
    .action(async (name: string, flags: Flags) => {
      const question = `Delete workspace ${name} with all its jobs, monitors, results and keys?`;
      await confirm(question, flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const { deleteWorkspace } = await import('../../app/accounts/workspaces.ts');
      await deleteWorkspace(local, name);
      printDone(output, flags, `deleted workspace ${name}`);
    });
}

/** A workspace as JSON. */
function shape({ id, name, account, createdAt }: Workspace & { account: string }) {
  return { id, name, account, createdAt: isoTimeOrNull(createdAt) };
}
