/** What the routes of monitors say of themselves. */

import { changedMonitor, createdMonitor } from '../description/examples.ts';
import { badPeriod, notPaid, readOnly, tooLarge, unknown } from '../description/operation.ts';
import type { OperationNotes } from '../description/operation.ts';

const noMonitor = unknown('monitor', 'The workspace of the key has no such monitor.');

export const listMonitors: OperationNotes = {
  operationId: 'listMonitors',
  tag: 'Monitors',
  summary: 'List monitors',
  description: 'The monitors of the workspace, newest first.',
  answer: 'A page of monitors.',
  failures: {},
  isExtension: true,
};

export const createMonitor: OperationNotes = {
  operationId: 'createMonitor',
  tag: 'Monitors',
  summary: 'Create a monitor',
  description:
    'Only `name` is required; such a monitor expects a ping every hour. Nothing is expected before the first ping.',
  answer: 'The monitor, with the URL to ping.',
  answerExample: { monitor: createdMonitor },
  failures: {
    400: badPeriod,
    402: notPaid,
    403: 'The key may only read, or the plan does not allow another monitor or this interval.',
    413: tooLarge,
  },
  isExtension: true,
};

export const getMonitor: OperationNotes = {
  operationId: 'getMonitor',
  tag: 'Monitors',
  summary: 'Get a monitor',
  description: 'The monitor as it is now.',
  answer: 'The monitor.',
  failures: { 404: noMonitor },
  isExtension: true,
};

export const updateMonitor: OperationNotes = {
  operationId: 'updateMonitor',
  tag: 'Monitors',
  summary: 'Change, pause or resume a monitor',
  description:
    'Only what is given changes. With a changed schedule, and when it is resumed, the next ping is expected from now on. ' +
    'Pings are kept while it is paused too.',
  answer: 'The monitor as it is after the change.',
  answerExample: { monitor: changedMonitor },
  failures: {
    400: badPeriod,
    402: notPaid,
    403: 'The key may only read, or the plan does not allow this interval.',
    404: noMonitor,
    413: tooLarge,
  },
  isExtension: true,
};

export const deleteMonitor: OperationNotes = {
  operationId: 'deleteMonitor',
  tag: 'Monitors',
  summary: 'Delete a monitor',
  description: 'Deletes the monitor with all its pings. Its URL takes no ping any more.',
  answer: 'It is gone.',
  failures: { 403: readOnly, 404: noMonitor, 413: tooLarge },
  isExtension: true,
};

export const listPings: OperationNotes = {
  operationId: 'listPings',
  tag: 'Monitors',
  summary: 'List pings of a monitor',
  description: 'What is kept of the pings of a monitor, newest first: at least the last 1,000.',
  answer: 'A page of pings.',
  failures: { 404: noMonitor },
  isExtension: true,
};
