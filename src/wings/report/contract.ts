/** What the API accepts and returns for reports. */

import { Type, type Static } from 'typebox';
import { page, PageQuery, SelectorField } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import { job, jobId } from '../../api/jobs/examples.ts';
import { monitor } from '../../api/monitors/examples.ts';

const month = {
  month: Type.Optional(t.text('The month, such as `2025-10`. Default: the last one that is over.')),
  timezone: Type.Optional(t.text('The IANA time zone whose month it is. Default: `UTC`.')),
};

export const ReportQuery = Type.Object(
  { ...month, selector: SelectorField, ...PageQuery.properties },
  { additionalProperties: false },
);
export type ReportQuery = Static<typeof ReportQuery>;

export const ReceiptsQuery = Type.Object(
  { ...month, ...PageQuery.properties },
  { additionalProperties: false },
);

const countedFrom = t.nullable(
  t.moment(
    'From when on it was counted, if that is later than the beginning of the month: what was before is no longer kept, or too much. Else null.',
  ),
);

const reportedJob = {
  id: jobId,
  name: job.name,
  due: 23,
  success: 21,
  failed: 1,
  interrupted: 0,
  missed: 1,
  held: 0,
  unaccounted: 0,
  others: 0,
  receipts: { success: 21, failed: 0 },
  longestTrouble: { from: '2025-10-09T05:30:00.000Z', until: '2025-10-10T05:30:00.000Z' },
  countedFrom: null,
};

const ReportedJob = t.output('ReportedJob', 'What became of a job in a month.', reportedJob, {
  id: t.id('The id of the job.'),
  name: t.text('The name of the job.'),
  due: t.integer('Due times of its schedules that have passed.'),
  success: t.integer('Runs that succeeded.'),
  failed: t.integer('Runs that failed.'),
  interrupted: t.integer('Runs whose outcome is not known.'),
  missed: t.integer('Due times that were missed.'),
  held: t.integer('Due times that a window held. They are in no other number.'),
  unaccounted: t.integer('Due times without any trace.'),
  others: t.integer(
    'Runs of no due time of the schedule: by hand, replays, make-ups, and after other jobs. They are in the counts above.',
  ),
  receipts: t.part('Runs that have a signed receipt: they were answered.', {
    success: t.integer('Of those that succeeded.'),
    failed: t.integer('Of those that failed.'),
  }),
  longestTrouble: t.nullable(
    t.part('The longest time without a success after a run that was none; null without one.', {
      from: t.moment('When that run was due.'),
      until: t.nullable(
        t.moment('When the next success was due; null if there was none in the month.'),
      ),
    }),
  ),
  countedFrom,
});
export type ReportedJob = Static<typeof ReportedJob>;

const reportedMonitor = {
  id: '0199c6b1-04c7-7d25-9a3f-6e8b0c1d2f34',
  name: monitor.name,
  success: 30,
  failed: 1,
  countedFrom: null,
};

const ReportedMonitor = t.output(
  'ReportedMonitor',
  'What was heard of a monitored task in a month.',
  reportedMonitor,
  {
    id: t.id('The id of the monitor.'),
    name: t.text('The name of the monitor.'),
    success: t.integer('Pings that said success.'),
    failed: t.integer('Pings that said failure.'),
    countedFrom,
  },
);
export type ReportedMonitor = Static<typeof ReportedMonitor>;

export const JobsReport = t.envelope('JobsReport', page('jobs', ReportedJob));
export const MonitorsReport = t.envelope('MonitorsReport', page('monitors', ReportedMonitor));

export const ReceiptTexts = t.envelope(
  'ReceiptTexts',
  page('receipts', t.text('A receipt in canonical form (RFC 8785): JSON as text.')),
  { receipts: ['{"algorithm":"Ed25519","keyId":"…"}'], nextCursor: null },
);
