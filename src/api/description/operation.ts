/** What a route says about itself in the API description, beside its schemas. */

import type { FastifySchema } from 'fastify';

declare module 'fastify' {
  interface FastifySchema extends Partial<OperationNotes> {}
}

/** Groups of operations, in the order they are shown. */
export const tags = {
  Jobs: 'URLs to call, and when to call them.',
  Definitions:
    'Jobs, monitors and channels that are defined elsewhere, usually in files of a repository.',
  Runs: 'Calls of a job, by its schedule or by hand, and their outcomes.',
  Overview:
    'What is going on, for a page that shows all of it: counts, lists with recent results, and trouble.',
  Monitors: 'Tasks that run elsewhere and send pings; a missing ping raises an alert.',
  Pings:
    'What a monitored task requests. Outside `/api/v1`, and without a key: the URL is the secret.',
  Reports:
    'What a target requests that answered 202 and works on. Outside `/api/v1`, and without a key: the URL is the secret.',
  Schedules: 'Due times of a schedule, before a job uses it.',
  Events: 'What changes, as it happens: a stream that says what to ask again.',
  Receipts: 'Signed records of what the service observed, and the keys that verify them.',
  'Signed calls':
    'How a target learns who called it: public keys, for tokens and for signatures. Outside `/api/v1`.',
  Windows: 'Times in which nobody is alerted.',
  Badges: 'Pictures of a state, for anybody who has their URL.',
  Channels: 'Destinations for alerts: when a job starts to fail, and when it works again.',
  'Sign-in': 'Sessions of browsers, which the dashboard uses, and the keys that its owner manages.',
  Account: 'The key itself, and what the plan of its account allows.',
  'Health checks':
    'Whether the server works, for supervisors and load balancers. Outside `/api/v1`.',
  Description: 'This description, for machines.',
} as const;

/** When an operation fails, and what the server answers then. */
export interface Refusal {
  when: string;
  /** test/api/error-examples.test.ts compares it with the server's answer. */
  example: string;
}

export type Failure = 400 | 401 | 402 | 403 | 404 | 409 | 413 | 429 | 503;

interface About {
  tag: keyof typeof tags;
  /** What `:id` in a path names, such as `job`. */
  noun?: string;
  /** Not part of the promised interface. */
  isExtension?: true;
}

interface Words {
  /** A few words, as a title. */
  summary: string;
  description: string;
  /** What a successful answer contains. */
  answer: string;
  /** The media type of a successful answer that is not JSON. */
  answerType?: string;
  /** What the body may contain where any text is taken. */
  textBody?: { description: string; example: string };
  /** The answer to the example of the request, where the schema has an example of another answer. */
  answerExample?: object;
  /** Headers of that answer, and what they contain. */
  answerHeaders?: Record<string, string>;
  /** When it fails, beyond `usualFailures`; null for what cannot happen. For 403 a string replaces the condition, not the example. */
  failures?: Partial<Record<Exclude<Failure, 403>, Refusal | null>> & { 403?: string | Refusal };
  /** Needs no key. */
  isOpen?: true;
  /** Needs a key with write, although it only reads. */
  needsWrite?: true;
  isExtension?: true;
}

/** All that the description says about an operation. */
export interface OperationNotes extends About, Words {
  operationId: string;
}

type Described = Omit<FastifySchema, keyof OperationNotes> & Words;

/** Makes the route options of a subject's operations. The id of each operation is its name in the table. */
export function describe<T extends Record<string, Described>>(about: About, operations: T) {
  const entries = Object.entries(operations);
  return Object.fromEntries(
    entries.map(([operationId, notes]) => [
      operationId,
      { schema: { ...about, ...notes, operationId } },
    ]),
  ) as { [K in keyof T]: { schema: T[K] & OperationNotes } };
}

/** What any such operation may answer; `isList` if its answers have pages. */
export function usualFailures(
  { isOpen, needsWrite, noun, params }: FastifySchema,
  { isChange, isList }: { isChange: boolean; isList: boolean },
): Partial<Record<Failure, Refusal>> {
  return {
    400: badRequest(
      isList
        ? 'limit must be between 1 and 100, got 0'
        : 'the request must have one Host header, got 2',
    ),
    ...(!isOpen && {
      401: {
        when: 'There is no key, or it is not valid.',
        example: 'a valid key is needed, send it as: Authorization: Bearer cp_…',
      },
    }),
    ...(!isOpen &&
      (isChange || needsWrite) && {
        403: {
          when: 'The key may only read.',
          example: 'this key may only read, a key with write is needed',
        },
      }),
    ...(isChange && {
      413: {
        when: `The request body is over ${isOpen ? 16 : 256} KiB.`,
        example: `the request body must be at most ${isOpen ? 16 : 256} KiB`,
      },
    }),
    ...(noun !== undefined &&
      params !== undefined && {
        404: unknown(noun, `The workspace of the key has no such ${noun}.`),
      }),
    429: isOpen
      ? {
          when: 'Too many requests without a key from this address.',
          example: 'without a valid key an address may ask 300 times a minute: again in 60 s',
        }
      : {
          when: 'Too many requests with this key: more than 120 in 60 s.',
          example: 'a key may ask 120 times a minute: again in 60 s',
        },
    503: {
      when: 'Temporarily unavailable: the service is stopping, its database fails, or the disk is full. Nothing was changed, unless the error says that this is not known.',
      example: 'the database cannot be used now: database is locked (SQLITE_BUSY)',
    },
  };
}

/** The request breaks a rule of this operation. */
export function badRequest(example: string): Refusal {
  return { when: 'The request is not valid. The error names the field and the rule.', example };
}

/** Nothing of this kind has the id. */
export function unknown(kind: string, when: string): Refusal {
  return { when, example: `there is no ${kind} with id 0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a91` };
}

/** Only a session of the owner may do it; `what` as `requireOwner` says it. */
export function forOwners(what: string): Refusal {
  return {
    when: 'The request does not come from a session of the owner.',
    example: `only the owner may ${what}: sign in with the link that jobd open prints`,
  };
}

export const badPeriod = badRequest('periodSeconds must be between 60 and 31536000, got 30');
export const notPaid: Refusal = {
  when: 'The trial or the subscription has ended.',
  example: 'the trial ended at 2025-10-23T00:00:00.000Z, a subscription is needed to run and edit',
};
export const noRun = unknown(
  'run',
  'The workspace of the key has no such job, or the job has no such run.',
);
