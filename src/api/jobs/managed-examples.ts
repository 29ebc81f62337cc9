/** What the published description shows of managed jobs. */

import { job, jobInput } from '../description/examples.ts';

const key = 'send-reminders';

export const managedJob = { key, job };
export const managedJobList = { managedJobs: [managedJob], nextCursor: null };

export const definition = { key, job: jobInput };
export const definitionsInput = {
  definitions: [definition, { key: 'old-report', job: null }],
  dryRun: true,
};

export const definitionResult = {
  key,
  change: 'update',
  changedFields: ['headers', 'schedule'],
  changedHeaders: ['Authorization'],
  isAdopted: false,
  // In a dry run it is as it was before.
  job: {
    ...job,
    cronExpr: '0 7 * * mon-fri',
    nextRunAt: '2025-10-10T05:00:00.000Z',
    lastRunAt: '2025-10-09T05:00:00.214Z',
  },
  refusal: null,
};
export const definitionResults = {
  results: [
    definitionResult,
    {
      key: 'old-report',
      change: 'none',
      changedFields: [],
      changedHeaders: [],
      isAdopted: false,
      job: null,
      refusal: null,
    },
  ],
};
