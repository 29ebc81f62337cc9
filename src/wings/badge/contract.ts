/** What the API accepts and returns about badges. */

import { Type, type Static } from 'typebox';
import { page } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import { nameRule } from '../../domain/fields.ts';
import { selectorDetail, selectorRule } from '../../domain/labels.ts';

const id = t.id('The id of the badge.');
const name = 'What the picture says before the state. Everybody sees it.';
const selector = 'Labels of the jobs and monitors that it shows. Null: all of the workspace.';
const input = { name: 'acme', selector: 'client=acme' };
const example = {
  id: '0199c6b5-71e4-7c0d-a2b6-3d5f7e9081a2',
  ...input,
  createdAt: '2025-10-09T04:00:12.318Z',
};
const token = `cpb_${'0123456789abcdef'.repeat(2)}`;
const url = `https://jobd.example.com/badge/${token}`;

export const BadgeInput = t.input('BadgeInput', 'A badge to create.', [input], {
  name: t.field(nameRule, { description: `${name} Not blank; it need not be unique.` }),
  selector: Type.Optional(
    t.nullable(
      t.field(selectorRule, { description: `${selector} ${selectorDetail}`, default: null }),
    ),
  ),
});

export const Badge = t.output('Badge', 'A badge, without its addresses.', example, {
  id,
  name: t.text(name),
  selector: t.nullable(t.text(selector)),
  createdAt: t.moment('When it was created.'),
});
export type Badge = Static<typeof Badge>;

export const BadgeList = t.envelope('BadgeList', page('badges', Badge));

export const BadgeMade = t.envelope(
  'BadgeMade',
  {
    badge: Badge,
    pictureUrl: t.text('The address of the picture: a secret, which is shown only once.'),
    stateUrl: t.text('The same for the state in JSON.'),
  },
  { badge: example, pictureUrl: `${url}.svg`, stateUrl: `${url}.json` },
);
export type BadgeMade = Static<typeof BadgeMade>;

export const BadgePath = Type.Object({ id });

export const TokenPath = Type.Object({
  token: Type.String({ description: 'The token of a badge: a secret.', examples: [token] }),
});

export const BadgePicture = Type.Unsafe<Buffer>({
  type: 'string',
  description: 'The picture.',
  examples: ['<svg xmlns="http://www.w3.org/2000/svg">…</svg>'],
});

export const BadgeState = t.output(
  'BadgeState',
  'What a badge says, as shields.io reads it.',
  { schemaVersion: 1, label: 'acme', message: '2 of 12 down', color: 'red', isError: true },
  {
    schemaVersion: t.integer('Always 1.'),
    label: t.text('The name of the badge.'),
    message: t.text('`up`, `2 of 12 down`, `down`, `paused` or `no results`.'),
    color: t.text('`brightgreen`, `red` or `lightgrey`.'),
    isError: t.flag('Whether anything is down.'),
  },
);
