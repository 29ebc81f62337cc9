/** Finds one of many by what a person typed: its id, its name, or the beginning of its id. */

import { escapeControls, isPlain } from '../../domain/characters.ts';
import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { nearest } from '../../domain/nearest.ts';
import { sinceOrUntil } from '../terminal/cell.ts';
import { plain } from '../terminal/text.ts';

/** What every one of them has, and what tells those of one name apart. */
export interface Named {
  id: string;
  name: string;
  /** In ISO 8601, where it is known. */
  createdAt?: string;
  type?: string;
  status?: string;
  url?: string;
  permission?: string;
  workspace?: string;
}

/** How a collection is searched. */
export interface Search<Item> {
  noun: string;
  /** What people confuse it with: one of those may have the name. */
  other?: string | undefined;
  /** The command that lists them, without `jobd`; that of the noun if it is not given. */
  list?: string;
  get(id: string): Promise<Item>;
  /** Up to a page of them, or of `others`, with a name, or with ids that begin so, or the newest; newest first. */
  page(filter: { name?: string; idPrefix?: string }, others?: string): Promise<Item[]>;
}

const prefixPattern = /^[0-9a-f-]{4,35}$/i;

/**
 * Finds one: with one request if it is named by its id or its name. Throws `not_found`, with the nearest name,
 * `invalid_input` with all of them if several have this name or ids that begin so, and `usage` for an empty text.
 */
export async function findOne<Item extends Named>(
  search: Search<Item>,
  text: string,
): Promise<Item> {
  const { noun, other, list = `${noun}s list` } = search;
  if (text === '') {
    throw new JobdError('usage', `name the ${noun}, or give its id or the beginning of its id`);
  }
  // The server accepts ids in upper case too.
  if (isId(text.toLowerCase())) return await search.get(text);
  const named = await search.page({ name: text });
  if (named.length > 0)
    return only(named, `${named.length} ${noun}s are named ${clear(text)}: use an id`);
  const begun = prefixPattern.test(text) ? await search.page({ idPrefix: text }) : [];
  if (begun.length > 0) {
    return only(begun, `the ids of ${begun.length} ${noun}s begin with ${text}: use more of it`);
  }
  const [mistaken] = other ? await search.page({ name: text }, other).catch(() => []) : [];
  if (mistaken !== undefined) {
    const advice = `it is a ${other}: jobd ${other}s get ${wordFor(mistaken)}`;
    throw new JobdError('not_found', `there is no ${noun} named ${clear(text)}; ${advice}`);
  }
  const newest = (await search.page({})).map(({ name }) => name);
  const near = nearest(text, newest);
  const remedy = near === undefined ? `jobd ${list} shows them` : `did you mean ${clear(near)}?`;
  throw new JobdError('not_found', `there is no ${noun} named ${clear(text)}; ${remedy}`);
}

/** A name in a sentence: one that begins or ends with blanks, or has characters that nobody sees, is in quotes. */
function clear(name: string): string {
  return isPlain(name) ? name : escapeControls(JSON.stringify(name));
}

/** A search among things that were read already. `withName` finds those of a name. */
export function searchAmong<Item extends Named>(
  words: { noun: string; list: string },
  items: readonly Item[],
  withName = (name: string): Item[] => items.filter((item) => item.name === name),
): Search<Item> {
  return {
    ...words,
    async get(id) {
      const found = items.find((item) => item.id === id.toLowerCase());
      if (found !== undefined) return found;
      throw new JobdError('not_found', `there is no ${words.noun} with id ${id}`);
    },
    async page({ name, idPrefix }) {
      if (name !== undefined) return withName(name);
      const beginning = idPrefix?.toLowerCase() ?? '';
      return items.filter(({ id }) => id.startsWith(beginning));
    },
  };
}

function only<Item extends Named>(found: readonly Item[], sentence: string): Item {
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  throw new JobdError('invalid_input', sentence, { notes: choices(found) });
}

/** How a command names one: its name, unless a shell would read it in another way. */
export function wordFor({ id, name }: Named): string {
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : id;
}

/** `laptop (ID)`, or the id alone of one without a name. */
export function nameAndId({ name, id }: Named): string {
  return name === '' ? id : `${plain(name)} (${id})`;
}

/** A line for each: what is needed to choose one. */
export function choices(items: readonly Named[]): string[] {
  return items.map((item) => {
    const { id, name, createdAt, type, status, url, permission, workspace } = item;
    const age = createdAt && `created ${sinceOrUntil(createdAt, Date.now())}`;
    return [id, name, type, status, url, permission, workspace, age]
      .filter((part) => part !== undefined && part !== '')
      .map((part) => plain(part ?? ''))
      .join('  ');
  });
}
