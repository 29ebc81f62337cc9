/** What the definition of a channel stands for. */

import { defineChannel, type ChannelInput, type ChannelSettings } from './channel.ts';
import { channelFields } from './fields.ts';
import { valuesIn } from '../fields.ts';

/** Stands for all jobs, or all monitors, in the list of a definition. It cannot be a key. */
export const everyOne = '*';

/** A channel as a definition says it, with keys of jobs and monitors. Without both lists it serves all, with one only that. */
export interface ChannelDefinition extends Omit<ChannelInput, 'jobIds' | 'monitorIds'> {
  jobs?: readonly string[] | null;
  monitors?: readonly string[] | null;
}

/** Whom a channel serves: null for all. */
export interface Served {
  jobs: readonly string[] | null;
  monitors: readonly string[] | null;
}

/** Whom a definition means. */
export function servedBy({ jobs, monitors }: Pick<ChannelDefinition, 'jobs' | 'monitors'>): Served {
  if (!jobs && !monitors) return { jobs: null, monitors: null };
  return { jobs: listed(jobs ?? []), monitors: listed(monitors ?? []) };
}

function listed(keys: readonly string[]): readonly string[] | null {
  return keys.includes(everyOne) ? null : keys;
}

/** The lists of a definition that mean this; undefined for one that is left out. */
export function listsOf({ jobs, monitors }: Served): Pick<ChannelDefinition, 'jobs' | 'monitors'> {
  if (jobs === null && monitors === null) return {};
  return {
    ...((jobs === null || jobs.length > 0 || monitors?.length === 0) && {
      jobs: jobs ?? [everyOne],
    }),
    ...((monitors === null || monitors.length > 0) && { monitors: monitors ?? [everyOne] }),
  };
}

/** The settings that an input stands for: a field that it leaves out has its default. Throws `invalid_input`. */
export function definedChannel(input: ChannelInput): ChannelSettings {
  return valuesIn(channelFields, defineChannel(input, { id: '', workspaceId: '', now: 0 }));
}
