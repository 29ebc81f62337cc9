import { Type, type Static } from 'typebox';
import { permissions } from '../../domain/accounts/key.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';

const workspace = { id: '0199c6a0-1b2c-7d3e-8f40-51627384a5b6', name: 'production' };
const other = { id: '0199c6a0-2c3d-7e4f-8a51-62738495a6b7', name: 'staging' };
const sessionId = '0199c6a4-5d6e-7f80-9a1b-2c3d4e5f6071';
const session = {
  id: sessionId,
  workspace,
  permission: 'write',
  isOwner: true,
  expiresAt: '2025-10-16T08:00:00.000Z',
};

export const SignIn = t.input(
  'SignIn',
  'A key, or the code of a link that `jobd open` printed: one of them.',
  [{ code: '00112233445566778899aabbccddeeff' }, { key: `cp_${'0123456789abcdef'.repeat(4)}` }],
  t.optional({
    key: t.text('A key. The session may do what the key may do, and ends when it is revoked.'),
    code: t.text('A code. It works once.'),
  }),
);
export type SignIn = Static<typeof SignIn>;

export const SessionMove = t.input(
  'SessionMove',
  'The workspace to act in from now on.',
  [{ workspaceId: other.id }],
  { workspaceId: t.id('A workspace of the same account.') },
);
export type SessionMove = Static<typeof SessionMove>;

export const SessionPath = Type.Object({ id: t.id('The id of the session.') });

const Place = {
  id: t.id('The id of the workspace.'),
  name: t.text('The name of the workspace.'),
};

const base = {
  id: t.id('The id of the session.'),
  permission: t.oneOf(permissions, 'What the session may do: only read, or also write.'),
  isOwner: t.flag('Whether it may manage keys and sessions.'),
  expiresAt: t.moment(
    'When it ends at the latest. It ends before that when it is not used: for 24 hours if it is the owner’s, else for 7 days.',
  ),
};

export const Session = t.output('Session', 'A session of a browser.', session, {
  id: base.id,
  workspace: t.part('The workspace in which it acts.', Place),
  permission: base.permission,
  isOwner: base.isOwner,
  expiresAt: base.expiresAt,
});
export type Session = Static<typeof Session>;

export const SessionResponse = t.envelope('SessionResponse', { session: Session });

export const CurrentSession = t.envelope(
  'CurrentSession',
  {
    session: Session,
    workspaces: t.array(
      t.part('A workspace.', Place),
      'Where the session may move to: the oldest 100 workspaces of the account; empty unless it is the owner’s.',
    ),
  },
  { session, workspaces: [workspace, other] },
);

export const ListedSession = t.output(
  'ListedSession',
  'A session in the list.',
  {
    id: sessionId,
    name: 'laptop',
    permission: 'write',
    isOwner: false,
    isCurrent: true,
    createdAt: '2025-10-09T08:00:00.000Z',
    lastSeenAt: '2025-10-09T09:30:00.000Z',
    expiresAt: '2025-11-08T08:00:00.000Z',
  },
  {
    id: base.id,
    name: t.text('The name of its key, or `jobd open`.'),
    permission: base.permission,
    isOwner: base.isOwner,
    isCurrent: t.flag('Whether it is the session of this request.'),
    createdAt: t.moment('When it was started.'),
    lastSeenAt: t.moment('When it was last used, to the minute.'),
    expiresAt: base.expiresAt,
  },
);
export type ListedSession = Static<typeof ListedSession>;

export const SessionList = t.envelope('SessionList', page('sessions', ListedSession));
