/** Jobs in files that run after others: in which order they are applied and deleted, so that what they name is there. */

import { someOf } from '../../../domain/counted.ts';
import { longestChain } from '../../../domain/jobs/after-words.ts';
import { tooLong } from '../../../domain/jobs/after.ts';
import type { After } from '../../../domain/jobs/after.ts';
import type { Definition, FileKind, ManagedItem } from './kind.ts';
import { refused } from './server.ts';
import type { DefinitionResult } from './server.ts';

/** The key that a definition runs after; undefined if it has none. */
export function afterOf({ kind, input }: Pick<Definition, 'kind' | 'input'>): string | undefined {
  return kind.section === 'jobs' ? ((input['after'] as string | null) ?? undefined) : undefined;
}

/** How many jobs of the files each job comes after, by key. A circle ends where it began. */
export function placesOf(
  jobs: readonly { key: string; after: string | undefined }[],
): ReadonlyMap<string, number> {
  const afterByKey = new Map(jobs.map(({ key, after }) => [key, after]));
  return new Map(
    jobs.map(({ key }) => {
      const seen = new Set<string>();
      for (let at: string | undefined = key; at !== undefined; at = afterByKey.get(at)) {
        if (seen.has(at) || !afterByKey.has(at)) break;
        seen.add(at);
      }
      return [key, seen.size - 1];
    }),
  );
}

/** The places of definitions in their chains. */
export function placesIn(definitions: readonly Definition[]): ReadonlyMap<string, number> {
  const jobs = definitions.filter(({ kind }) => kind.section === 'jobs');
  return placesOf(jobs.map((job) => ({ key: job.key, after: afterOf(job) })));
}

/** The places of jobs that are to be deleted, by the keys that they run after now. */
export function placesOfUnlisted(
  unlisted: readonly { kind: FileKind; key: string; item: ManagedItem }[],
): ReadonlyMap<string, number> {
  const jobs = unlisted.filter(({ kind }) => kind.section === 'jobs');
  return placesOf(jobs.map(({ key, item }) => ({ key, after: afterNow(item) })));
}

/** Followers in a sentence; more are counted. */
const mostFollowers = 5;

/** Jobs as they will be: of the files, and the others of the server that stay. */
export interface Chains {
  definitions: readonly Definition[];
  /** With keys of the jobs that they run after, where those have one. */
  others: readonly ManagedItem[];
}

/** A test what is wrong with the place of a definition in its chain; undefined if nothing is. */
export function chainRefusals({
  definitions,
  others,
}: Chains): (definition: Definition) => DefinitionResult | undefined {
  const jobs = [
    ...definitions
      .filter(({ kind }) => kind.section === 'jobs')
      .map((job) => ({ key: job.key, name: job.key, after: afterOf(job) })),
    ...others.map((job) => ({ ...job, key: job.key ?? job.id, after: afterNow(job) })),
  ];
  const byKey = new Map(jobs.map((job) => [job.key, job]));
  const places = placesOf(jobs);
  return ({ kind, key }) => {
    if (kind.section !== 'jobs') return undefined;
    const circle = circleFrom(key, byKey);
    if (circle !== undefined) {
      const names = circle.map((one) => byKey.get(one)?.name ?? one);
      return refused(key, `after must not close a circle: ${names.join(', then ')}`);
    }
    return (places.get(key) ?? 0) < longestChain ? undefined : refused(key, tooLong);
  };
}

/** The keys on a circle, from the one given to itself; undefined if it is on none. */
function circleFrom(
  key: string,
  byKey: ReadonlyMap<string, { after: string | undefined }>,
): string[] | undefined {
  const keys = [key];
  for (let at = byKey.get(key)?.after; at !== undefined; at = byKey.get(at)?.after) {
    keys.unshift(at);
    if (at === key) return keys;
    if (keys.indexOf(at, 1) > 0) return undefined;
  }
  return undefined;
}

/** A test why a job of a key cannot be deleted; null if nothing that stays runs after it. */
export function deletionRefusals({
  others,
}: Pick<Chains, 'others'>): (key: string) => string | null {
  const followers = Map.groupBy(others, afterNow);
  return (key) => {
    const names = (followers.get(key) ?? []).map(({ name }) => name);
    if (names.length === 0) return null;
    const [run, them] = names.length === 1 ? ['runs', 'that one'] : ['run', 'those'];
    return `${someOf(names, mostFollowers)} ${run} after this job and would never run again: keep it in the files, or delete ${them} first`;
  };
}

/** What a job of the server runs after. */
function afterNow({ document }: ManagedItem): string | undefined {
  return (document['after'] as After | null)?.jobId;
}
