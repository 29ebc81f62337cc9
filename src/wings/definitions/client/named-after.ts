/** Which job `after` of a definition means: people write its key, its id, or its name. */

import { someOf } from '../../../domain/counted.ts';
import { isId } from '../../../domain/id.ts';
import { nearest } from '../../../domain/nearest.ts';
import { afterOf } from './chains.ts';
import type { Definition, ManagedItem } from './kind.ts';

/** What all definitions mean. */
export interface Meant {
  /** With the key of that job in `after`, or its id if it has no key. */
  definitions: Definition[];
  /** What is wrong with those that mean none, by the key of the job. */
  problems: ReadonlyMap<string, string>;
  /** The names that people wrote instead of ids, by id. */
  names: ReadonlyMap<string, string>;
}

/**
 * Finds the jobs that definitions run after. `known` are the keys of jobs that stay; jobs without one are listed only if
 * something else is written. A key comes before a name. What files define has its name from there.
 */
export async function findMeant(
  definitions: readonly Definition[],
  known: ReadonlySet<string>,
  listJobs: () => Promise<readonly ManagedItem[]>,
): Promise<Meant> {
  const isOther = (definition: Definition): boolean => {
    const after = afterOf(definition);
    return after !== undefined && !known.has(after);
  };
  const problems = new Map<string, string>();
  const names = new Map<string, string>();
  if (!definitions.some(isOther)) return { definitions: [...definitions], problems, names };
  const find = finderIn(definitions, known, await listJobs());
  const meant = definitions.map((definition): Definition => {
    const written = isOther(definition) ? afterOf(definition) : undefined;
    if (written === undefined) return definition;
    const [one, ...more] = find(written);
    if (one === undefined || more.length > 0) {
      const problem =
        one === undefined ? unknown(written, find.words) : several(written, [one, ...more]);
      problems.set(definition.key, problem);
      return definition;
    }
    if (isId(one) && one !== written.toLowerCase()) names.set(one, written);
    return { ...definition, input: { ...definition.input, after: one } };
  });
  return { definitions: meant, problems, names };
}

/** Finds keys, or ids of jobs without a key, by an id or a name; `words` are what could have been meant. */
function finderIn(
  definitions: readonly Definition[],
  known: ReadonlySet<string>,
  all: readonly ManagedItem[],
) {
  const defined = definitions.filter(({ kind }) => kind.section === 'jobs');
  const keys = new Set(defined.map(({ key }) => key));
  const adopted = new Map(defined.map(({ key, adopt }) => [adopt, key]));
  const kept = all
    .filter(({ key }) => key === null || known.has(key))
    .map(({ id, key, name }) => ({ id, name, key: key ?? adopted.get(id) ?? null }));
  const named = [
    ...defined.map(({ key, input }) => ({ name: input['name'] as string, one: key })),
    ...kept
      .filter(({ key }) => key === null || !keys.has(key))
      .map(({ id, key, name }) => ({ name, one: key ?? id })),
  ];
  const find = (written: string): string[] => {
    const byId = kept.find(({ id }) => id === written.toLowerCase());
    if (byId !== undefined) return [byId.key ?? byId.id];
    return named.filter(({ name }) => name === written).map(({ one }) => one);
  };
  return Object.assign(find, { words: [...known, ...named.map(({ name }) => name)] });
}

function unknown(written: string, words: readonly string[]): string {
  const meant = nearest(written, words);
  const hint = meant === undefined ? 'define it under jobs:' : `did you mean ${meant}?`;
  return `after names ${written.slice(0, 120)}, which is not defined, ${hint}`;
}

function several(written: string, ones: readonly string[]): string {
  return `after names ${written}, which ${ones.length} jobs are called: write the key or the id of one, ${someOf(ones, 3)}`;
}
