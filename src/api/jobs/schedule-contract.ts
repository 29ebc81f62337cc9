/** The contract of the look at a schedule, an extension: what people ask, and what they see. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { jobLimits, scheduleTypes } from '../../domain/jobs/job.ts';
import { previewCount } from '../../domain/schedule/preview-input.ts';
import * as examples from '../description/examples.ts';
import { jobFields } from './fields.ts';
import { moment, nullable, oneOf, text } from '../http/schema.ts';

const { cronExpr, timezone } = jobFields;
const { min, max, default: defaultCount } = previewCount;

/** A schedule as for a job, and which of its due times to show. */
export const SchedulePreviewInput = Type.Object(
  {
    scheduleType: Type.Optional(
      nullable(
        oneOf(scheduleTypes, {
          description: 'Whether `cronExpr` or `periodSeconds` says when the schedule is due.',
          default: 'cron',
        }),
      ),
    ),
    cronExpr: Type.Optional(cronExpr),
    timezone: Type.Optional(timezone),
    periodSeconds: Type.Optional(
      nullable(
        Type.Integer({
          minimum: jobLimits.periodSeconds.min,
          maximum: jobLimits.periodSeconds.max,
          description:
            'Seconds from one due time to the next, counted from the moment `from`. Required when `scheduleType` ' +
            'is `period`, refused when it is `cron`.',
        }),
      ),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: min,
        maximum: max,
        description: 'How many due times to show.',
        default: defaultCount,
      }),
    ),
    from: Type.Optional(
      moment(
        'The moment they come after: ISO 8601 with an offset or `Z`, in the years 1970 to 2999. Now, if it is not given.',
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'SchedulePreviewInput',
    description: 'A schedule to look at. What is not given has the default that a job has.',
    examples: [examples.previewInput, examples.periodPreviewInput],
  },
);
export type SchedulePreviewInput = Static<typeof SchedulePreviewInput>;

/** Due times, and what clock changes do to them. */
export const SchedulePreview = Type.Object(
  {
    next: Type.Array(moment('A due time.'), {
      description: 'The next due times, in order; fewer than asked for only if a note says so.',
    }),
    notes: Type.Array(text('A sentence.'), {
      description:
        'What changes of the clocks do to the due times shown: a time that does not exist on a day, or happens twice.',
    }),
  },
  {
    title: 'SchedulePreview',
    description: 'When a schedule is due.',
    examples: [examples.preview],
  },
);
export type SchedulePreview = Static<typeof SchedulePreview>;
