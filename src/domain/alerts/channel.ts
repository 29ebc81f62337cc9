/** A channel: where alerts of a workspace go, and which. What is not given has its default, what is wrong is refused. */

import { isoTime } from '../clock.ts';
import type { Subject } from './alert.ts';
import type { Delivery } from './delivery.ts';
import { invalidInput } from '../errors.ts';
import { isOfMonitor, isRecovery } from './health-change.ts';
import type { HealthChange } from './health-change.ts';
import type { ChannelConfig } from './kinds/kind.ts';
import type { ChannelType } from './kinds/registry.ts';
import { writable } from '../read-only.ts';

/** Bounds of the fields; lengths in characters. */
export const channelLimits = {
  afterFailures: { min: 1, max: 100 },
  jobIds: 1_000,
  monitorIds: 1_000,
  /** 15 minutes to 7 days. */
  remindEverySeconds: { min: 900, max: 604_800 },
  /** Longest value of a field of `config`. */
  configLength: 2_048,
  /** Channels of one workspace. */
  count: 100,
} as const;

/** Runs that change no health: a channel may ask for alerts of them too. */
export const alsoOnWords = ['missed', 'interrupted'] as const;
export type AlsoOn = (typeof alsoOnWords)[number];

/** A channel without its config; `createdAt` in epoch milliseconds. */
export interface Channel {
  id: string;
  workspaceId: string;
  name: string;
  type: ChannelType;
  enabled: boolean;
  /** The jobs it serves; null for all of the workspace. */
  jobIds: readonly string[] | null;
  /** The monitors it serves; null for all of the workspace. */
  monitorIds: readonly string[] | null;
  /** Consecutive failures of a job before the channel is alerted. */
  afterFailures: number;
  alsoOn: readonly AlsoOn[];
  /** How often it is reminded of what is still down; null for never. */
  remindEverySeconds: number | null;
  createdAt: number;
}

/** A channel as it is kept, with its last delivery. */
export interface KeptChannel extends Channel {
  /** Its config. */
  sealed: string;
  lastDelivery: Delivery | null;
  /** Deliveries that were given up since the last one that arrived. */
  consecutiveFailures: number;
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
  monitorIds?: readonly string[] | null;
  afterFailures?: number;
  alsoOn?: readonly AlsoOn[];
  remindEverySeconds?: number | null;
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
  consecutiveFailures?: number;
}

/**
 * Makes a channel. Unless it is said, one for all jobs serves all monitors, and one for chosen jobs serves none. Its config is
 * checked by `checkConfig`. Throws `invalid_input`.
 */
export function defineChannel(
  input: ChannelInput,
  { id, workspaceId, now }: { id: string; workspaceId: string; now: number },
): Channel {
  const { name, type, config: _, ...fields } = input;
  const monitorIds = (fields.jobIds ?? null) === null ? null : [];
  const served = { enabled: true, jobIds: null, monitorIds, afterFailures: 1 };
  const more = { alsoOn: [], remindEverySeconds: null };
  const channel = { id, workspaceId, name, type, createdAt: now, ...served, ...more };
  return changeChannel(channel, { name, ...fields });
}

/** Applies an update. Throws `invalid_input`. */
export function changeChannel(channel: Channel, update: ChannelUpdate): Channel {
  const { id, type, createdAt } = channel;
  const { config: _, ...fields } = writable(update, {
    fixed: { id, type, createdAt: isoTime(createdAt) },
    passing: ['destination', 'lastDelivery', 'consecutiveFailures'],
  });
  if (fields.name?.trim() === '') throw invalidInput('name must not be blank');
  for (const field of ['jobIds', 'monitorIds'] as const) {
    const count = fields[field]?.length ?? 0;
    if (count > channelLimits[field]) {
      throw invalidInput(`${field} must be at most ${channelLimits[field]}, got ${count}`);
    }
  }
  const alsoOn = fields.alsoOn ?? channel.alsoOn;
  return { ...channel, ...fields, alsoOn: alsoOnWords.filter((word) => alsoOn.includes(word)) };
}

/** Whether a channel serves a job or monitor. */
export function serves(
  { jobIds, monitorIds }: Pick<Channel, 'jobIds' | 'monitorIds'>,
  { type, id }: Pick<Subject, 'type' | 'id'>,
): boolean {
  const chosen = type === 'job' ? jobIds : monitorIds;
  return chosen === null || chosen.includes(id);
}

/** Whether a channel asks for alerts of this failure. A recovery is none. */
export function servesFailure(channel: Channel, change: HealthChange): boolean {
  if (!channel.enabled || isRecovery(change)) return false;
  const type = isOfMonitor(change) ? 'monitor' : 'job';
  if (!serves(channel, { type, id: change.subjectId })) return false;
  return type === 'monitor' || channel.afterFailures === change.failures;
}
