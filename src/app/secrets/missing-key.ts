/** A master key that is missing: where it probably is comes first, and giving it up last. */

import { messageOf } from '../../domain/errors.ts';
import { availableIds } from '../../secrets/master-keys.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

/** What is missing, in a sentence, and what to do, a line each. */
export interface MissingKey {
  problem: string;
  remedies: string[];
}

/** The first key of `known`, the ids that sealed something, that is not available; null if all are. */
export function findMissingKey(known: readonly string[], source: MasterKeys): MissingKey | null {
  const here = availableIds(source);
  const lost = known.find((id) => !here.includes(id));
  if (lost === undefined) return null;
  const found = here.length === 0 ? 'there is none' : `there is ${here.join(' and ')}`;
  const problem = `the master key of this store is ${known.join(' and ')}, but in ${source.name} ${found}`;
  const rotation = 'a rotation was interrupted: give jobd secrets rotate both keys';
  const places = [...placesOf(lost, source), ...(known.length > 1 ? [rotation] : [])];
  return { problem, remedies: [...places, giveUpWords(lost)] };
}

/** Where the key may be, the likely place first. */
function placesOf(lost: string, { name, isFile, hidden }: MasterKeys): string[] {
  const copy = 'your copy of the key (a jobd backup does not contain it)';
  if (isFile) {
    return [
      'if the daemon gets the key as JOBD_SECRET_KEY (see /etc/jobd/jobd.env), set that here too',
      `otherwise put ${copy} into ${name}`,
    ];
  }
  const beside = hidden === undefined ? null : besideWords(lost, hidden);
  return [...(beside === null ? [] : [beside]), `set ${name} to ${copy}`];
}

/** What is known of the file that the key of the environment hides; null if there is none. */
function besideWords(lost: string, { name, read }: MasterKeys): string | null {
  try {
    const ids = read().map(({ id }) => id);
    if (ids.length === 0) return null;
    if (!ids.includes(lost)) return `${name} is not it either: there is ${ids.join(' and ')}`;
    return `the right key is in ${name}: remove JOBD_SECRET_KEY from the environment`;
  } catch (error) {
    return `it may be in ${name}, beside the database: ${messageOf(error)}`;
  }
}

/** The last resort, with what it destroys. */
export function giveUpWords(lost: string): string {
  const values = 'the headers, bodies, channel configs and signing key that it sealed';
  return `only if there is no copy: jobd secrets forget ${lost} gives up ${values}, for good`;
}
