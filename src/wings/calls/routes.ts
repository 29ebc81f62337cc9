/** The route that creates many one-time jobs. */

import { Type, type Static } from 'typebox';
import { badRequest, describe, notPaid } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { countItems } from '../../api/http/limits/request-limits.ts';
import * as t from '../../api/http/schema.ts';
import { definedJobFields } from '../../api/jobs/contract.ts';
import { jobId } from '../../api/jobs/examples.ts';
import type { App } from '../../app/app.ts';
import { nameRule } from '../../domain/fields.ts';
import type { ApiParts } from '../../serve/house.ts';
import { createCalls } from './calls.ts';

/** Calls of one request, and how many of them count as one. */
export const mostCalls = 100;
const callsPerRequest = 10;

const example = {
  key: 'order-4711',
  url: 'https://app.example.com/reminders',
  method: 'POST' as const,
  body: '{"order":4711}',
  inSeconds: 86_400,
};

const Call = t.input(
  'Call',
  'A job to call once: by `runAt` or `inSeconds`, with any other field of a job.',
  [example],
  {
    ...definedJobFields,
    name: Type.Optional({ ...definedJobFields.name, description: 'Its name. Default: its `key`.' }),
    key: t.field(nameRule, {
      description: 'What names this call in the workspace, as long as its job is kept.',
    }),
    inSeconds: Type.Optional(
      t.field(
        { type: 'integer', minimum: 0, maximum: 157_680_000 },
        { description: 'How long after this request it is called, instead of `runAt`.' },
      ),
    ),
  },
);

const Calls = t.input('Calls', 'What to call once.', [{ calls: [example] }], {
  calls: Type.Array(Call, {
    minItems: 1,
    maxItems: mostCalls,
    description: `Up to ${mostCalls} calls.`,
  }),
});
export type Calls = Static<typeof Calls>;

const CallResult = t.output(
  'CallResult',
  'What became of one call.',
  { key: example.key, id: jobId, error: null, isNew: true },
  {
    key: t.text('The key from the request.'),
    id: t.idOrNull('The id of the job with this key; null if there is none.'),
    error: t.textOrNull('Why there is none; null if there is one.'),
    isNew: t.flag('Whether this request made the job; false if it was there already.'),
  },
);

const CallResults = t.envelope('CallResults', {
  results: t.array(CallResult, 'In the order of the calls.'),
});
export type CallResults = Static<typeof CallResults>;

const operations = describe(
  { tag: 'Jobs', isExtension: true },
  {
    createCalls: {
      summary: 'Create many one-time jobs',
      description:
        'Creates up to 100 jobs that are called once. A key that names a job already creates nothing: the answer has the id of that job, so ' +
        'the same request can be sent again. A call that is refused does not affect the others; its result says why. Each 10 calls ' +
        'count as one request.',
      body: Calls,
      response: { 200: CallResults },
      answer: 'What became of each call.',
      failures: { 400: badRequest('calls must have at most 100 entries, got 101'), 402: notPaid },
    },
  },
);

/** Adds the route. */
export function callRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  server.post('/calls', operations.createCalls, async ({ principal, body: { calls } }, answer) => {
    const counted = { items: calls.length, perRequest: callsPerRequest, answer };
    await countItems(limits, principal, counted);
    return { results: await createCalls(app, principal, calls) };
  });
}
