/** What the routes of channels say of themselves. */

import { changedChannel } from './examples.ts';
import { badRequest, notPaid, readOnly, tooLarge, unknown } from '../description/operation.ts';
import type { OperationNotes } from '../description/operation.ts';

const noChannel = unknown('channel', 'The workspace of the key has no such channel.');
const noUrl = badRequest('config.url is required for a webhook channel');

export const listChannels: OperationNotes = {
  operationId: 'listChannels',
  tag: 'Channels',
  summary: 'List channels',
  description: 'The channels of the workspace, newest first, each with its last delivery.',
  answer: 'A page of channels.',
  failures: {},
  isExtension: true,
};

export const createChannel: OperationNotes = {
  operationId: 'createChannel',
  tag: 'Channels',
  summary: 'Create a channel',
  description:
    'From now on it is told when a job begins to fail, after its retries, and when it works again. A webhook gets ' +
    '`{ type, timestamp, data: { workspace, job, run } }` with the headers of Standard Webhooks, signed with its secret (`v1`) and ' +
    'with the key of receipts (`v1a`). What does not arrive is tried again for 24 hours, with the same `webhook-id`. ' +
    'Of a job that changes fast the first change is sent at once and then the last state, after 30 seconds or more. ' +
    'Mail goes only to addresses that the operator allows.',
  answer: 'The channel; `secret` is there if one was made for it, and is shown only now.',
  failures: {
    400: noUrl,
    402: notPaid,
    403: 'The key may only read, or the workspace has 100 channels.',
    413: tooLarge,
  },
  isExtension: true,
};

export const getChannel: OperationNotes = {
  operationId: 'getChannel',
  tag: 'Channels',
  summary: 'Get a channel',
  description: 'The channel with its last delivery; where it delivers to is never shown.',
  answer: 'The channel.',
  failures: { 404: noChannel },
  isExtension: true,
};

export const updateChannel: OperationNotes = {
  operationId: 'updateChannel',
  tag: 'Channels',
  summary: 'Change a channel',
  description: 'Only what is given changes; `config` replaces the whole. The type stays.',
  answer: 'The channel as it is after the change.',
  answerExample: { channel: changedChannel },
  failures: { 400: noUrl, 402: notPaid, 403: readOnly, 404: noChannel, 413: tooLarge },
  isExtension: true,
};

export const deleteChannel: OperationNotes = {
  operationId: 'deleteChannel',
  tag: 'Channels',
  summary: 'Delete a channel',
  description: 'Deletes the channel with its deliveries; one under way may still arrive.',
  answer: 'It is gone.',
  failures: { 403: readOnly, 404: noChannel, 413: tooLarge },
  isExtension: true,
};

export const testChannel: OperationNotes = {
  operationId: 'testChannel',
  tag: 'Channels',
  summary: 'Test a channel',
  description:
    'Sends an alert of type `test`, also to a channel that is disabled; once a minute. Its deliveries tell what came of it.',
  answer: 'The delivery, which is still to be made.',
  failures: {
    402: notPaid,
    403: readOnly,
    404: noChannel,
    413: tooLarge,
    429: {
      when: 'The channel was tested less than a minute ago, or the key asks more than 120 times in 60 s.',
      example: 'a channel can be tested once a minute',
    },
  },
  isExtension: true,
};

export const listDeliveries: OperationNotes = {
  operationId: 'listDeliveries',
  tag: 'Channels',
  summary: 'List deliveries of a channel',
  description:
    'What was told, or is still to be, newest first, with the reason why it did not arrive.',
  answer: 'A page of deliveries.',
  failures: { 404: noChannel },
  isExtension: true,
};

export const getDelivery: OperationNotes = {
  operationId: 'getDelivery',
  tag: 'Channels',
  summary: 'Get a delivery with its attempts',
  description:
    'A delivery, and what came of each attempt: when, how long it took, what was answered.',
  answer: 'The delivery with its attempts, the first one first.',
  failures: {
    404: unknown(
      'delivery',
      'The workspace of the key has no such channel, or the channel has no such delivery.',
    ),
  },
  isExtension: true,
};
