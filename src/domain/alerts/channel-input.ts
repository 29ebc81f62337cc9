/** Channels as people give them: what is not given has its default, what is wrong is refused. */

import { checkLength } from '../characters.ts';
import { channelLimits } from './channel.ts';
import type { Channel, ChannelConfig, ChannelType } from './channel.ts';
import { channelKinds } from './kinds/registry.ts';
import { isoTime } from '../clock.ts';
import { invalidInput } from '../errors.ts';
import { writable } from '../read-only.ts';
import type { AllowedTarget } from '../targets/target.ts';

/** Fields that may change. */
interface ChannelFields {
  name?: string;
  /** Replaces the whole; but a webhook without a new secret keeps its own. */
  config?: ChannelConfig;
  enabled?: boolean;
  jobIds?: readonly string[] | null;
  afterFailures?: number;
}

/** Fields of a channel as people read them, which they cannot set. */
interface ChannelReading {
  id: string;
  type: ChannelType;
  createdAt: string;
  lastDelivery: object | null;
}

/** What is not given stays as it is. A channel may be sent back as it was read. */
export interface ChannelUpdate extends ChannelFields, Partial<ChannelReading> {}

export interface ChannelInput extends ChannelFields {
  name: string;
  type: ChannelType;
  config: ChannelConfig;
}

/** Makes a channel; its config is checked by `checkConfig`. Throws `invalid_input`. */
export function defineChannel(
  input: ChannelInput,
  { id, workspaceId, now }: { id: string; workspaceId: string; now: number },
): Channel {
  const { type, config: _, ...fields } = input;
  const blank: Channel = {
    id,
    workspaceId,
    name: input.name,
    type,
    enabled: true,
    jobIds: null,
    afterFailures: 1,
    createdAt: now,
  };
  return changeChannel(blank, fields);
}

/** Changes a channel: only what is given. Throws `invalid_input`. */
export function changeChannel(channel: Channel, update: ChannelUpdate): Channel {
  const { id, type, createdAt } = channel;
  const { config: _, ...fields } = writable(update, {
    fixed: { id, type, createdAt: isoTime(createdAt) },
    passing: ['lastDelivery'],
  });
  if (fields.name?.trim() === '') throw invalidInput('name must not be blank');
  const jobIds = fields.jobIds ?? [];
  if (jobIds.length > channelLimits.jobIds) {
    throw invalidInput(`jobIds must be at most ${channelLimits.jobIds}, got ${jobIds.length}`);
  }
  return { ...channel, ...fields };
}

function kindOf(type: ChannelType): string {
  return `${type === 'email' ? 'an' : 'a'} ${type} channel`;
}

/** Checks where a channel of this type delivers to. Throws `invalid_input`, never repeating a secret. */
export function checkConfig(
  type: ChannelType,
  config: ChannelConfig,
  allowTargets: readonly AllowedTarget[],
): void {
  const kind = channelKinds[type];
  const { fields } = kind;
  const known = Object.keys(fields).join(', ');
  for (const [name, value] of Object.entries(config)) {
    if (fields[name] === undefined) {
      throw invalidInput(`config.${name} is not a field of ${kindOf(type)}, known are ${known}`);
    }
    checkLength(`config.${name}`, value, channelLimits.configLength);
  }
  for (const [name, need] of Object.entries(fields)) {
    if (need === 'required' && config[name] === undefined) {
      throw invalidInput(`config.${name} is required for ${kindOf(type)}`);
    }
  }
  kind.check(config, allowTargets);
}
