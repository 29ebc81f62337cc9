/** Channels and deliveries as the API returns them. */

import type { ShownChannel } from '../../domain/alerts/channel.ts';
import type { Delivery, TriedDelivery } from '../../domain/alerts/delivery.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import type * as contract from './contract.ts';

/** A channel without its `config`. */
export function channelShape(channel: ShownChannel): contract.Channel {
  const { id, name, type, destination, enabled, jobIds, afterFailures, createdAt, lastDelivery } =
    channel;
  return {
    id,
    name,
    type,
    destination,
    enabled,
    jobIds: jobIds && [...jobIds],
    afterFailures,
    createdAt: isoTime(createdAt),
    lastDelivery: lastDelivery && deliveryShape(lastDelivery),
  };
}

/** A delivery without its attempts. */
export function deliveryShape(delivery: Delivery): contract.Delivery {
  const { id, event, status, attempts, lastAttemptAt, lastError, createdAt } = delivery;
  return {
    id,
    event,
    status,
    attempts,
    lastAttemptAt: isoTimeOrNull(lastAttemptAt),
    lastError,
    createdAt: isoTime(createdAt),
  };
}

/** A delivery with its attempts. */
export function triedDeliveryShape({ delivery, attempts }: TriedDelivery): contract.TriedDelivery {
  return {
    delivery: deliveryShape(delivery),
    attempts: attempts.map((attempt) => ({ ...attempt, startedAt: isoTime(attempt.startedAt) })),
  };
}
