/** A channel: where alerts of a workspace go, and which. */

import { isMonitorEdge, isRecovery } from './alert.ts';
import type { Edge } from './alert.ts';
import type { Delivery } from './delivery.ts';

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

/** Whether an edge is a failure that this channel is to be alerted of, as far as its settings say. */
export function servesFailure({ enabled, jobIds, afterFailures }: Channel, edge: Edge): boolean {
  if (!enabled || isRecovery(edge)) return false;
  const isServed = jobIds === null || jobIds.includes(edge.subjectId);
  return isServed && (isMonitorEdge(edge) || afterFailures === edge.failures);
}
