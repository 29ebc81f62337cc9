/** The fields of a schedule in the API. Null means "not given". */

import { defaultCronExpr, defaultSchedule, scheduleRules } from '../../domain/schedule/schedule.ts';
import { field, nullable } from '../http/schema.ts';

/** The schedule of a job or a monitor; `what` is due, and `period` describes `periodSeconds`. */
export function scheduleFields(what: string, period: string) {
  return {
    scheduleType: nullable(
      field(scheduleRules.scheduleType, {
        description: `Whether \`cronExpr\` or \`periodSeconds\` says when ${what} is due.`,
        default: defaultSchedule.scheduleType,
      }),
    ),
    cronExpr: nullable(
      field(scheduleRules.cronExpr, {
        description:
          'Five fields: minute, hour, day of month, month, day of week; with names, ranges, steps, lists, `L` and `#`, ' +
          'or one of `@hourly @daily @weekly @monthly @yearly`. Refused when `scheduleType` is `period`, unless null ' +
          'or, in an update, unchanged.',
        default: defaultCronExpr,
      }),
    ),
    timezone: nullable(
      field(scheduleRules.timezone, {
        description:
          'The IANA time zone of `cronExpr`. Offsets such as `+02:00` are refused. With a period it does not affect ' +
          'the due times, and is kept for when `scheduleType` becomes `cron`.',
        default: defaultSchedule.timezone,
      }),
    ),
    periodSeconds: nullable(
      field(scheduleRules.periodSeconds, {
        description: `${period} Required when \`scheduleType\` is \`period\`; refused when it is \`cron\`, unless null or, in an update, unchanged.`,
      }),
    ),
  };
}
