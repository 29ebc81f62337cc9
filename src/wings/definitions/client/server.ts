/** What the server knows of jobs, monitors and channels, and the definitions sent to it. */

import type * as contract from '../api/contract.ts';
import type { Me } from '../../../api/accounts/contract.ts';
import type { ShownInList } from '../../../domain/definition.ts';
import { longestBatch } from '../../../domain/definition.ts';
import type { After } from '../../../domain/jobs/after.ts';
import { defaultTimeoutSeconds } from '../../../domain/accounts/plan.ts';
import { createAsker, pages } from '../../../cli/client/client.ts';
import type { Ask } from '../../../cli/client/client.ts';
import { withinRateLimit } from '../../../cli/client/retry.ts';
import { clientConfig } from '../../../cli/client/settings.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import type { Definition, FileKind, Input, ManagedItem, Section } from './kind.ts';

/** The API takes bodies of 256 KiB. */
const mostBytes = 255 * 1024;

/** A definition to send; its input is null for nothing at all. */
export interface DefinitionInput {
  key: string;
  input: Input | null;
  adopt?: string;
}

/** The outcome of a definition, the same for every kind. */
export interface DefinitionResult {
  key: string;
  change: contract.JobDefinitionResult['change'];
  changedFields: readonly string[];
  changedHidden: readonly string[];
  isAdopted: boolean;
  item: ManagedItem | null;
  refusal: contract.JobDefinitionResult['refusal'];
}

/** The outcome of a definition that is not sent: what is wrong with it is known here. `status` as the server would answer. */
export function refused(key: string, error: string, status = 400): DefinitionResult {
  const nothing = { change: null, changedFields: [], changedHidden: [], isAdopted: false };
  return { key, ...nothing, item: null, refusal: { status, error } };
}

/** Managed jobs, monitors and channels, or all, by section. */
export type ManagedItems = Readonly<Record<Section, readonly ManagedItem[]>>;

/** Asks the server, within its rate limit. */
export function asker(output: Output): Ask {
  return withinRateLimit(createAsker(clientConfig()), (line) => output.say(line));
}

type JobAnswer = contract.ManagedJob | contract.JobDefinitionResult;
type MonitorAnswer = contract.ManagedMonitor | contract.MonitorDefinitionResult;
type ChannelAnswer = contract.ManagedChannel | contract.ChannelDefinitionResult;
type Answer = JobAnswer | MonitorAnswer | ChannelAnswer;

/** What an answer is about; null if there is none. */
function itemOf(answer: Answer): ManagedItem | null {
  const { key } = answer;
  if ('job' in answer) {
    const { job } = answer;
    if (job === null) return null;
    const { id, name, headerNames: hiddenNames } = job;
    return { key, id, name, document: { after: null, onResult: null, ...job }, hiddenNames };
  }
  if ('monitor' in answer) {
    const { monitor } = answer;
    return (
      monitor && { key, id: monitor.id, name: monitor.name, document: monitor, hiddenNames: [] }
    );
  }
  const { channel, configFields } = answer;
  if (channel === null) return null;
  const document = { ...channel };
  return { key, id: channel.id, name: channel.name, document, hiddenNames: configFields };
}

/** The keys of jobs and monitors, by their ids. `keyOf` gives a key to those made by hand. */
export function keysById(
  { jobs, monitors }: Pick<ManagedItems, 'jobs' | 'monitors'>,
  keyOf = (_: Section, { key }: ManagedItem): string | null => key,
): ReadonlyMap<string, string> {
  const entries = Object.entries({ jobs, monitors }).flatMap(([section, items]) =>
    items.flatMap((item) => {
      const key = keyOf(section as Section, item);
      return key === null ? [] : [[item.id, key] as const];
    }),
  );
  return new Map(entries);
}

