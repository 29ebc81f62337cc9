/** Jobs in files that run after others: in which order they are applied and deleted, so that what they name is there. */

import type { After } from '../../domain/jobs/after.ts';
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
  return placesOf(
    jobs.map(({ key, item }) => {
      const after = item.document['after'] as After | null;
      return { key, after: after?.jobId };
    }),
  );
}

/** A test whether a definition is part of a circle: its refusal, with the keys on it. */
export function circleIn(
  definitions: readonly Definition[],
): (definition: Definition) => DefinitionResult | undefined {
  const jobs = definitions.filter(({ kind }) => kind.section === 'jobs');
  const afterByKey = new Map(jobs.map((job) => [job.key, afterOf(job)]));
  return ({ kind, key }) => {
    if (kind.section !== 'jobs') return undefined;
    const keys = [key];
    for (let at = afterByKey.get(key); at !== undefined; at = afterByKey.get(at)) {
      keys.unshift(at);
      if (at === key) break;
      if (keys.indexOf(at, 1) > 0) return undefined;
    }
    if (keys.length === 1 || keys[0] !== key) return undefined;
    return refused(key, `after must not close a circle: ${keys.join(', then ')}`);
  };
}
