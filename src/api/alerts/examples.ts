/** Examples in the API description: one channel and its deliveries. */

import { channelFields } from '../../domain/alerts/fields.ts';
import { defaultsOf } from '../../domain/fields.ts';
import { jobId, jobInput } from '../jobs/examples.ts';

export const channelInput = {
  name: 'on-call',
  type: 'webhook',
  config: { url: 'https://ops.example.com/alerts' },
  afterFailures: 2,
  alsoOn: ['missed'],
  remindEverySeconds: 3600,
};

const { config: _, ...settings } = channelInput;

export const mailChannelInput = {
  name: 'Ann',
  type: 'email',
  config: { to: 'ann@example.com' },
  jobIds: [jobId],
};

export const channelUpdate = { enabled: false };

export const delivery = {
  id: '0199c6f4-8310-7e5b-9a1c-7d2e4f6a8b90',
  event: 'job.failed',
  subject: { type: 'job', id: jobId, name: jobInput.name },
  status: 'pending',
  attempts: 2,
  lastAttemptAt: '2025-10-09T05:30:06.104Z',
  lastError: 'http: 503',
  createdAt: '2025-10-09T05:30:00.702Z',
};

export const channel = {
  id: '0199c6b3-5d10-7a62-8c47-2f9e1b0d3a58',
  ...defaultsOf(channelFields),
  monitorIds: null,
  ...settings,
  destination: 'ops.example.com',
  createdAt: '2025-10-09T04:10:00.000Z',
  lastDelivery: delivery,
  consecutiveFailures: 0,
  nextAttemptAt: null,
};

/** The answer to `channelUpdate`: disabling a channel cancels its pending deliveries. */
export const changedChannel = {
  ...channel,
  ...channelUpdate,
  lastDelivery: { ...delivery, status: 'failed', lastError: 'the channel was disabled' },
};

export const channelMade = {
  channel: { ...channel, lastDelivery: null },
  secret: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=',
};
export const deliveryResponse = {
  delivery: {
    ...delivery,
    event: 'test',
    subject: null,
    attempts: 0,
    lastAttemptAt: null,
    lastError: null,
  },
};
export const deliveryAttempt = {
  number: 2,
  startedAt: '2025-10-09T05:30:05.911Z',
  durationMs: 193,
  httpStatus: 503,
  error: 'http: 503',
};
const firstAttempt = {
  number: 1,
  startedAt: '2025-10-09T05:30:00.710Z',
  durationMs: 12,
  httpStatus: null,
  error: 'refused: nobody listens at 203.0.113.7, port 443',
};
export const listedDelivery = { ...delivery, channel: { id: channel.id, name: channel.name } };
export const postedResult = {
  ...delivery,
  event: 'run.finished',
  runId: '0199c6f4-8261-7c0a-8d3e-5b6f7a8c9d01',
  nextAttemptAt: '2025-10-09T05:30:36.104Z',
};
export const triedDelivery = { delivery, attempts: [firstAttempt, deliveryAttempt] };
