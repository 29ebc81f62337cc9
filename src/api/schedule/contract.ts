import { Type, type Static } from 'typebox';
import { previewCount } from '../../domain/schedule/preview-input.ts';
import {
  adjustmentDetails,
  adjustmentFields,
  scheduleDetails,
  scheduleFields,
} from '../../domain/schedule/fields.ts';
import * as t from '../http/schema.ts';

export const SchedulePreviewInput = t.input(
  'SchedulePreviewInput',
  'A schedule. Omitted fields have the same defaults as for a job.',
  [
    { cronExpr: '30 2 * * *', timezone: 'Europe/Paris', count: 3, from: '2026-03-28T00:00:00Z' },
    { scheduleType: 'period', periodSeconds: 300 },
  ],
  t.optional({
    ...t.inputFields(scheduleFields, scheduleDetails('It is counted from `from`.')),
    ...t.inputFields(adjustmentFields, adjustmentDetails()),
    jobId: t.id(
      'The job that is to have this schedule. Without it, a note says how much later `spreadSeconds` may make its due times.',
    ),
    count: Type.Integer({
      minimum: previewCount.min,
      maximum: previewCount.max,
      description: 'The number of due times to return.',
      default: previewCount.default,
    }),
    from: t.moment(
      'Only later due times are returned. ISO 8601 with an offset or `Z`, in the years 1970 to 2999. Default: now.',
    ),
  }),
);
export type SchedulePreviewInput = Static<typeof SchedulePreviewInput>;

export const SchedulePreview = t.output(
  'SchedulePreview',
  'The due times of a schedule.',
  {
    words: 'At 02:30, every day',
    next: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    notes: ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead'],
  },
  {
    words: t.text('The schedule as a phrase in English, without its time zone.'),
    next: t.array(
      t.moment('A due time.'),
      'The next due times in order. If there are fewer than `count`, a note says why.',
    ),
    notes: t.array(
      t.text('A sentence.'),
      'What else there is to know of these due times: local times that do not exist or occur twice, a spread, and steps past the end of their field.',
    ),
  },
);
export type SchedulePreview = Static<typeof SchedulePreview>;
