/** A master key that is missing: where it probably is comes first, and giving it up last. */

import { messageOf } from '../../domain/errors.ts';
import { nodeName } from '../../domain/nodes.ts';
import { availableIds, type MasterKeys } from '../../secrets/master-keys.ts';
import type { KnownNode } from '../../store/nodes/nodes.ts';

/** The first key of `known`, the ids that sealed something, that is not available; null if all are. `live` are the nodes that serve. */
export function findMissingKey(
  known: readonly string[],
  source: MasterKeys,
  live: readonly KnownNode[],
): { problem: string; remedies: string[] } | null {
  const here = availableIds(source);
  const lost = known.find((id) => !here.includes(id));
  if (lost === undefined) return null;
  const found = here.length === 0 ? 'there is none' : `there is ${here.join(' and ')}`;
  const problem = `the master key of this store is ${known.join(' and ')}, but in ${source.name} ${found}`;
  const holders = live.filter(({ masterKeys }) => masterKeys.includes(lost));
  if (holders.length === 0) return { problem, remedies: remediesFor(lost, known, source) };
  const names = holders.map(nodeName).join(', ');
  return {
    problem,
    remedies: [`set ${source.name} to the key of the nodes that serve this database (${names})`],
  };
}

function remediesFor(lost: string, known: readonly string[], source: MasterKeys): string[] {
  const { name, isFile, hidden } = source;
  const copy = 'your copy of the key (a jobd backup does not contain it)';
  const rotation = 'a rotation was interrupted: give jobd secrets rotate both keys';
  const last = [...(known.length > 1 ? [rotation] : []), giveUpWords(lost)];
  if (isFile) {
    return [
      'if the daemon gets the key as JOBD_SECRET_KEY (see /etc/jobd/jobd.env), set that here too',
      `otherwise put ${copy} into ${name}`,
      ...last,
    ];
  }
  const beside = hidden === undefined ? null : lookInto(hidden, lost);
  if (beside?.isThere) return [beside.words];
  return [...(beside === null ? [] : [beside.words]), `set ${name} to ${copy}`, ...last];
}

/** What is known of the file that the key of the environment hides; null if there is none. */
function lookInto(hidden: MasterKeys, lost: string): { words: string; isThere: boolean } | null {
  const { name } = hidden;
  try {
    const ids = availableIds(hidden);
    if (ids.length === 0) return null;
    const isThere = ids.includes(lost);
    const words = isThere
      ? `the right key is in ${name}: remove JOBD_SECRET_KEY from the environment`
      : `${name} is not it either: there is ${ids.join(' and ')}`;
    return { words, isThere };
  } catch (error) {
    const words = `it may be in ${name}, beside the database: ${messageOf(error)}`;
    return { words, isThere: false };
  }
}

/** The last resort, with what it destroys. */
export function giveUpWords(lost: string): string {
  const values = 'the headers, bodies, channel configs and signing key that it sealed';
  return `only if there is no copy: jobd secrets forget ${lost} gives up ${values}, for good`;
}