/** A job or channel with the keys that `keysById` knows, of the jobs and monitors it names. An id without a key stands for itself. */
export function withKeys(
  section: Section,
  item: ManagedItem,
  known: ReadonlyMap<string, string>,
): ManagedItem {
  if (section === 'jobs') return jobWithKey(item, known);
  return section === 'channels' ? channelWithKeys(item, known) : item;
}

function jobWithKey(job: ManagedItem, known: ReadonlyMap<string, string>): ManagedItem {
  const after = job.document['after'] as After | null;
  if (after === null) return job;
  const jobId = known.get(after.jobId) ?? after.jobId;
  return { ...job, document: { ...job.document, after: { ...after, jobId } } };
}

function channelWithKeys(channel: ManagedItem, known: ReadonlyMap<string, string>): ManagedItem {
  const keysOf = (field: 'jobIds' | 'monitorIds'): string[] | null => {
    const ids = channel.document[field] as readonly string[] | null;
    return ids && ids.map((id) => known.get(id) ?? id);
  };
  const served = { jobs: keysOf('jobIds'), monitors: keysOf('monitorIds') };
  return { ...channel, document: { ...channel.document, ...served } };
}

/** Sends definitions of one kind and yields a result for each, in order. `sent` gets how many were sent, before each request. */
export async function* sendDefinitions(
  ask: Ask,
  { section, noun }: FileKind,
  inputs: readonly DefinitionInput[],
  { dryRun, sent = () => {} }: { dryRun: boolean; sent?: (count: number) => void },
): AsyncGenerator<DefinitionResult> {
  let count = 0;
  const definitions = inputs.map(({ input, ...rest }) => ({ ...rest, [noun]: input }));
  for (const batch of batchesOf(definitions)) {
    count += batch.length;
    sent(count);
    const path = `/managed-${section}`;
    const { results } = await ask<{
      results: (
        | contract.JobDefinitionResult
        | contract.MonitorDefinitionResult
        | contract.ChannelDefinitionResult
      )[];
    }>('POST', path, { definitions: batch, dryRun });
    for (const result of results) {
      const { key, change, changedFields, isAdopted, refusal } = result;
      const changedHidden =
        'changedHeaders' in result
          ? result.changedHeaders
          : 'changedConfig' in result
            ? result.changedConfig
            : [];
      const item = itemOf(result);
      yield { key, change, changedFields, changedHidden, isAdopted, item, refusal };
    }
  }
}

/** As few requests as their limits allow. */
function batchesOf(definitions: readonly object[]): object[][] {
  const batches: object[][] = [];
  let bytesLeft = 0;
  for (const definition of definitions) {
    const bytes = Buffer.byteLength(JSON.stringify(definition)) + 1;
    const last = batches.at(-1);
    if (last === undefined || bytesLeft < bytes || last.length === longestBatch) {
      batches.push([definition]);
      bytesLeft = mostBytes - bytes;
    } else {
      last.push(definition);
      bytesLeft -= bytes;
    }
  }
  return batches;
}

/** A definition of a file as it is sent. */
export function inputOf({ key, input, adopt }: Definition): DefinitionInput {
  return { key, input, ...(adopt !== undefined && { adopt }) };
}

/** All managed jobs, monitors and channels, or with `all` those made by hand too. */
export async function managedItems(ask: Ask, show: ShownInList): Promise<ManagedItems> {
  const list = async (section: Section, name: string): Promise<ManagedItem[]> => {
    const path = `/managed-${section}${show === 'all' ? '?show=all' : ''}`;
    const answers = await Array.fromAsync(pages<Answer>(ask, path, name));
    return answers.map(itemOf).filter((item) => item !== null);
  };
  const jobs = await list('jobs', 'managedJobs');
  const monitors = await list('monitors', 'managedMonitors');
  const channels = await list('channels', 'managedChannels');
  const known = keysById({ jobs, monitors });
  return {
    jobs: jobs.map((job) => withKeys('jobs', job, known)),
    monitors,
    channels: channels.map((channel) => withKeys('channels', channel, known)),
  };
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
