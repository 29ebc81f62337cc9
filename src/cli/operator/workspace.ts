/** `jobd workspace`: workspaces, in the database. */

import { isoTimeOrNull } from '../../domain/clock.ts';
import type { Workspace } from '../../domain/accounts/account.ts';
import { withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { printFields } from '../terminal/output.ts';
import { done, printed, storeCommands, table, withYes } from './store-commands.ts';

export const addWorkspaceCommands = storeCommands(
  'workspace',
  'create, list and delete workspaces',
  {
    create: {
      about: 'create a workspace',
      words: [['<name>', 'name of the workspace']],
      options: (command) =>
        command.option('--account <name>', 'account of the workspace', 'default'),
      examples: ['workspace create staging --account acme'],
      async run({ open, flags }, name = '') {
        const { createWorkspace } = await import('../../app/accounts/workspaces.ts');
        const account = String(flags['account']);
        const made = shape({
          ...(await createWorkspace(await open(), { name, account })),
          account,
        });
        const { id, createdAt } = made;
        const fields = { name: made.name, account, created: moment(createdAt), id };
        return printed(made, (output) => printFields(output, fields));
      },
    },
    list: {
      about: 'list all workspaces',
      options: withWide,
      examples: ['workspace list'],
      async run({ open }) {
        const { listWorkspaces } = await import('../../app/accounts/workspaces.ts');
        return table('workspaces', (await listWorkspaces(await open())).map(shape), {
          name: ({ name }) => name,
          account: ({ account }) => account,
          id: ({ id }) => idCell(id),
        });
      },
    },
    delete: {
      about: 'delete a workspace with all its jobs, monitors, results and keys',
      words: [['<name>', 'name of the workspace']],
      options: withYes,
      examples: ['workspace delete staging --yes'],
      async run({ open, confirm }, name = '') {
        await confirm(`Delete workspace ${name} with all its jobs, monitors, results and keys?`);
        const { deleteWorkspace } = await import('../../app/accounts/workspaces.ts');
        await deleteWorkspace(await open(), name);
        return done(`deleted workspace ${name}`);
      },
    },
  },
);

/** A workspace as JSON. */
function shape({ id, name, account, createdAt }: Workspace & { account: string }) {
  return { id, name, account, createdAt: isoTimeOrNull(createdAt) };
}
