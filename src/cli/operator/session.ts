/** `jobd session`: who is signed in, in the database; works while the daemon runs. */

import { invalidInput } from '../../domain/errors.ts';
import { counted } from '../../domain/counted.ts';
import type { Session } from '../../domain/accounts/session.ts';
import { findOne, nameAndId, searchAmong } from '../client/find.ts';
import { withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { done, inIsoTimes, storeCommands, table, withYes } from './store-commands.ts';

export const addSessionCommands = storeCommands('session', 'list and end sessions of browsers', {
  list: {
    about: 'list the sessions of all workspaces',
    options: withWide,
    examples: ['session list --json'],
    async run({ open }) {
      const { listAllSessions } = await import('../../app/accounts/sessions.ts');
      return table(
        'sessions',
        (await listAllSessions(await open())).map(shape),
        {
          name: ({ name }) => name || null,
          workspace: ({ workspace }) => workspace,
          permission: permissionOf,
          created: ({ createdAt }) => moment(createdAt),
          'last seen': ({ lastSeenAt }) => moment(lastSeenAt),
          expires: ({ expiresAt }) => moment(expiresAt),
          id: ({ id }) => idCell(id),
        },
        { none: 'there are no sessions', optional: ['created', 'last seen', 'expires'] },
      );
    },
  },
  end: {
    about: 'end a session, or all of them',
    words: [['[session]', 'name of its key, its id or the beginning of its id']],
    options: (command) => withYes(command.option('--all', 'end the sessions of all workspaces')),
    examples: ['session end laptop', 'session end 019a9b1c-0000 --yes', 'session end --all --yes'],
    notes: 'A key that started a session can start another one: revoke it, too.',
    async run({ open, flags, confirm }, text?: string) {
      const isAll = flags['all'] === true;
      if (isAll === (text !== undefined)) throw invalidInput('name a session, or use --all');
      const sessions = await import('../../app/accounts/sessions.ts');
      if (text === undefined) {
        await confirm('End all sessions?');
        return done(`ended ${counted(await sessions.endAllSessions(await open()), 'session')}`);
      }
      const local = await open();
      const all = (await sessions.listAllSessions(local)).map((session) => ({
        ...shape(session),
        permission: permissionOf(session),
      }));
      const words = { noun: 'session', list: 'session list' };
      const found = await findOne(searchAmong(words, all), text);
      const named = nameAndId(found);
      await confirm(`End session ${named}?`);
      await sessions.endAnySession(local, found.id);
      return done(`ended ${named}`);
    },
  },
});

function permissionOf({ permission, isOwner }: Pick<Session, 'permission' | 'isOwner'>): string {
  return isOwner ? 'owner' : permission;
}

function shape<S extends Session>(session: S) {
  return inIsoTimes(session, ['createdAt', 'lastSeenAt', 'expiresAt']);
}
