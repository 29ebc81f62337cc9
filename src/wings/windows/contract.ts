/** What the API accepts and returns about windows. */

import { Type, type Static } from 'typebox';
import { page } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import { defaultsOf } from '../../domain/fields.ts';
import { windowDetails, windowFields } from './fields.ts';

const { name, effect, ...rest } = t.inputFields(windowFields, windowDetails());

const weekly = {
  name: 'patch night',
  effect: 'mute' as const,
  selector: 'client=acme',
  cronExpr: '0 22 * * tue',
  durationSeconds: 7200,
};
const { timezone } = defaultsOf(windowFields);

const example = {
  ...defaultsOf(windowFields),
  ...weekly,
  id: '0199c6b3-5d10-7a62-8c47-2f9e1b0d3a59',
  endedAt: null,
  createdAt: '2025-10-09T04:00:12.318Z',
  state: 'to_come' as const,
  onUntil: null,
  nextFrom: '2025-10-14T20:00:00.000Z',
};

export const WindowInput = t.input(
  'WindowInput',
  'A window to create: once, by `from` and `until`, or recurring, by `cronExpr` and `durationSeconds`.',
  [{ ...weekly, timezone }],
  { name, effect, ...t.optional(rest) },
);

const id = t.id('The id of the window.');
const state = {
  endedAt: t.nullable(t.moment('When somebody ended a period of it early; null if nobody did.')),
  createdAt: t.moment('When the window was created.'),
  state: t.oneOf(['to_come', 'on', 'over'], 'Whether it is in effect now.'),
  onUntil: t.nullable(
    t.moment(
      'When it ends if it is on, with periods that follow without a gap; null if it is not.',
    ),
  ),
  nextFrom: t.nullable(t.moment('When it begins next; null if it does not.')),
};

export const Window = t.output(
  'Window',
  'A time in which nobody is alerted of jobs and monitors, or jobs are not called.',
  example,
  { id, ...t.shownFields(windowFields), ...state },
);
export type Window = Static<typeof Window>;

export const WindowUpdate = t.input(
  'WindowUpdate',
  'Changes to a window. Omitted fields keep their values. You can send back the `window` object of a GET: its read-only fields ' +
    '`id` and `createdAt` must be unchanged, and `endedAt`, `state`, `onUntil` and `nextFrom` are ignored.',
  [{ durationSeconds: 10_800 }],
  {
    ...t.optional(t.withoutDefaults({ name, effect, ...rest })),
    ...t.optional(t.readOnly({ id, ...state })),
  },
);
export type WindowUpdate = Static<typeof WindowUpdate>;

export const WindowResponse = t.envelope('WindowResponse', { window: Window });
export type WindowResponse = Static<typeof WindowResponse>;
export const WindowList = t.envelope('WindowList', page('windows', Window));
export type WindowList = Static<typeof WindowList>;
export const WindowPath = Type.Object({ id });
