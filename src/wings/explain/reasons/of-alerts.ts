/** Alerts about the run, and what became of their deliveries. */

import { alertNews } from '../../../domain/alerts/logged-alert.ts';
import { deliveriesKeptMs } from '../../../domain/alerts/delivery.ts';
import type { NamedDelivery } from '../../../domain/alerts/delivery.ts';
import { isFinal } from '../../../domain/runs/run.ts';
import type { Fact, Records } from './facts.ts';
import { counted } from '../../../domain/counted.ts';
import { fact, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** A sentence for each delivery, or why there is none. */
export function alertFacts({ deliveries, run, isWatched, job, now }: Records): Fact[] {
  if (run === null || !isFinal(run.status)) return [];
  const zone = job.timezone;
  if (deliveries.length > 0) return deliveries.map((one) => deliveryFact(one, zone));
  if (run.status === 'success') return [];
  if ((run.finishedAt ?? run.scheduledFor) < now - deliveriesKeptMs) {
    return [
      unknown('alert', 'Whether an alert was sent is not known: deliveries are kept for 30 days.'),
    ];
  }
  if (!isWatched) {
    return [
      fact('alert', 'No alert about this run is recorded. No enabled channel serves this job now.'),
    ];
  }
  const words: Readonly<Record<string, string>> = {
    failed:
      'A failure is announced once, when the job goes down; a channel may wait for more failures, or be damped.',
    missed: 'Missed runs are announced together, and only to channels that ask for them.',
    interrupted: 'Interrupted runs are announced together, and only to channels that ask for them.',
  };
  const rule = words[run.status] ?? '';
  return [fact('alert', `No alert about this run alone is recorded. ${rule}`.trim())];
}

function deliveryFact(delivery: NamedDelivery, zone: string): Fact {
  const { id, channelId, channelName, event, subject, status, attempts, createdAt } = delivery;
  const news = alertNews(event, { name: subject?.name ?? null, count: null });
  const tried = counted(attempts, 'attempt');
  const became = {
    delivered: `It was delivered after ${tried}.`,
    pending:
      attempts === 0
        ? 'It waits for its first attempt.'
        : `It is not delivered yet, after ${tried}.`,
    failed: `It was given up after ${tried}.`,
  }[status];
  const error = delivery.lastError;
  const why = status === 'delivered' || error === null ? '' : ` The last error: ${error}.`;
  const sentence = `Channel ${channelName} was sent an alert at ${timeIn(createdAt, zone)}: ${news}. ${became}${why}`;
  return fact('alert', sentence, {
    at: createdAt,
    channelId,
    deliveryId: id,
    status,
    attempts,
    ...(error !== null && { error }),
  });
}
