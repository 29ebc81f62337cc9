/** Names of fields in words, for people who do not know the API: their labels, and other names as they are put together. */

import { channelFields } from './alerts/fields.ts';
import { labelInside } from './fields.ts';
import { jobFields } from './jobs/fields.ts';
import { monitorFields } from './monitors/fields.ts';

const labels: Readonly<Record<string, { label: string }>> = {
  ...channelFields,
  ...monitorFields,
  ...jobFields,
};
const others: Readonly<Record<string, string>> = {
  siteUrl: 'site URL',
  // A change of any of them is one of the schedule.
  cronExpr: 'schedule',
  periodSeconds: 'schedule',
  headerNames: 'headers',
};

/** The name of a field: `time zone`, `database bytes`. */
export function fieldWord(name: string): string {
  if (Object.hasOwn(others, name)) return others[name] ?? name;
  const row = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (row !== undefined) return labelInside(row.label);
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}
