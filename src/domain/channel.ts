/** A channel: where alerts of a workspace go, and which. */

import { isMonitorEdge } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import type { Edge } from './alert.ts';

export const channelTypes = ['webhook', 'email', 'slack', 'discord', 'telegram', 'ntfy'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Bounds of the fields; lengths in characters. */
export const channelLimits = {
  nameLength: 120,
  afterFailures: { min: 1, max: 100 },
  jobIds: 1_000,
  /** Longest value of a field of `config`. */
  configLength: 2_048,
  /** Channels of one workspace. */
  count: 100,
} as const;

/** What of a channel is no secret; `createdAt` in epoch milliseconds. */
export interface Channel {
  id: string;
  workspaceId: string;
  name: string;
  type: ChannelType;
  enabled: boolean;
  /** The jobs and monitors it serves; null for all of the workspace. */
  jobIds: readonly string[] | null;
  /** So many failures of a job in a row are needed before it is told. */
  afterFailures: number;
  createdAt: number;
}

/** A channel with the delivery that was made last. */
export interface ShownChannel extends Channel {
  lastDelivery: Delivery | null;
}

/** Where it delivers to, with its secrets: a text for each field. It is kept sealed. */
export type ChannelConfig = Readonly<Record<string, string>>;

/** Which channels hear of an edge. */
export interface Audience {
  /** Channels of its workspace. */
  channels: readonly Channel[];
  /** Ids of those that were told of the failure. */
  told: ReadonlySet<string>;
}

/**
 * The channels that hear of an edge: of a failure those that serve the job and ask for just so many in a
 * row, each once; of a recovery those that were told of the failure.
 */
export function recipientsOf(edge: Edge, { channels, told }: Audience): Channel[] {
  const enabled = channels.filter((channel) => channel.enabled);
  if (edge.type === 'job.recovered' || edge.type === 'monitor.up') {
    return enabled.filter(({ id }) => told.has(id));
  }
  return enabled.filter(
    ({ id, jobIds, afterFailures }) =>
      !told.has(id) &&
      (jobIds === null || jobIds.includes(edge.subjectId)) &&
      (isMonitorEdge(edge) || afterFailures === edge.failures),
  );
}
