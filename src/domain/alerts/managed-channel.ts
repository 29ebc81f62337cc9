/** What the definition of a channel stands for, and in what a channel differs from it. */

import { defineChannel } from './channel.ts';
import type { Channel, ChannelInput } from './channel.ts';
import { changedNames } from '../definition.ts';

/** Stands for all jobs, or all monitors, in the list of a definition. It cannot be a key. */
export const everyOne = '*';

/**
 * A channel as a definition says it: it names jobs and monitors by their keys. Without both lists it serves all, with one
 * of them only what that lists.
 */
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

/** Fields that are given once, and those that people do not set. */
const fixed = new Set(['id', 'workspaceId', 'type', 'createdAt']);

/** What people set of a channel besides its config. Every field that a channel has is one. */
export type ChannelSettings = Omit<Channel, 'id' | 'workspaceId' | 'type' | 'createdAt'>;

/** The settings that an input stands for: a field that it leaves out has its default. Throws `invalid_input`. */
export function definedChannel(input: ChannelInput): ChannelSettings {
  const whole = defineChannel(input, { id: '', workspaceId: '', now: 0 });
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => !fixed.has(name)),
  ) as unknown as ChannelSettings;
}

/** The settings in which two channels differ. The order of what a channel serves means nothing. */
export function changedChannelFields(before: ChannelSettings, after: ChannelSettings): string[] {
  const names = Object.keys(after) as (keyof ChannelSettings)[];
  return names.filter((name) => comparable(before[name]) !== comparable(after[name]));
}

function comparable(value: unknown): string {
  const isList = Array.isArray(value);
  return JSON.stringify(isList ? value.map(String).toSorted() : value) ?? '';
}

/** The names of the fields of `config` in which two configs differ, sorted. */
export const changedConfig = changedNames;
