/** Channels and deliveries as the API returns them. */

import type { ShownChannel } from '../../domain/alerts/channel.ts';
import type {
  Delivery,
  NamedDelivery,
  PostedResult,
  TriedDelivery,
} from '../../domain/alerts/delivery.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { valuesIn } from '../../domain/fields.ts';
import type * as contract from './contract.ts';

/** A channel without its `config`. */
export function channelShape(channel: ShownChannel): contract.Channel {
  const { id, type, destination, createdAt, lastDelivery, consecutiveFailures } = channel;
  return {
    id,
    type,
    ...valuesIn(channelFields, channel),
    destination,
    createdAt: isoTime(createdAt),
    lastDelivery: lastDelivery && deliveryShape(lastDelivery),
    consecutiveFailures,
    nextAttemptAt: isoTimeOrNull(channel.nextAttemptAt),
  };
}

/** A delivery without its attempts. */
export function deliveryShape(delivery: Delivery): contract.Delivery {
  const { id, event, subject, status, attempts, lastAttemptAt, lastError, createdAt } = delivery;
  return {
    id,
    event,
    subject,
    status,
    attempts,
    lastAttemptAt: isoTimeOrNull(lastAttemptAt),
    lastError,
    createdAt: isoTime(createdAt),
  };
}

/** A delivery with its channel. */
export function listedDeliveryShape(delivery: NamedDelivery): contract.ListedDelivery {
  const { channelId: id, channelName: name } = delivery;
  return { ...deliveryShape(delivery), channel: { id, name } };
}

/** A result of a job. */
export function postedResultShape(result: PostedResult): contract.PostedResult {
  const { runId, nextAttemptAt } = result;
  return { ...deliveryShape(result), runId, nextAttemptAt: isoTimeOrNull(nextAttemptAt) };
}

/** A delivery with its attempts. */
export function triedDeliveryShape({ delivery, attempts }: TriedDelivery): contract.TriedDelivery {
  return {
    delivery: deliveryShape(delivery),
    attempts: attempts.map((attempt) => ({ ...attempt, startedAt: isoTime(attempt.startedAt) })),
  };
}
