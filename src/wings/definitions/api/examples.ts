/** Examples in the API description: definitions of jobs, monitors and channels, and what came of them. */

import { channel, channelInput } from '../../../api/alerts/examples.ts';
import { job, jobInput, jobKey as key } from '../../../api/jobs/examples.ts';
import { monitor, monitorInput } from '../../../api/monitors/examples.ts';

const nothing = { changedFields: [], isAdopted: false, refusal: null };

export const managedJob = { key, job };
export const jobDefinition = { key, job: jobInput };
export const jobDefinitions = {
  definitions: [jobDefinition, { key: 'old-report', job: null }],
  dryRun: true,
};
export const jobResult = {
  key,
  change: 'update',
  changedFields: ['headers', 'schedule'],
  changedHeaders: ['Authorization'],
  isAdopted: false,
  // This is a dry run: the job is unchanged.
  job: {
    ...job,
    cronExpr: '0 7 * * mon-fri',
    nextRunAt: '2025-10-10T05:00:00.000Z',
    lastRunAt: '2025-10-09T05:00:00.214Z',
  },
  refusal: null,
};
export const jobResults = {
  results: [
    jobResult,
    { key: 'old-report', change: 'none', ...nothing, changedHeaders: [], job: null },
  ],
};

const monitorKey = 'nightly-backup';
export const managedMonitor = { key: monitorKey, monitor };
export const monitorDefinition = { key: monitorKey, monitor: monitorInput };
export const monitorDefinitions = { definitions: [monitorDefinition] };
export const monitorResult = {
  key: monitorKey,
  change: 'update',
  changedFields: ['graceSeconds'],
  isAdopted: false,
  monitor,
  refusal: null,
};
export const monitorResults = { results: [monitorResult] };

const channelKey = 'on-call';
const configFields = ['secret', 'url'];
export const managedChannel = { key: channelKey, channel, configFields };
export const channelDefinition = {
  key: channelKey,
  channel: { ...channelInput, jobs: [key], monitors: [monitorKey] },
};
export const channelDefinitions = { definitions: [channelDefinition] };
export const channelResult = {
  key: channelKey,
  change: 'update',
  changedFields: ['config'],
  changedConfig: ['url'],
  isAdopted: false,
  channel,
  configFields,
  refusal: null,
};
export const channelResults = { results: [channelResult] };
