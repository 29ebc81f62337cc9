/** A channel: where alerts of a workspace go, and which. What is not given has its default, what is wrong is refused. */

import { isoTime } from '../clock.ts';
import { nameRule } from '../fields.ts';
import type { Delivery } from './delivery.ts';
import { invalidInput } from '../errors.ts';
import { isOfMonitor, isRecovery } from './health-change.ts';
import type { HealthChange } from './health-change.ts';
import type { ChannelConfig } from './kinds/kind.ts';
import type { ChannelType } from './kinds/registry.ts';
import { writable } from '../read-only.ts';

/** Bounds of the fields; lengths in characters. */
export const channelLimits = {
  nameLength: nameRule.maxLength,
  afterFailures: { min: 1, max: 100 },
  jobIds: 1_000,
  /** Longest value of a field of `config`. */
  configLength: 2_048,
  /** Channels of one workspace. */
  count: 100,
} as const;

/** A channel without its config; `createdAt` in epoch milliseconds. */
export interface Channel {
  id: string;
  workspaceId: string;
  name: string;
  type: ChannelType;
  enabled: boolean;
  /** The jobs and monitors it serves; null for all of the workspace. */
  jobIds: readonly string[] | null;
  /** Consecutive failures of a job before the channel is alerted. */
  afterFailures: number;
  createdAt: number;
}

/** A channel as it is kept, with its last delivery. */
export interface KeptChannel extends Channel {
  /** Its config. */
  sealed: string;
  lastDelivery: Delivery | null;
}

/** A channel as people see it. */
export interface ShownChannel extends Omit<KeptChannel, 'sealed'> {
  /** Where it leads, without what is secret; null if its config cannot be opened. */
  destination: string | null;
}

/** The fields that people set. */
interface ChannelFields {
  name?: string;
  /** Replaces all of it, except what jobd generated (`ConfigField.generate`). */
  config?: ChannelConfig;
  enabled?: boolean;
  jobIds?: readonly string[] | null;
  afterFailures?: number;
}

export interface ChannelInput extends ChannelFields {
  name: string;
  type: ChannelType;
  config: ChannelConfig;
}

/** Fields that are not given stay as they are. The answer of a GET can be sent back. */
export interface ChannelUpdate extends ChannelFields {
  id?: string;
  type?: ChannelType;
  createdAt?: string;
  destination?: string | null;
  lastDelivery?: object | null;
}

/** Makes a channel. Its config is checked by `checkConfig`. Throws `invalid_input`. */
export function defineChannel(
  input: ChannelInput,
  { id, workspaceId, now }: { id: string; workspaceId: string; now: number },
): Channel {
  const { name, type, config: _, ...fields } = input;
  const defaults = { enabled: true, jobIds: null, afterFailures: 1 };
  const channel = { id, workspaceId, name, type, createdAt: now, ...defaults };
  return changeChannel(channel, { name, ...fields });
}

/** Applies an update. Throws `invalid_input`. */
export function changeChannel(channel: Channel, update: ChannelUpdate): Channel {
  const { id, type, createdAt } = channel;
  const { config: _, ...fields } = writable(update, {
    fixed: { id, type, createdAt: isoTime(createdAt) },
    passing: ['destination', 'lastDelivery'],
  });
  if (fields.name?.trim() === '') throw invalidInput('name must not be blank');
  const jobIds = fields.jobIds ?? [];
  if (jobIds.length > channelLimits.jobIds) {
    throw invalidInput(`jobIds must be at most ${channelLimits.jobIds}, got ${jobIds.length}`);
  }
  return { ...channel, ...fields };
}

/** Whether a channel asks for alerts of this failure. A recovery is none. */
export function servesFailure(
  { enabled, jobIds, afterFailures }: Channel,
  change: HealthChange,
): boolean {
  if (!enabled || isRecovery(change)) return false;
  const isServed = jobIds === null || jobIds.includes(change.subjectId);
  return isServed && (isOfMonitor(change) || afterFailures === change.failures);
}
