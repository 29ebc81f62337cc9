/** What definitions would change. Planning asks the server and changes nothing. */

import type * as contract from '../../api/jobs/contract.ts';
import type { DefinitionResult, ManagedJob } from '../../api/jobs/contract.ts';
import { changedFields, changedHeaders, definedJob } from '../../domain/jobs/managed-job.ts';
import type { Ask } from '../client/client.ts';
import type { Definition } from './definition.ts';
import { allJobs, askMe, inputOf, managedJobs, sendDefinitions } from './server.ts';

/** A definition, and what it would change. */
export interface PlannedChange {
  definition: Definition;
  /** With the job as it is. */
  result: DefinitionResult;
}

export interface Plan {
  /** One per definition, ordered by key. */
  changes: PlannedChange[];
  /** Managed jobs without a definition, ordered by key: pruning would delete them. */
  unlisted: ManagedJob[];
  /** Whether the key may write. If so, the server has compared the values of headers too. */
  mayWrite: boolean;
  /** The account's default, where a definition has no timeout. */
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

/** Makes a plan. With a read-only key the values of headers are not compared. Throws as the client does. */
export async function makePlan(ask: Ask, definitions: readonly Definition[]): Promise<Plan> {
  const { mayWrite, defaultTimeoutSeconds } = await askMe(ask);
  const managed = await managedJobs(ask);
  const sorted = definitions.toSorted(byKey);
  const results = mayWrite
    ? await Array.fromAsync(sendDefinitions(ask, sorted.map(inputOf), { dryRun: true }))
    : await compareAll(ask, sorted, managed, defaultTimeoutSeconds);
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

/** Counts the changes of a plan. Jobs that are not in the files count as deleted only with `prune`. */
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

/** Compares without the server, by the same rule, except for the values of headers, which nobody is shown. */
async function compareAll(
  ask: Ask,
  definitions: readonly Definition[],
  managed: readonly ManagedJob[],
  defaultTimeout: number,
): Promise<DefinitionResult[]> {
  const byKeys = new Map(managed.map(({ key, job }) => [key, job]));
  const isAnyAdopted = definitions.some(({ key, adopt }) => adopt && !byKeys.has(key));
  const jobs = new Map<string | undefined, contract.Job>(
    isAnyAdopted ? (await allJobs(ask)).map((job) => [job.id, job]) : [],
  );
  for (const { job } of managed) jobs.delete(job.id);
  return definitions.map(({ key, job: input, adopt }) => {
    const own = byKeys.get(key);
    const job = own ?? jobs.get(adopt) ?? null;
    const isAdopted = own === undefined && job !== null;
    const result = { key, changedFields: [], changedHeaders: [], isAdopted, job, refusal: null };
    if (job === null) return { ...result, change: 'create' };
    const before = { ...job, headers: withoutValues(job.headerNames) };
    const defined = definedJob(input, defaultTimeout);
    const after = { ...defined, headers: withoutValues(Object.keys(defined.headers)) };
    const fields = changedFields(before, after);
    return {
      ...result,
      change: fields.length > 0 ? 'update' : 'none',
      changedFields: fields,
      changedHeaders: changedHeaders(before, after),
    };
  });
}

function withoutValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key < other.key ? -1 : 1;
}
