/** Finds one job, monitor or channel by what a person typed: its id, its name, or the beginning of its id. */

import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { nearest } from '../../domain/nearest.ts';
import { sinceOrUntil } from '../terminal/cell.ts';
import { plain } from '../terminal/text.ts';

/** What every one of them has, and what tells those of one name apart. */
export interface Named {
  id: string;
  name: string;
  createdAt: string;
  status?: string;
  url?: string;
}

/** How a collection is searched. */
export interface Search<Item> {
  noun: string;
  get(id: string): Promise<Item>;
  /** Up to a page of them with a name, or with ids that begin so, or the newest; newest first. */
  page(filter: { name?: string; idPrefix?: string }): Promise<Item[]>;
}

const prefixPattern = /^[0-9a-f-]{4,35}$/i;

/**
 * Finds one: with one request if it is named by its id or its name. Throws `not_found`, with the nearest name, and
 * `invalid_input` with all of them if several have this name or ids that begin so.
 */
export async function findOne<Item extends Named>(
  search: Search<Item>,
  text: string,
): Promise<Item> {
  const { noun } = search;
  // The server accepts ids in upper case too.
  if (isId(text.toLowerCase())) return await search.get(text);
  const named = await search.page({ name: text });
  if (named.length > 0) return only(named, `${named.length} ${noun}s are named ${text}: use an id`);
  const begun = prefixPattern.test(text) ? await search.page({ idPrefix: text }) : [];
  if (begun.length > 0) {
    return only(begun, `the ids of ${begun.length} ${noun}s begin with ${text}: use more of it`);
  }
  const newest = await search.page({});
  const near = nearest(
    text,
    newest.map(({ name }) => name),
  );
  const remedy =
    near === undefined ? `jobd ${noun}s list shows them` : `did you mean ${plain(near)}?`;
  throw new JobdError('not_found', `there is no ${noun} named ${text}; ${remedy}`);
}

function only<Item extends Named>(found: readonly Item[], sentence: string): Item {
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  throw new JobdError('invalid_input', sentence, { notes: choices(found) });
}

/** A line for each: what is needed to choose one. */
export function choices(items: readonly Named[]): string[] {
  return items.map(({ id, name, createdAt, status, url }) => {
    const age = `created ${sinceOrUntil(createdAt, Date.now())}`;
    return [id, name, status, url, age]
      .filter((part) => part !== undefined)
      .map(plain)
      .join('  ');
  });
}
