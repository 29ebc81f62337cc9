import { Type, type Static } from 'typebox';
import { permissions } from '../../domain/accounts/key.ts';
import { nameRule } from '../../domain/fields.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';

const example = {
  id: '0199c6a5-6e7f-7081-8b2c-3d4e5f607182',
  name: 'laptop',
  permission: 'write',
  createdAt: '2025-10-09T08:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

export const KeyInput = t.input(
  'KeyInput',
  'A key to create.',
  [{ name: 'laptop', permission: 'write' }],
  {
    name: t.field(nameRule, { description: 'A name for people.' }),
    permission: t.oneOf(permissions, 'What the key may do: only read, or also write.'),
    expiresAt: Type.Optional(
      t.momentOrNull('When it expires: ISO 8601 with an offset or `Z`. Null or omitted: never.'),
    ),
  },
);
export type KeyInput = Static<typeof KeyInput>;

export const KeyPath = Type.Object({ id: t.id('The id of the key.') });

export const Key = t.output('Key', 'A key, without the key itself.', example, {
  id: t.id('The id of the key.'),
  name: t.text('A name for people.'),
  permission: t.oneOf(permissions, 'What the key may do: only read, or also write.'),
  createdAt: t.moment('When it was created.'),
  lastUsedAt: t.momentOrNull('When it was last used, to the minute; null if never.'),
  expiresAt: t.momentOrNull('When it expires; null if never.'),
  revokedAt: t.momentOrNull('When it was revoked; null if it was not.'),
});
export type Key = Static<typeof Key>;

export const KeyList = t.envelope('KeyList', page('keys', Key));

export const KeyMade = t.envelope(
  'KeyMade',
  {
    key: Key,
    secret: t.text('The key itself: `cp_` and 64 hexadecimal digits. It is shown only once.'),
  },
  { key: example, secret: `cp_${'0123456789abcdef'.repeat(4)}` },
);
export type KeyMade = Static<typeof KeyMade>;
