/** What the server knows of managed jobs, and what it makes of definitions. */

import type * as contract from '../../api/jobs/contract.ts';
import type { Me } from '../../api/accounts/contract.ts';
import { longestBatch } from '../../domain/jobs/managed-job.ts';
import { defaultTimeoutSeconds } from '../../domain/accounts/plan.ts';
import { pages } from '../client/client.ts';
import type { Ask } from '../client/client.ts';
import type { Definition } from './definition.ts';

/** The API takes bodies of 256 KiB. */
const mostBytes = 255 * 1024;

/** What should become of a key; null for no job. */
export type Wish = contract.Definition;

/** What becomes of one wish after the other. `sent` hears how many have been sent so far, before each request. */
export async function* sendWishes(
  ask: Ask,
  wishes: readonly Wish[],
  { dryRun, sent = () => {} }: { dryRun: boolean; sent?: (count: number) => void },
): AsyncGenerator<contract.DefinitionResult> {
  let count = 0;
  for (const definitions of batchesOf(wishes)) {
    count += definitions.length;
    sent(count);
    const body = { definitions, dryRun };
    const { results } = await ask<contract.DefinitionResults>('POST', '/managed-jobs', body);
    yield* results;
  }
}

/** As few requests as their limits allow. */
function batchesOf(wishes: readonly Wish[]): Wish[][] {
  const batches: Wish[][] = [];
  let room = 0;
  for (const wish of wishes) {
    const bytes = Buffer.byteLength(JSON.stringify(wish)) + 1;
    const last = batches.at(-1);
    if (last === undefined || room < bytes || last.length === longestBatch) {
      batches.push([wish]);
      room = mostBytes - bytes;
    } else {
      last.push(wish);
      room -= bytes;
    }
  }
  return batches;
}

/** What a definition asks for. */
export function wishOf({ key, job, adopt }: Definition): Wish {
  return { key, job, ...(adopt !== undefined && { adopt }) };
}

/** All managed jobs. */
export async function managedJobs(ask: Ask): Promise<contract.ManagedJob[]> {
  return await Array.fromAsync(pages(ask, '/managed-jobs', 'managedJobs'));
}

/** All jobs. */
export async function allJobs(ask: Ask): Promise<contract.Job[]> {
  return await Array.fromAsync(pages(ask, '/jobs', 'jobs'));
}

/** What the key may do, and the timeout of a job that gives none. */
export async function askMe(
  ask: Ask,
): Promise<{ mayWrite: boolean; defaultTimeoutSeconds: number }> {
  const { permission, plan } = await ask<Me>('GET', '/me');
  return {
    mayWrite: permission === 'write',
    defaultTimeoutSeconds: defaultTimeoutSeconds(plan),
  };
}
