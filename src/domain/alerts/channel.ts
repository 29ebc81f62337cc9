/** A channel: where alerts of a workspace go, and which. What is not given has its default, what is wrong is refused. */

import { isoTime } from '../clock.ts';
import type { Subject } from './alert.ts';
import type { Delivery } from './delivery.ts';
import { checkFields, defaultsOf, type ValuesOf } from '../fields.ts';
import { alsoOnWords, channelFields } from './fields.ts';
import { isOfMonitor, isRecovery, type HealthChange } from './health-change.ts';
import type { ChannelConfig } from './kinds/kind.ts';
import type { ChannelType } from './kinds/registry.ts';
import { invalidInput } from '../errors.ts';
import { fits, readSelector, type Labels, type Selector } from '../labels.ts';
import { writable } from '../read-only.ts';

/** Channels of one workspace. */
export const mostChannels = 100;

/** What people set of a channel besides its config, as its table says (`fields.ts`). */
export type ChannelSettings = ValuesOf<typeof channelFields>;

/** A channel without its config; `createdAt` in epoch milliseconds. */
export interface Channel extends ChannelSettings {
  id: string;
  workspaceId: string;
  type: ChannelType;
  createdAt: number;
}

/** A channel as it is kept, with its last delivery. */
export interface KeptChannel extends Channel {
  /** Its config. */
  sealed: string;
  lastDelivery: Delivery | null;
  /** Deliveries that were given up since the last one that arrived. */
  consecutiveFailures: number;
  /** Its alerts wait, as an attempt failed: when the next one is, in epoch milliseconds; null if none waits for that. */
  nextAttemptAt: number | null;
}

export interface ShownChannel extends Omit<KeptChannel, 'sealed'> {
  /** Where it leads, without what is secret; null if its config cannot be opened. */
  destination: string | null;
}

export interface ChannelInput extends Partial<ChannelSettings> {
  name: string;
  type: ChannelType;
  config: ChannelConfig;
}

/** Fields that are not given stay as they are. The answer of a GET can be sent back. */
export interface ChannelUpdate extends Partial<ChannelSettings> {
  /** Replaces all of it, except what jobd generated (`ConfigField.generate`). */
  config?: ChannelConfig;
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
  const settings = { ...defaultsOf(channelFields), name, monitorIds };
  const channel = { id, workspaceId, type, createdAt: now, ...settings };
  return changeChannel(channel, { name, ...fields });
}

/** Applies an update. Throws `invalid_input`. */
export function changeChannel(channel: Channel, update: ChannelUpdate): Channel {
  const { id, type, createdAt } = channel;
  const fields = writable(channelFields, update, { id, type, createdAt: isoTime(createdAt) });
  checkFields(channelFields, fields);
  const changed = { ...channel, ...fields };
  const { alsoOn, selector, jobIds, monitorIds } = changed;
  if (selector !== null) readSelector(selector);
  if (selector !== null && (jobIds !== null || monitorIds !== null)) {
    throw invalidInput('selector excludes chosen jobs and monitors: choose by one of them');
  }
  return { ...changed, alsoOn: alsoOnWords.filter((word) => alsoOn.includes(word)) };
}

type Served = Pick<Channel, 'jobIds' | 'monitorIds' | 'selector'>;

/** Selectors of channels that were read: one transaction may ask a channel about hundreds of runs. */
const selectors = new WeakMap<Served, Selector>();

/** Whether a channel serves a job or monitor. */
export function serves(
  channel: Served,
  { type, id, labels = null }: Pick<Subject, 'type' | 'id'> & { labels?: Labels | null },
): boolean {
  const { jobIds, monitorIds, selector } = channel;
  if (selector !== null) {
    const terms = selectors.get(channel) ?? readSelector(selector);
    selectors.set(channel, terms);
    return fits(labels, terms);
  }
  const chosen = type === 'job' ? jobIds : monitorIds;
  return chosen === null || chosen.includes(id);
}

/** Whether a channel asks for alerts of this failure. A recovery is none. `labels` are those of its subject. */
export function servesFailure(
  channel: Channel,
  change: HealthChange,
  labels: Labels | null,
): boolean {
  if (!channel.enabled || isRecovery(change) || !servesSubject(channel, change, labels))
    return false;
  return isOfMonitor(change) || channel.afterFailures === change.failures;
}

/** Whether a channel serves the job or monitor of a change, which has these labels. */
export function servesSubject(
  channel: Served,
  change: HealthChange,
  labels: Labels | null,
): boolean {
  const type = isOfMonitor(change) ? 'monitor' : 'job';
  return serves(channel, { type, id: change.subjectId, labels });
}
