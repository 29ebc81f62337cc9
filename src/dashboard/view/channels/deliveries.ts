/** Deliveries in words and signs. */

import type { Channel, Delivery } from '../../../api/alerts/contract.ts';

/** What an alert reports. */
export const eventWords: Record<Delivery['event'], string> = {
  'job.failed': 'A job failed',
  'job.recovered': 'A job recovered',
  'monitor.down': 'A monitor went down',
  'monitor.up': 'A monitor is up again',
  test: 'Test',
};

/** The sign of a delivery: one that waits after a failed attempt is not yet lost. */
export function deliverySign({
  status,
  attempts,
}: Pick<Delivery, 'status' | 'attempts'>): 'success' | 'failed' | 'late' | 'new' {
  if (status === 'delivered') return 'success';
  if (status === 'failed') return 'failed';
  return attempts === 0 ? 'new' : 'late';
}

/** What became of a delivery: `delivered`, `failed after 3 attempts`, `waits after 1 attempt`, `waits`. */
export function deliveryWords({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  if (status === 'delivered') return attempts > 1 ? `delivered after ${tries}` : 'delivered';
  const word = status === 'failed' ? 'failed' : 'waits';
  return attempts === 0 ? word : `${word} after ${tries}`;
}

/** Whom a channel serves: `all jobs and monitors`, `3 of them`. */
export function servesWords({ jobIds }: Pick<Channel, 'jobIds'>): string {
  if (jobIds === null) return 'all jobs and monitors';
  if (jobIds.length === 0) return 'nothing';
  return jobIds.length === 1 ? '1 job or monitor' : `${jobIds.length} jobs and monitors`;
}

/** When a channel hears of a job: `after the 1st failure`. */
export function afterWords({ afterFailures: count }: Pick<Channel, 'afterFailures'>): string {
  return count === 1 ? 'at the first failure' : `after ${count} failures in a row`;
}
