/** Metrics of what is in the store. While it does not answer they are left out. */

import { Gauge, type Registry } from 'prom-client';
import { mostCounted, type StoredFigures } from '../domain/meter.ts';

const upTo = `counted up to ${mostCounted}`;

/** Each with what it says. With several nodes, the first five are the same on each of them. */
const described: Readonly<Record<keyof StoredFigures, readonly [name: string, help: string]>> = {
  jobsDue: ['jobd_jobs_due', `Jobs that are due and wait for a slot, ${upTo}.`],
  receiptsUnsigned: [
    'jobd_receipts_unsigned',
    `Runs whose receipt is still to be signed, ${upTo}.`,
  ],
  reportsWaiting: [
    'jobd_reports_waiting',
    `Runs that were answered 202 and wait for the report of their target, ${upTo}.`,
  ],
  resultsWaiting: [
    'jobd_results_waiting',
    `Results of jobs that wait to be delivered to their onResult, ${upTo}.`,
  ],
  databaseBytes: ['jobd_database_bytes', 'The size of the database.'],
  diskFreeBytes: [
    'jobd_disk_free_bytes',
    'Free space on the disk of the data directory; not with PostgreSQL.',
  ],
  ledgerCheckedAtSeconds: [
    'jobd_ledger_checked_timestamp_seconds',
    'When the ledger was checked last.',
  ],
};

/** Adds them. Returns what sets them to the figures of now. */
export function addStoredGauges(
  registry: Registry,
  read: () => Promise<StoredFigures | null>,
): () => Promise<void> {
  const gauges = Object.entries(described).map(([figure, [name, help]]) => ({
    figure: figure as keyof StoredFigures,
    gauge: new Gauge({ name, help, registers: [registry] }),
  }));
  return async () => {
    const figures = await read();
    for (const { figure, gauge } of gauges) {
      const value = figures?.[figure] ?? null;
      if (value === null) gauge.remove();
      else gauge.set(value);
    }
  };
}
