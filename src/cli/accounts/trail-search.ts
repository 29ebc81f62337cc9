/**
 * Finds who or what `jobd audit` is asked about: by name, or by the beginning of an id. The trail itself is searched, because
 * it also has what was deleted since, and keys, which no key may list.
 */

import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Api } from '../client/api.ts';
import { findOne, searchAmong, type Named } from '../client/find.ts';

/** So many of the newest entries are read, 100 with each request. */
const mostSearched = 1_000;

/** What was typed for each, or undefined. */
interface Typed {
  subject?: string;
  actor?: string;
}

/** The ids of what was typed. Reads nothing where that is an id. Throws `not_found`, and `invalid_input` if several fit. */
export async function findInTrail(api: Api, typed: Typed): Promise<Typed> {
  const { subject, actor } = typed;
  if ([subject, actor].every((text) => text === undefined || isId(text.toLowerCase())))
    return typed;
  const trail = await readTrail(api);
  return {
    ...(subject !== undefined && { subject: await findIn(trail, 'subject', subject) }),
    ...(actor !== undefined && { actor: await findIn(trail, 'actor', actor) }),
  };
}

interface Trail {
  subject: readonly Named[];
  actor: readonly Named[];
  isWhole: boolean;
}

async function readTrail({ auditTrail }: Api): Promise<Trail> {
  const subjects = new Map<string, Named>();
  const actors = new Map<string, Named>();
  let count = 0;
  let isWhole = true;
  for await (const { subject, actor, action } of auditTrail()) {
    if (count === mostSearched) {
      isWhole = false;
      break;
    }
    count += 1;
    // The newest name is the one that people know.
    if (!subjects.has(subject.id)) {
      subjects.set(subject.id, { ...subject, type: action.split('.', 1)[0] ?? '' });
    }
    if (!actors.has(actor.id)) actors.set(actor.id, actor);
  }
  return { subject: [...subjects.values()], actor: [...actors.values()], isWhole };
}

async function findIn(trail: Trail, noun: 'subject' | 'actor', text: string): Promise<string> {
  if (isId(text.toLowerCase())) return text;
  const all = trail[noun];
  // The id of a user is the name of the user.
  const user = all.find(({ id }) => id === text);
  if (user !== undefined) return user.id;
  try {
    return (await findOne(searchAmong({ noun, list: 'audit' }, all), text)).id;
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'not_found' || trail.isWhole) throw error;
    const notes = [
      `the newest ${mostSearched} changes were searched: older ones are found by a whole id`,
    ];
    throw new JobdError('not_found', error.message, { cause: error, notes });
  }
}
