/** What the published description shows of channels. */

const channelId = '0199c6b3-5d10-7a62-8c47-2f9e1b0d3a58';

export const channelInput = {
  name: 'on-call',
  type: 'webhook',
  config: { url: 'https://ops.example.com/alerts' },
  afterFailures: 2,
};

export const mailChannelInput = {
  name: 'Ann',
  type: 'email',
  config: { to: 'ann@example.com' },
  jobIds: ['0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90'],
};

export const channelUpdate = { enabled: false };

export const delivery = {
  id: '0199c6f4-8310-7e5b-9a1c-7d2e4f6a8b90',
  event: 'job.failed',
  status: 'pending',
  attempts: 2,
  lastAttemptAt: '2025-10-09T05:30:06.104Z',
  lastError: 'http: 503',
  createdAt: '2025-10-09T05:30:00.702Z',
};

export const channel = {
  id: channelId,
  name: channelInput.name,
  type: channelInput.type,
  enabled: true,
  jobIds: null,
  afterFailures: channelInput.afterFailures,
  createdAt: '2025-10-09T04:10:00.000Z',
  lastDelivery: delivery,
};

/** What `channelUpdate` is answered: a channel that is disabled gives up what is pending. */
export const changedChannel = {
  ...channel,
  ...channelUpdate,
  lastDelivery: { ...delivery, status: 'failed', lastError: 'the channel was disabled' },
};

export const channelResponse = { channel };
export const channelMade = {
  channel: { ...channel, lastDelivery: null },
  secret: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=',
};
export const channelList = { channels: [channel], nextCursor: null };
export const deliveryResponse = {
  delivery: {
    ...delivery,
    event: 'test',
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
export const triedDelivery = { delivery, attempts: [firstAttempt, deliveryAttempt] };
export const deliveryList = { deliveries: [delivery], nextCursor: null };
