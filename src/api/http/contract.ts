/** What all subjects of the API have in common: errors, pages and the answer to a deletion. */

import { Type, type Static, type TArray, type TSchema } from 'typebox';
import type { LabelledRequest, NamedRequest, PageRequest } from '../../app/page.ts';
import { nameRule } from '../../domain/fields.ts';
import { readSelector, selectorDetail, selectorRule } from '../../domain/labels.ts';
import * as t from './schema.ts';

const defaultLimit = 50;

export const Ok = t.envelope('Ok', { ok: t.flag('Always true.') }, { ok: true });
export type Ok = Static<typeof Ok>;

export const ErrorBody = t.envelope(
  'ErrorBody',
  { error: t.text('What is wrong, where, and what would be right: one sentence for people.') },
  { error: 'periodSeconds must be between 60 and 31536000, got 30' },
);
export type ErrorBody = Static<typeof ErrorBody>;

/** The query of every list. */
export const PageQuery = t.query({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The most items to return.',
      default: defaultLimit,
    }),
  ),
  cursor: Type.Optional(t.text('The `nextCursor` of the previous page.')),
});
export type PageQuery = Static<typeof PageQuery>;

export const IdPrefix = Type.Optional(
  Type.String({
    pattern: '^[0-9a-fA-F-]{4,36}$',
    description: 'Only those whose ids begin so: 4 characters or more of an id.',
    examples: ['0199c6f4-81d0'],
  }),
);

export const SelectorField = Type.Optional(
  t.field(selectorRule, {
    description: `Extension: only those with these labels. ${selectorDetail}`,
    examples: ['client=acme,env!=dev'],
  }),
);

/** The query of lists whose items have names. */
export const NamedQuery = t.query({
  ...PageQuery.properties,
  name: Type.Optional(
    Type.String({
      maxLength: nameRule.maxLength,
      pattern: nameRule.pattern,
      description: 'Only those with exactly this name. Names need not be unique.',
      examples: ['backup'],
    }),
  ),
  idPrefix: IdPrefix,
});
export type NamedQuery = Static<typeof NamedQuery>;

/** The page that such a query asks for. */
export function namedRequest({ name, idPrefix, ...query }: NamedQuery): NamedRequest {
  const prefix = idPrefix?.toLowerCase() ?? null;
  return { ...pageRequest(query), name: name ?? null, idPrefix: prefix };
}

/** The query of lists whose items have names and labels. */
export const LabelledQuery = t.query({ ...NamedQuery.properties, selector: SelectorField });

/** The page that such a query asks for. Throws `invalid_input`. */
export function labelledRequest(asked: Static<typeof LabelledQuery>): LabelledRequest {
  const { selector, ...query } = asked;
  const labels = selector === undefined ? null : readSelector(selector);
  return { ...namedRequest(query), selector: labels };
}

/** The page that a query asks for, with defaults filled in (docs/behavior.md#api-5). */
export function pageRequest({ limit, cursor }: PageQuery): PageRequest {
  return { limit: limit ?? defaultLimit, cursor: cursor ?? null };
}

/** The fields of a page that may end before it is full. */
export function partialPage<K extends string, T extends TSchema>(name: K, items: T) {
  const isPartial = t.flag(
    'Whether the search stopped before the page was full, to stay fast. `nextCursor` continues from there.',
  );
  return { ...page(name, items), isPartial };
}

/** The fields of a page of `items`. */
export function page<K extends string, T extends TSchema>(name: K, items: T) {
  const list = { [name]: Type.Array(items, { description: 'Newest first.' }) };
  const nextCursor = t.textOrNull(
    'Pass it as `cursor` to get the next page; null on the last page.',
  );
  return { ...(list as Record<K, TArray<T>>), nextCursor };
}
