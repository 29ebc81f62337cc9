/** What definitions would change, asked of the server: nothing is changed by planning. */

import type * as contract from '../../api/jobs/contract.ts';
import type { DefinitionResult, ManagedJob } from '../../api/jobs/contract.ts';
import type { Ask } from '../client/client.ts';
import { compare } from './compare.ts';
import type { Definition } from './definition.ts';
import { allJobs, askMe, managedJobs, sendWishes, wishOf } from './server.ts';

/** A definition, and what it would change. */
export interface PlannedChange {
  definition: Definition;
  /** With the job as it is. */
  result: DefinitionResult;
}

export interface Plan {
  /** One for each definition, in the order of their keys. */
  changes: PlannedChange[];
  /** Managed jobs that no definition is about, in the order of their keys: a pruning would delete them. */
  unlisted: ManagedJob[];
  /** Whether the key may write: then the server has compared the values of headers, too. */
  mayWrite: boolean;
  /** What holds where a definition has no timeout. */
  defaultTimeoutSeconds: number;
}

/** How many of each there are. */
export interface PlanCounts {
  create: number;
  update: number;
  delete: number;
  /** Jobs made by hand that only get a key. */
  adopt: number;
  none: number;
  refused: number;
  unlisted: number;
}

/** Plans. A key that may only read sees all but the values of headers. Throws as the client does. */
export async function makePlan(ask: Ask, definitions: readonly Definition[]): Promise<Plan> {
  const { mayWrite, defaultTimeoutSeconds } = await askMe(ask);
  const managed = await managedJobs(ask);
  const sorted = definitions.toSorted(byKey);
  const results = mayWrite
    ? await Array.fromAsync(sendWishes(ask, sorted.map(wishOf), { dryRun: true }))
    : await compareAll(ask, sorted, { managed, defaultTimeoutSeconds });
  const listed = new Set(definitions.map(({ key }) => key));
  return {
    changes: sorted.flatMap((definition, index) => {
      const result = results[index];
      return result === undefined ? [] : [{ definition, result }];
    }),
    unlisted: managed.filter(({ key }) => !listed.has(key)).toSorted(byKey),
    mayWrite,
    defaultTimeoutSeconds,
  };
}

/** Counts a plan; what is not in the files counts as deleted only where that is wanted. */
export function countsOf({ changes, unlisted }: Plan, prune: boolean): PlanCounts {
  const count = (is: (result: DefinitionResult) => boolean): number =>
    changes.filter(({ result }) => is(result)).length;
  return {
    create: count(({ change }) => change === 'create'),
    update: count(({ change }) => change === 'update'),
    delete: prune ? unlisted.length : 0,
    adopt: count(({ change, isAdopted }) => change === 'none' && isAdopted),
    none: count(({ change, isAdopted }) => change === 'none' && !isAdopted),
    refused: count(({ refusal }) => refusal !== null),
    unlisted: unlisted.length,
  };
}

async function compareAll(
  ask: Ask,
  definitions: readonly Definition[],
  known: { managed: readonly ManagedJob[]; defaultTimeoutSeconds: number },
): Promise<DefinitionResult[]> {
  const { defaultTimeoutSeconds } = known;
  const managed = new Map(known.managed.map(({ key, job }) => [key, job]));
  const isAnyAdopted = definitions.some(({ key, adopt }) => adopt && !managed.has(key));
  const jobs = new Map<string | undefined, contract.Job>(
    isAnyAdopted ? (await allJobs(ask)).map((job) => [job.id, job]) : [],
  );
  for (const { job } of known.managed) jobs.delete(job.id);
  return definitions.map((definition) => {
    const { key, adopt } = definition;
    const isManaged = managed.has(key);
    const job = managed.get(key) ?? jobs.get(adopt);
    return compare(definition, job, { defaultTimeoutSeconds, isManaged });
  });
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key < other.key ? -1 : 1;
}
