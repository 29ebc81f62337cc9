/** What a route says of itself for the published description, beside its schemas. */

import { jobLimits } from '../../domain/job.ts';

declare module 'fastify' {
  interface FastifySchema {
    operation?: OperationNotes;
  }
}

/** Groups of operations, in the order they are shown. */
export const tags = {
  Jobs: 'What is called, and when.',
  'Managed jobs': 'Jobs that definitions elsewhere manage, files in a repository as a rule.',
  Runs: 'Calls of a job, by its schedule or by hand, and what came of them.',
  Monitors: 'Tasks that run elsewhere and say so by a ping: what is missing when they do not.',
  Schedules: 'When a schedule is due, seen before a job has it.',
  Receipts: 'Signed accounts of what the service observed, and the key to check them with.',
  Channels: 'Where alerts go: when a job begins to fail, and when it works again.',
  Account: 'What a key stands for, and what the plan of its account allows.',
  Description: 'This description, for machines.',
} as const;

/** A failure that is documented, with its example. */
export const failures = {
  400: 'periodSeconds must be between 60 and 31536000, got 30',
  401: 'a valid key is needed, send it as: Authorization: Bearer cp_…',
  402: 'the trial ended at 2025-10-23T00:00:00.000Z, a subscription is needed to run and edit',
  403: 'this key may only read, a key with write is needed',
  404: 'there is no job with id 0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a91',
  409: 'run 0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63 of this job is executing',
  413: `body must be at most ${jobLimits.bodyLength} characters, got 40000`,
  429: 'at most 120 requests a minute, try again after 60 s',
  503: 'the store cannot be written now',
} as const;

export type Failure = keyof typeof failures;

export interface OperationNotes {
  operationId: string;
  tag: keyof typeof tags;
  /** A few words, as a title. */
  summary: string;
  description: string;
  /** What the answer is when all is well. */
  answer: string;
  /** Headers of that answer, with what they say. */
  answerHeaders?: Record<string, string>;
  /** When it fails, besides what every operation has in common. */
  failures: Partial<Record<Failure, string>>;
  /** Asks for no key. */
  isOpen?: true;
  /** Stands beside the interface that was promised. */
  isExtension?: true;
}

/** What may happen wherever something is asked; `isOpen` as above. */
export function commonFailures(isOpen: boolean): Partial<Record<Failure, string>> {
  return {
    400: 'The request is not valid; the sentence names the field and the rule.',
    ...(!isOpen && { 401: 'There is no key, or it is not valid.' }),
    429: isOpen
      ? 'Too many requests without a key from this address.'
      : 'Too many requests with this key: more than 120 in 60 s.',
    503: 'The service cannot do this now: it is stopping, or its store fails. Nothing was changed.',
  };
}

/** What several operations say of their failures, beyond the sentences above. */
export const readOnly = 'The key may only read.';
export const tooLarge = 'The request body is over 256 KiB.';
export const notPaid = 'The trial or the subscription has ended: a subscription is needed.';
