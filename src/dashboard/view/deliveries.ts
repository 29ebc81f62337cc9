import type { Channel, Delivery } from '../../api/alerts/contract.ts';
import { span } from './figures.ts';

/** What an alert reports. */
export const eventWords: Record<Delivery['event'], string> = {
  'job.failed': 'A job failed',
  'job.recovered': 'A job recovered',
  'monitor.down': 'A monitor went down',
  'monitor.up': 'A monitor is up again',
  'job.missed': 'Missed runs',
  'job.interrupted': 'Interrupted runs',
  'run.finished': 'A run is over',
  reminder: 'Still down',
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

/** Whom a channel serves: `all jobs and monitors`, `3 jobs and all monitors`, `1 monitor`, `jobs and monitors with client=acme`, `nothing`. */
export function servesWords({
  jobIds,
  monitorIds,
  selector,
}: Pick<Channel, 'jobIds' | 'monitorIds' | 'selector'>): string {
  if (selector !== null) return `jobs and monitors with ${selector}`;
  if (jobIds === null && monitorIds === null) return 'all jobs and monitors';
  const parts = [servedWords('job', jobIds), servedWords('monitor', monitorIds)];
  return parts.filter((part) => part !== null).join(' and ') || 'nothing';
}

function servedWords(word: string, ids: readonly string[] | null): string | null {
  if (ids === null) return `all ${word}s`;
  if (ids.length === 0) return null;
  return ids.length === 1 ? `1 ${word}` : `${ids.length} ${word}s`;
}

/** What else a channel is alerted of: `missed runs; a reminder every 1 h`. Null if that is nothing. */
export function moreWords({
  alsoOn,
  remindEverySeconds,
}: Pick<Channel, 'alsoOn' | 'remindEverySeconds'>): string | null {
  const runs = alsoOn.length === 0 ? [] : [`${alsoOn.join(' and ')} runs`];
  const reminders =
    remindEverySeconds === null ? [] : [`a reminder every ${span(remindEverySeconds * 1_000)}`];
  return [...runs, ...reminders].join('; ') || null;
}

/** When a channel is alerted of a job: `after the 1st failure`. */
export function afterWords({ afterFailures: count }: Pick<Channel, 'afterFailures'>): string {
  return count === 1 ? 'at the first failure' : `after ${count} failures in a row`;
}
