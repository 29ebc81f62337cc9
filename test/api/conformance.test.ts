import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as examples from '../../src/api/jobs/examples.ts';
import { assertConforms } from '../support/checks/conformance.ts';
import { readAnswer, startTestDaemon } from '../support/running/daemon.ts';

const jobs = { method: 'GET', url: '/jobs?limit=1' };
const job = { method: 'GET', url: `http://127.0.0.1:1/api/v1/jobs/${examples.job.id}` };

const rate = { ratelimit: '"key";r=119;t=60', 'ratelimit-policy': '"key";q=120;w=60' };

function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  usual: Record<string, string> = rate,
) {
  const type = { 'content-type': 'application/json' };
  return { status, body, headers: new Headers({ ...type, ...usual, ...headers }) };
}

const { name: _, ...nameless } = examples.job;
const page = { jobs: [examples.job], nextCursor: null };

const wrong: [what: string, typeof jobs, ReturnType<typeof answer>, RegExp][] = [
  ['a field is missing', job, answer(200, { job: nameless }), /required property 'name'/],
  [
    'a field is too much',
    job,
    answer(200, { job: { ...examples.job, secret: 'x' } }),
    /additional/,
  ],
  ['a field beside the envelope', job, answer(200, { job: examples.job, more: 1 }), /additional/],
  ['a field too much in a list', jobs, answer(200, { ...page, totals: {} }), /additional/],
  ['a wrong type', job, answer(200, { job: { ...examples.job, retries: '2' } }), /must be integer/],
  [
    'null where it may not be',
    job,
    answer(200, { job: { ...examples.job, name: null } }),
    /string/,
  ],
  [
    'a wrong word',
    job,
    answer(200, { job: { ...examples.job, status: 'fine' } }),
    /allowed values/,
  ],
  ['no time', job, answer(200, { job: { ...examples.job, createdAt: 'today' } }), /date-time/],
  ['no UUID', job, answer(200, { job: { ...examples.job, id: '17' } }), /uuid/],
  ['another envelope', job, answer(200, examples.job), /required property 'job'/],
  ['an undocumented success', job, answer(201, { job: examples.job }), /not documented/],
  ['an undocumented failure', job, answer(418, { error: 'a teapot' }), /not documented/],
  ['a failure of another operation', jobs, answer(404, { error: 'no' }), /not documented/],
  ['a fault of the service', job, answer(500, { error: 'broken' }), /not documented/],
  ['an error with another field', job, answer(404, { error: 'no', code: 1 }), /additional/],
  ['an error that is not an object', job, answer(404, 'no'), /must be object/],
  ['401 without WWW-Authenticate', job, answer(401, { error: 'no' }), /without WWW-Authenticate/],
  ['200 without RateLimit', job, answer(200, { job: examples.job }, {}, {}), /without RateLimit/],
  [
    '201 without Location',
    { method: 'POST', url: '/jobs' },
    answer(201, { job: examples.job }),
    /without Location/,
  ],
  ['429 without Retry-After', job, answer(429, { error: 'no' }), /without Retry-After/],
  [
    'a success of an unknown operation',
    { method: 'PUT', url: '/jobs' },
    answer(200, page),
    /no operation/,
  ],
  [
    'an unknown path without a message',
    { method: 'GET', url: '/nowhere' },
    answer(404, { message: 'no' }),
    /required property 'error'/,
  ],
  [
    'HTML instead of JSON',
    job,
    answer(200, { job: examples.job }, { 'content-type': 'text/html' }),
    /text\/html/,
  ],
];

for (const [what, asked, got, words] of wrong) {
  test(`a response is rejected: ${what}`, async () => {
    await assert.rejects(assertConforms(asked, got), words);
  });
}

test('responses that match the description pass', async () => {
  await assertConforms(job, answer(200, { job: examples.job }));
  await assertConforms(jobs, answer(200, page));
  await assertConforms(job, answer(404, { error: 'no' }));
  await assertConforms(job, answer(429, { error: 'no' }, { 'retry-after': '60' }));
  await assertConforms({ method: 'GET', url: '/nowhere' }, answer(404, { error: 'no' }));
});

test('a response that breaks the description fails the test that received it', async (t) => {
  const { url, key } = await startTestDaemon(t);
  const response = await fetch(`${url}/api/v1/jobs`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await assert.rejects(readAnswer('POST', response), /POST \/jobs answered 200.*not documented/);
});
