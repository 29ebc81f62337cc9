/** What a route says of itself for the published description, beside its schemas. */

declare module 'fastify' {
  interface FastifySchema {
    operation?: OperationNotes;
  }
}

/** Groups of operations, in the order they are shown. */
export const tags = {
  Jobs: 'What is called, and when.',
  'Managed jobs': 'Jobs that are defined elsewhere, usually in files of a repository.',
  Runs: 'Calls of a job, by its schedule or by hand, and what came of them.',
  Monitors: 'Tasks that run elsewhere and say so by a ping: what is missing when they do not.',
  Schedules: 'When a schedule is due, seen before a job has it.',
  Receipts: 'Signed accounts of what the service observed, and the key to check them with.',
  Channels: 'Where alerts go: when a job begins to fail, and when it works again.',
  Account: 'What a key stands for, and what the plan of its account allows.',
  Description: 'This description, for machines.',
} as const;

/**
 * What the server says where an operation has no sentence of its own. Each example is compared with what the server
 * answers by test/api/error-examples.test.ts.
 */
const usualExamples = {
  401: 'a valid key is needed, send it as: Authorization: Bearer cp_…',
  402: 'the trial ended at 2025-10-23T00:00:00.000Z, a subscription is needed to run and edit',
  403: 'this key may only read, a key with write is needed',
  413: 'the request body must be at most 256 KiB',
  429: 'a key may ask 120 times a minute, try again later',
  503: 'the store cannot be used now: database is locked (SQLITE_BUSY)',
} as const;

export type Failure = 400 | 404 | 409 | keyof typeof usualExamples;

/** When an operation fails, and what the server says then. */
export interface Refusal {
  when: string;
  example: string;
}

type UsualFailures = Partial<Record<keyof typeof usualExamples, string | Refusal>>;
export type Failures = UsualFailures & Partial<Record<400 | 404 | 409, Refusal>>;

export interface OperationNotes {
  operationId: string;
  tag: keyof typeof tags;
  /** A few words, as a title. */
  summary: string;
  description: string;
  /** What the answer is when all is well. */
  answer: string;
  /** What the example of its request is answered, where the schema has an example of another answer. */
  answerExample?: object;
  /** Headers of that answer, with what they say. */
  answerHeaders?: Record<string, string>;
  /** When it fails, besides what every operation has in common; a text alone has the usual example. */
  failures: Failures;
  /** Asks for no key. */
  isOpen?: true;
  /** Stands beside the interface that was promised. */
  isExtension?: true;
}

/** What may happen wherever something is asked; `isOpen` as above, `isList` if there are pages. */
export function commonFailures({ isOpen, isList }: { isOpen: boolean; isList: boolean }): Failures {
  return {
    400: badRequest(
      isList
        ? 'limit must be between 1 and 100, got 0'
        : 'the request must have one Host header, got 2',
    ),
    ...(!isOpen && { 401: 'There is no key, or it is not valid.' }),
    429: isOpen
      ? {
          when: 'Too many requests without a key from this address.',
          example: 'without a valid key an address may ask 300 times a minute, try again later',
        }
      : 'Too many requests with this key: more than 120 in 60 s.',
    503: 'The service cannot do this now: it is stopping, its store fails, or the disk is full. Nothing was changed.',
  };
}

/** The refusal of a request that breaks a rule of this operation. */
export function badRequest(example: string): Refusal {
  return { when: 'The request is not valid; the sentence names the field and the rule.', example };
}

/** A failure with its example. */
export function refusalOf(status: Failure, said: string | Refusal): Refusal {
  if (typeof said !== 'string') return said;
  return { when: said, example: usualExamples[status as keyof typeof usualExamples] };
}

/** What several operations say of their failures, beyond the sentences above. */
export const readOnly = 'The key may only read.';
export const tooLarge = 'The request body is over 256 KiB.';
export const notPaid = 'The trial or the subscription has ended: a subscription is needed.';
export const badPeriod = badRequest('periodSeconds must be between 60 and 31536000, got 30');
export const longBody: Refusal = {
  when: 'The request body is over 256 KiB, or the `body` of the job over 32768 characters.',
  example: 'body must be at most 32768 characters, got 40000',
};

/** Nothing of this kind has the id. */
export function unknown(kind: string, when: string): Refusal {
  return { when, example: `there is no ${kind} with id 0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a91` };
}
