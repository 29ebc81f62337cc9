/** What the routes of managed jobs say of themselves. */

import { badRequest, readOnly, tooLarge } from '../description/operation.ts';
import type { OperationNotes } from '../description/operation.ts';

export const listManagedJobs: OperationNotes = {
  operationId: 'listManagedJobs',
  tag: 'Managed jobs',
  summary: 'List managed jobs',
  description:
    'The jobs of the workspace that definitions manage, with their keys, newest first. Jobs made by hand are not among them.',
  answer: 'A page of managed jobs.',
  failures: {},
  isExtension: true,
};

export const applyDefinitions: OperationNotes = {
  operationId: 'applyDefinitions',
  tag: 'Managed jobs',
  summary: 'Apply definitions of jobs',
  description:
    'Makes the job of each key what its definition says: it is created, changed, deleted, or left alone if it is so ' +
    'already. Each definition is applied by itself, in one transaction; one that is refused holds up no other, and its ' +
    'result says why. Plan limits and waiting for a run that executes are as for single jobs. Asking again changes ' +
    'nothing more. A dry run does not look at whether there is room for so many jobs.',
  answer: 'What became of each definition.',
  failures: {
    400: badRequest('definitions must have at most 100 entries, got 101'),
    403: readOnly,
    413: tooLarge,
  },
  isExtension: true,
};
