/** The fields of a schedule, of a job and of a monitor. In a request, null means the same as leaving a field out. */

import type { Details, Field } from '../fields.ts';

export const scheduleTypes = ['cron', 'period'] as const;

/** What a cron schedule without an expression has. */
export const defaultCronExpr = '0 * * * *';

export const scheduleFields = {
  scheduleType: {
    form: 'special',
    rule: { type: 'string', enum: scheduleTypes },
    label: 'Schedule',
    help: 'whether `cronExpr` or `periodSeconds` says when it is due',
    default: 'cron',
  },
  cronExpr: {
    form: 'text',
    rule: { type: 'string' },
    label: 'Cron expression',
    help: 'cron expression: five fields, or @daily and the like',
    default: defaultCronExpr,
    canBeNull: true,
    key: 'cron',
  },
  timezone: {
    form: 'text',
    rule: { type: 'string' },
    label: 'Time zone',
    help: 'IANA time zone of the expression',
    default: 'Europe/Paris',
    option: 'tz',
  },
  periodSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 60, maximum: 31_536_000 },
    label: 'Period',
    help: 'fixed interval, instead of a cron expression',
    canBeNull: true,
    key: 'every',
  },
} as const satisfies Record<string, Field>;

/** What the description of the API adds; `period` says from when it counts. */
export function scheduleDetails(period: string): Details<typeof scheduleFields> {
  return {
    cronExpr:
      'Minute, hour, day of month, month, day of week; with names, ranges, steps, lists, `L` and `#`, ' +
      'or one of `@hourly @daily @weekly @monthly @yearly`. Refused when `scheduleType` is `period`, unless null ' +
      'or, in an update, unchanged.',
    timezone:
      'Offsets such as `+02:00` are refused. With a period it does not affect the due times, and is kept for when ' +
      '`scheduleType` becomes `cron`.',
    periodSeconds: `${period} Required when \`scheduleType\` is \`period\`; refused when it is \`cron\`, unless null or, in an update, unchanged.`,
  };
}
