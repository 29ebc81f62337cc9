/** Jobs that run after others: which one a definition means, and which chains that makes together with the jobs that stay. */

import { someOf } from '../../../domain/counted.ts';
import { invalidInput, JobdError } from '../../../domain/errors.ts';
import { longestChain } from '../../../domain/jobs/after-words.ts';
import { tooLong } from '../../../domain/jobs/after.ts';
import type { KeyedRow } from '../../../store/database/managed-keys.ts';
import type { Definition, Scene } from './managed.ts';

/** Followers in a sentence; more are counted. */
const mostFollowers = 5;

/** A place in a chain: how many jobs come before, and why it cannot be had; undefined if it can. */
export interface Place {
  place: number;
  fault: unknown;
}

/** Jobs as they will be. */
export interface Chains {
  /** A definition with the key in `after`, or the id of a job without one. */
  placed: (definition: Definition) => Place & { definition: Definition };
  /** Of a job that is deleted, or would be by pruning: none that stays may run after it. */
  deleted: (key: string) => Place;
}

/** A job by its key, or by its id if it has none. */
interface Link {
  ref: string;
  name: string;
  after: string | undefined;
}

/**
 * Finds the chains of definitions and of the jobs of the workspace, `rows`. With `prune` jobs with another key go. A key comes
 * before a name. What is defined has its name from there.
 */
export function chainsOf(
  definitions: readonly Definition[],
  rows: readonly KeyedRow[],
  { hint }: Pick<Scene, 'hint'>,
  prune: boolean,
): Chains {
  const defined = new Set(definitions.map(({ key }) => key));
  const taken = new Set(rows.map(({ key }) => key));
  const adopting = new Map(
    definitions.flatMap(({ key, adopt }) => (adopt && !taken.has(key) ? [[adopt, key]] : [])),
  );
  const refs = new Map(rows.map(({ id, key }) => [id, key ?? adopting.get(id) ?? id]));
  const links = rows
    .map(({ id, name, after }): Link => {
      return { ref: refs.get(id) ?? id, name, after: after === null ? undefined : refs.get(after) };
    })
    .filter(({ ref }) => !defined.has(ref));
  const unmanaged = links.filter(({ ref }) => !taken.has(ref));
  const others = prune ? unmanaged : links;
  const written = definitions.map(({ key, input }) => ({ ref: key, name: String(input['name']) }));
  const known = new Set([...written, ...others].map(({ ref }) => ref));
  const byName = Map.groupBy([...written, ...others], ({ name }) => name);

  const meant = finderIn({ known, refs, byName, hint });
  const byRef = new Map<string, Link>(links.map((link) => [link.ref, link]));
  const own: Link[] = [];
  const faults = new Map<string, unknown>();
  for (const { key, input } of definitions) {
    const link: Link = { ref: key, name: key, after: undefined };
    byRef.set(key, link);
    own.push(link);
    try {
      if (typeof input['after'] === 'string') link.after = meant(input['after']);
    } catch (error) {
      faults.set(key, error);
    }
  }
  // Whoever stays when what is not defined is deleted, now or later.
  const followers = Map.groupBy([...unmanaged, ...own], ({ after }) => after);

  return {
    placed(definition) {
      const { key, input } = definition;
      const after = byRef.get(key)?.after;
      const resolved =
        after === undefined ? definition : { ...definition, input: { ...input, after } };
      const { place, fault } = placeOf(key, byRef);
      return { definition: resolved, place, fault: faults.get(key) ?? fault };
    },
    deleted(key) {
      const names = (followers.get(key) ?? []).map(({ name }) => name);
      const { place } = placeOf(key, byRef);
      return { place, fault: names.length === 0 ? undefined : followed(names) };
    },
  };
}

/** Finds the job that a text means, by its key, its id or its name. Throws `invalid_input` unless it is one. */
function finderIn({
  known,
  refs,
  byName,
  hint,
}: Pick<Scene, 'hint'> & {
  known: ReadonlySet<string>;
  refs: ReadonlyMap<string, string>;
  byName: ReadonlyMap<string, readonly Pick<Link, 'ref'>[]>;
}): (text: string) => string {
  return (text) => {
    if (known.has(text)) return text;
    const byId = refs.get(text.toLowerCase());
    if (byId !== undefined && known.has(byId)) return byId;
    const [one, ...more] = (byName.get(text) ?? []).map(({ ref }) => ref);
    if (one === undefined) {
      const advice = hint(text, () => [...known, ...byName.keys()], 'jobs');
      throw invalidInput(`after names ${text}, which is not defined, ${advice}`);
    }
    if (more.length === 0) return one;
    const several = `after names ${text}, which ${more.length + 1} jobs are called`;
    throw invalidInput(`${several}: write the key or the id of one, ${someOf([one, ...more], 3)}`);
  };
}

function followed(names: readonly string[]): JobdError {
  const [run, them] = names.length === 1 ? ['runs', 'that one'] : ['run', 'those'];
  const left = `${someOf(names, mostFollowers)} ${run} after this job and would never run again`;
  return new JobdError('conflict', `${left}: keep it in the files, or delete ${them} first`);
}

/** Follows the chain before a job, no further than one may be long. A circle that it is not on itself is the fault of others. */
function placeOf(ref: string, byRef: ReadonlyMap<string, Link>): Place {
  const path = [ref];
  let fault: unknown;
  for (let at = byRef.get(ref)?.after; at !== undefined; at = byRef.get(at)?.after) {
    if (at === ref) {
      const names = [at, ...path.toReversed()].map((one) => byRef.get(one)?.name ?? one);
      fault = invalidInput(`after must not close a circle: ${names.join(', then ')}`);
    } else if (path.length === longestChain) fault = invalidInput(tooLong);
    if (fault !== undefined || path.includes(at)) break;
    path.push(at);
  }
  return { place: path.length - 1, fault };
}
