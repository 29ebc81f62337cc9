/** `jobd session`: who is signed in, in the database; works while the daemon runs. */

import type { Command } from 'commander';
import type { Flags } from '../../config.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Session } from '../../domain/accounts/session.ts';
import { moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place.ts';
import { printDone, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Adds the commands. */
export function addSessionCommands(program: Command, { output }: Context): void {
  const session = program.command('session').description('list and end sessions of browsers');
  addListCommand(session, output);
  addEndCommand(session, output);
}

function addListCommand(session: Command, output: Output): void {
  session
    .command('list')
    .description('list the sessions of all workspaces')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd session list --json')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listAllSessions } = await import('../../app/accounts/sessions.ts');
      const sessions = await listAllSessions(local);
      if (flags['json']) return printJson(output, { sessions: sessions.map(shape) });
      printRows(
        output,
        sessions,
        {
          id: ({ id }) => id,
          workspace: ({ workspace }) => workspace,
          name: ({ name }) => name,
          permission: ({ permission, isOwner }) => (isOwner ? 'owner' : permission),
          created: ({ createdAt }) => moment(isoTime(createdAt)),
          'last seen': ({ lastSeenAt }) => moment(isoTime(lastSeenAt)),
          expires: ({ expiresAt }) => moment(isoTime(expiresAt)),
        },
        { none: 'there are no sessions', optional: ['created', 'last seen', 'expires'] },
      );
    });
}

function addEndCommand(session: Command, output: Output): void {
  session
    .command('end')
    .argument('[id]', 'id of the session; jobd session list shows it')
    .description('end a session, or all of them')
    .option('--all', 'end the sessions of all workspaces')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd session end 019a9b1c-0000-7000-8000-000000000000 --yes
  jobd session end --all --yes

A key that started a session can start another one: revoke it, too.`,
    )
    .action(async (id: string | undefined, flags: Flags) => {
      const isAll = flags['all'] === true;
      if (isAll === (id !== undefined)) throw invalidInput('give the id of a session, or --all');
      await confirm(
        id === undefined ? 'End all sessions?' : `End session ${id}?`,
        flags['yes'] === true,
      );
      await using local = await openStoreFor(flags, output);
      const { endAllSessions, endAnySession } = await import('../../app/accounts/sessions.ts');
      if (id === undefined) {
        const ended = await endAllSessions(local);
        return printDone(output, flags, `ended ${ended} ${ended === 1 ? 'session' : 'sessions'}`);
      }
      await endAnySession(local, id);
      printDone(output, flags, `ended ${id}`);
    });
}

/** A session as JSON, with ISO 8601 times. */
function shape<S extends Session>(session: S) {
  return {
    ...session,
    createdAt: isoTime(session.createdAt),
    lastSeenAt: isoTime(session.lastSeenAt),
    expiresAt: isoTime(session.expiresAt),
  };
}
