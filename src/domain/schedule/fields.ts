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

/** Longer than any date and time. */
const timeRule = { type: 'string', maxLength: 40 } as const;

/** The fields that adjust when a job is due. Monitors have none. */
export const adjustmentFields = {
  spreadSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 1, maximum: 3_600 },
    label: 'Spread',
    help: 'be due up to this much later than the schedule says, always by the same time',
    default: null,
    isExtension: true,
    off: ['--no-spread', 'be due exactly when the schedule says'],
  },
  notBefore: {
    form: 'time',
    rule: timeRule,
    label: 'Not before',
    help: 'when it may be due first',
    default: null,
    isExtension: true,
    off: ['--no-not-before', 'be due from now on'],
  },
  notAfter: {
    form: 'time',
    rule: timeRule,
    label: 'Not after',
    help: 'when it may be due last',
    default: null,
    isExtension: true,
    off: ['--no-not-after', 'be due without an end'],
  },
  runAt: {
    form: 'time',
    rule: timeRule,
    label: 'Once at',
    help: 'be due once, then, instead of on a schedule',
    default: null,
    isExtension: true,
    key: 'at',
    off: ['--no-at', 'be due on its schedule again'],
  },
} as const satisfies Record<string, Field>;

const timeDetails =
  'ISO 8601 with an offset or `Z`, or without one in `timezone`; answers have it in UTC.';

/** What the description of the API adds. */
export function adjustmentDetails(): Details<typeof adjustmentFields> {
  return {
    spreadSeconds:
      'Whole seconds, which follow from the id of the job: jobs with the same schedule are called at different times. With a ' +
      'period, at most `periodSeconds`.',
    notBefore: `${timeDetails} Then it is due too. An earlier due time is neither called nor missed.`,
    notAfter: `${timeDetails} Then it is due too. After it the job stays, without due times.`,
    runAt:
      `${timeDetails} At most 60 s past, then it is due at once, and at most 5 years ahead. The schedule, \`spreadSeconds\` and ` +
      'the bounds are kept and count again once this is null. Not with `after`.',
  };
}

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
