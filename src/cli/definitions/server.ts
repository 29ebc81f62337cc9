/** What the server knows of jobs, and the definitions sent to it. */

import type * as contract from '../../api/jobs/contract.ts';
import type { Me } from '../../api/accounts/contract.ts';
import { longestBatch } from '../../domain/jobs/managed-job.ts';
import { defaultTimeoutSeconds } from '../../domain/accounts/plan.ts';
import { createAsker, pages } from '../client/client.ts';
import type { Ask } from '../client/client.ts';
import { withinRateLimit } from '../client/retry.ts';
import { clientConfig } from '../client/settings.ts';
import type { Output } from '../terminal/output.ts';
import type { Definition } from './definition.ts';

/** The API takes bodies of 256 KiB. */
const mostBytes = 255 * 1024;

/** A definition as the API takes it; its job is null for no job at all. */
export type DefinitionInput = contract.Definition;

/** Asks the server, within its rate limit. */
export function asker(output: Output): Ask {
  return withinRateLimit(createAsker(clientConfig()), (line) => output.say(line));
}

/** Sends definitions and yields a result for each, in order. `sent` gets how many were sent, before each request. */
export async function* sendDefinitions(
  ask: Ask,
  inputs: readonly DefinitionInput[],
  { dryRun, sent = () => {} }: { dryRun: boolean; sent?: (count: number) => void },
): AsyncGenerator<contract.DefinitionResult> {
  let count = 0;
  for (const definitions of batchesOf(inputs)) {
    count += definitions.length;
    sent(count);
    const body = { definitions, dryRun };
    const { results } = await ask<contract.DefinitionResults>('POST', '/managed-jobs', body);
    yield* results;
  }
}

/** As few requests as their limits allow. */
function batchesOf(inputs: readonly DefinitionInput[]): DefinitionInput[][] {
  const batches: DefinitionInput[][] = [];
  let bytesLeft = 0;
  for (const input of inputs) {
    const bytes = Buffer.byteLength(JSON.stringify(input)) + 1;
    const last = batches.at(-1);
    if (last === undefined || bytesLeft < bytes || last.length === longestBatch) {
      batches.push([input]);
      bytesLeft = mostBytes - bytes;
    } else {
      last.push(input);
      bytesLeft -= bytes;
    }
  }
  return batches;
}

/** A definition of a file as the API takes it. */
export function inputOf({ key, job, adopt }: Definition): DefinitionInput {
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

/** Whether the key may write, and the timeout of a job that gives none. */
export async function askMe(
  ask: Ask,
): Promise<{ mayWrite: boolean; defaultTimeoutSeconds: number }> {
  const { permission, plan } = await ask<Me>('GET', '/me');
  return {
    mayWrite: permission === 'write',
    defaultTimeoutSeconds: defaultTimeoutSeconds(plan),
  };
}
