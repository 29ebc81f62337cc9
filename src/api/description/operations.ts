/** What the OpenAPI document says of the routes of jobs, runs and receipts. */

import { changedJob, createdJob } from './examples.ts';
import {
  badPeriod,
  badRequest,
  longBody,
  notPaid,
  readOnly,
  tooLarge,
  unknown,
} from './operation.ts';
import type { OperationNotes, Refusal } from './operation.ts';

const noJob = unknown('job', 'The workspace of the key has no such job.');
const noRun = unknown(
  'run',
  'The workspace of the key has no such job, or the job has no such run.',
);
const runId = '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63';
const stillExecuting: Refusal = {
  when: 'A run of the job was still executing after 5 s. An update of `action` alone does not wait: pause the job, and no further run begins.',
  example:
    `run ${runId} of this job is still executing: try again when it has ended. An update with only action pause ` +
    'is taken at once, and then no further run begins',
};

export const listJobs: OperationNotes = {
  operationId: 'listJobs',
  tag: 'Jobs',
  summary: 'List jobs',
  description: 'The jobs of the workspace, newest first.',
  answer: 'A page of jobs.',
  failures: {},
};

export const createJob: OperationNotes = {
  operationId: 'createJob',
  tag: 'Jobs',
  summary: 'Create a job',
  description:
    'Only `name` and `url` are required; such a job is called every full hour. Without `paused` the schedule begins at once.',
  answer: 'The job, with its `id` and the time it is due next.',
  answerExample: { job: createdJob },
  failures: {
    400: badPeriod,
    402: notPaid,
    403: 'The key may only read, `workspaceId` is not its own, or the plan does not allow another job, this interval or this timeout.',
    413: longBody,
  },
};

export const getJob: OperationNotes = {
  operationId: 'getJob',
  tag: 'Jobs',
  summary: 'Get a job',
  description:
    'The job as it is now: its settings, how it has been doing, and when it is due next.',
  answer: 'The job.',
  failures: { 404: noJob },
};

export const updateJob: OperationNotes = {
  operationId: 'updateJob',
  tag: 'Jobs',
  summary: 'Change, pause or resume a job',
  description:
    'Only what is given changes; `headers` replaces the whole set. A changed or resumed schedule counts from now. ' +
    'An update that changes no field, with or without `action`, is taken at once; every other one waits up to 5 s for a run under way. ' +
    'Pausing does not stop a call that has begun.',
  answer: 'The job as it is after the change.',
  answerExample: { job: changedJob },
  failures: {
    400: badPeriod,
    402: notPaid,
    403: 'The key may only read, or the plan does not allow this interval or this timeout.',
    404: noJob,
    409: stillExecuting,
    413: longBody,
  },
};

export const deleteJob: OperationNotes = {
  operationId: 'deleteJob',
  tag: 'Jobs',
  summary: 'Delete a job',
  description:
    'Deletes the job with all that is kept of its runs. Waits up to 5 s for a run under way.',
  answer: 'It is gone.',
  failures: { 403: readOnly, 404: noJob, 409: stillExecuting, 413: tooLarge },
};

export const runJob: OperationNotes = {
  operationId: 'runJob',
  tag: 'Runs',
  summary: 'Run a job by hand',
  description:
    'Queues one call and leaves the schedule alone; a paused job can be run too. Ask `resultUrl` for the result ' +
    'until `status` is neither `queued` nor `running`. One job can be run by hand once a minute.',
  answer: 'The run that was queued, or the one that the same `Idempotency-Key` made before.',
  failures: {
    400: badRequest('Idempotency-Key must be at most 128 characters, got 129'),
    402: notPaid,
    403: readOnly,
    404: noJob,
    409: {
      when: 'A run of the job is executing.',
      example: `run ${runId} of this job is executing, wait for it`,
    },
    413: tooLarge,
    429: {
      when: 'The job was run by hand less than a minute ago, or the key asks more than 120 times in 60 s.',
      example: 'a job can be run by hand once a minute',
    },
  },
};

export const listRuns: OperationNotes = {
  operationId: 'listRuns',
  tag: 'Runs',
  summary: 'List runs of a job',
  description:
    'What is kept of the runs of a job, newest first, and how many there are in each state.',
  answer: 'A page of runs.',
  failures: { 404: noJob },
};

export const getRun: OperationNotes = {
  operationId: 'getRun',
  tag: 'Runs',
  summary: 'Get a run',
  description: 'The run as it is now.',
  answer: 'The run.',
  failures: { 404: noRun },
};

export const getReceipt: OperationNotes = {
  operationId: 'getReceipt',
  tag: 'Receipts',
  summary: 'Download the receipt of a run',
  description:
    'A signed account of what the service observed; it can be checked anywhere, without the service. It holds neither ' +
    'the URL nor headers nor body of the request. It proves an answer, not what the called application made of it.',
  answer: 'The receipt, to be saved as a file.',
  answerHeaders: { 'Content-Disposition': '`attachment` and the name of a file.' },
  failures: {
    404: noRun,
    409: {
      when:
        'There is no receipt for this run: not yet, as it has not ended; or never, as it was interrupted or missed, got no ' +
        'HTTP answer, or none was issued when it ended. The sentence says which.',
      example: `there is no receipt for run ${runId}: it has no HTTP answer`,
    },
  },
};

export const listReceiptKeys: OperationNotes = {
  operationId: 'listReceiptKeys',
  tag: 'Receipts',
  summary: 'Get all keys to check receipts with',
  description:
    'The public keys that receipts were ever signed with, retired ones too, as a JSON Web Key Set.',
  answer: 'The keys, the one that signs now first.',
  failures: {},
  isOpen: true,
  isExtension: true,
};

export const getReceiptKey: OperationNotes = {
  operationId: 'getReceiptKey',
  tag: 'Receipts',
  summary: 'Get the key to check receipts with',
  description:
    'The public key that receipts are signed with now. Fetch it over HTTPS and keep it: after a rotation, older receipts ' +
    'are checked with the key they were signed with.',
  answer: 'The key.',
  failures: {
    503: {
      when: 'Receipt signing is not configured.',
      example: 'receipt signing is not configured',
    },
  },
  isOpen: true,
};
