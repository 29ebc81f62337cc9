/** Examples in the API description: definitions, and what they change. */

import { channelInput } from '../../../api/alerts/examples.ts';
import { job, jobInput, jobKey as key } from '../../../api/jobs/examples.ts';
import { monitorInput } from '../../../api/monitors/examples.ts';

const monitorKey = 'nightly-backup';

export const jobDefinition = { key, ...jobInput };
export const monitorDefinition = { key: monitorKey, ...monitorInput };
export const channelDefinition = {
  key: 'on-call',
  ...channelInput,
  jobs: [key],
  monitors: [monitorKey],
};
export const definitions = {
  jobs: [jobDefinition],
  monitors: [monitorDefinition],
  channels: [channelDefinition],
  dryRun: true,
};

export const defined = {
  kind: 'job',
  key,
  id: job.id,
  definition: { name: job.name, url: job.url, headers: { Authorization: null } },
};

const unchanged = { id: job.id, fields: [], hidden: [], before: null, refusal: null };
export const definitionChange = {
  kind: 'job',
  key,
  ...unchanged,
  action: 'update',
  fields: ['headers', 'retries'],
  hidden: ['Authorization'],
  before: { headers: { Authorization: null }, retries: null },
  isDone: false,
};
export const definitionPlan = {
  changes: [definitionChange],
  unlisted: [{ kind: 'channel', key: 'chat', refusal: null }],
  areSecretsCompared: true,
  mark: '5f0c2b8e9d7a41c36b1e8f2a7d9c0e54',
};
