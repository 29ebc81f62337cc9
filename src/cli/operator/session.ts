/** `jobd session`: who is signed in, in the database; works while the daemon runs. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Session } from '../../domain/accounts/session.ts';
import { findOne, nameAndId, searchAmong } from '../client/find.ts';
import type { Named } from '../client/find.ts';
import { isWide, withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printDone, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../../domain/counted.ts';

/** Adds the commands. */
export function addSessionCommands(program: Command, { output }: Context): void {
  const session = program.command('session').description('list and end sessions of browsers');
  addListCommand(session, output);
  addEndCommand(session, output);
}

function addListCommand(session: Command, output: Output): void {
  withWide(session.command('list'))
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
          name: ({ name }) => name || null,
          workspace: ({ workspace }) => workspace,
          permission: permissionOf,
          created: ({ createdAt }) => moment(isoTime(createdAt)),
          'last seen': ({ lastSeenAt }) => moment(isoTime(lastSeenAt)),
          expires: ({ expiresAt }) => moment(isoTime(expiresAt)),
          id: ({ id }) => idCell(id),
        },
        {
          none: 'there are no sessions',
          optional: ['created', 'last seen', 'expires'],
          isWide: isWide(flags),
        },
      );
    });
}

function addEndCommand(session: Command, output: Output): void {
  session
    .command('end')
    .argument('[session]', 'name of its key, its id or the beginning of its id')
    .description('end a session, or all of them')
    .option('--all', 'end the sessions of all workspaces')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd session end laptop
  jobd session end 019a9b1c-0000 --yes
  jobd session end --all --yes

A key that started a session can start another one: revoke it, too.`,
    )
    .action(async (text: string | undefined, flags: Flags) => {
      const isAll = flags['all'] === true;
      if (isAll === (text !== undefined)) throw invalidInput('name a session, or use --all');
      if (text === undefined) await confirm('End all sessions?', flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const sessions = await import('../../app/accounts/sessions.ts');
      if (text === undefined) {
        const ended = await sessions.endAllSessions(local);
        return printDone(output, flags, `ended ${counted(ended, 'session')}`);
      }
      const all = (await sessions.listAllSessions(local)).map(namedOf);
      const found = await findOne(
        searchAmong({ noun: 'session', list: 'session list' }, all),
        text,
      );
      const named = nameAndId(found);
      await confirm(`End session ${named}?`, flags['yes'] === true);
      await sessions.endAnySession(local, found.id);
      printDone(output, flags, `ended ${named}`);
    });
}

function namedOf(session: Session & { workspace: string }): Named {
  const { id, name, workspace, createdAt } = session;
  return { id, name, permission: permissionOf(session), workspace, createdAt: isoTime(createdAt) };
}

function permissionOf({ permission, isOwner }: Session): string {
  return isOwner ? 'owner' : permission;
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
