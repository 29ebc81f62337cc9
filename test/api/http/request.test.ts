/** Requests with unknown paths, wrong methods and unreadable bodies. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { readAnswer, startTestDaemon } from '../../support/running/daemon.ts';
import type { Answer, TestDaemon } from '../../support/running/daemon.ts';

const json = { 'content-type': 'application/json' };
const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

async function send(
  { url, key }: TestDaemon,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return await readAnswer(method, response);
}

test('an unknown path is 404, and the message names the requested method and path', async (t) => {
  const daemon = await startTestDaemon(t);
  const rows: [string, string][] = [
    ['GET', '/nowhere'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nowhere'],
    ['GET', '/api/v2/jobs'],
    ['GET', '/jobs'],
    ['PUT', '/api/v1/jobs'],
    ['DELETE', '/api/v1/jobs'],
    ['POST', `/api/v1/jobs/${unknownId}`],
    ['GET', `/api/v1/jobs/${unknownId}/run`],
    ['POST', `/api/v1/jobs/${unknownId}/runs`],
    ['DELETE', `/api/v1/jobs/${unknownId}/runs/${unknownId}`],
    ['GET', `/api/v1/jobs/${unknownId}/runs/${unknownId}/more`],
    ['POST', '/healthz'],
    ['GET', '/api/v1/jobs/%zz'],
    ['GET', `/api/v1/jobs/${'a'.repeat(600)}`],
  ];
  for (const [method, path] of rows) {
    const answer = await send(daemon, method, path);
    assertRefused(answer, 404, new RegExp(`at ${method} /`), `${method} ${path.slice(0, 80)}`);
    assert.ok(answer.body.error.length < 300, 'a long path is not repeated whole');
  }
});

test('an error repeats input without what a terminal would obey', async (t) => {
  const daemon = await startTestDaemon(t);
  const name = 'red\u001b[31m\u0007field\r\n\u009b2J';
  const { status, body } = await daemon.ask('POST', '/jobs', {
    name: 'a',
    url: 'http://127.0.0.1:1/',
    [name]: 1,
  });
  assert.equal(status, 400);
  assert.match(body.error, /redfield|red field/);
  assert.doesNotMatch(body.error, /\p{Cc}/u);
});

test('an unknown or malformed id is 404', async (t) => {
  const daemon = await startTestDaemon(t);
  const { job } = (await daemon.ask('POST', '/jobs', { name: 'a', url: 'http://127.0.0.1:1/' }))
    .body;
  for (const id of [unknownId, 'abc', '123', '%20', "'; drop table jobs"]) {
    const path = encodeURIComponent(id);
    for (const [method, under] of [
      ['GET', ''],
      ['POST', '/run'],
      ['GET', '/runs'],
      ['GET', `/runs/${unknownId}`],
    ] as const) {
      const answer = await daemon.ask(method, `/jobs/${path}${under}`);
      assertRefused(answer, 404, /there is no job with id/, `${method} ${id}${under}`);
    }
    const run = await daemon.ask('GET', `/jobs/${job.id}/runs/${path}`);
    assertRefused(run, 404, /there is no run with id/, `run ${id}`);
  }
});

test('a body that is not a JSON object, or not declared as JSON, is 400', async (t) => {
  const daemon = await startTestDaemon(t);
  const valid = '{"name":"a","url":"http://127.0.0.1:1/"}';
  const rows: [what: string, headers: Record<string, string>, body: string | undefined, RegExp][] =
    [
      ['half an object', json, '{"name":', /^the body must be valid JSON$/],
      ['words', json, 'name=a', /valid JSON/],
      ['single quotes', json, "{'name':'a'}", /valid JSON/],
      ['two objects', json, `${valid}${valid}`, /valid JSON/],
      ['nothing', json, '', /^the body must be an object, it is empty$/],
      ['nothing, of no type', {}, undefined, /^the body must be an object, it is empty$/],
      ['null', json, 'null', /the body must be an object, got null/],
      ['an array', json, `[${valid}]`, /the body must be an object, got an array/],
      ['a number', json, '5', /the body must be an object, got 5/],
      [
        '__proto__',
        json,
        `{"__proto__":{"name":"a"},${valid.slice(1)}`,
        /^the body must not .*__proto__/,
      ],
      ['__proto__ inside', json, `{"headers":{"__proto__":"a"},${valid.slice(1)}`, /__proto__/],
      [
        'deep',
        json,
        `${'['.repeat(33)}${']'.repeat(33)}`,
        /^the body must not have more than 32 levels$/,
      ],
      ['brackets', json, '['.repeat(200_000), /more than 32 levels/],
      [
        'wide',
        json,
        `[${'{},'.repeat(9_000)}{}]`,
        /^the body must not have more than 16384 values$/,
      ],
      ['brackets in text', json, `["${'[{,'.repeat(9_000)}\\"${'['.repeat(40)}"]`, /got an array/],
      ['as deep as may be', json, `${'['.repeat(32)}${']'.repeat(32)}`, /got an array/],
      ['constructor', json, '{"constructor":{"prototype":{}}}', /^the body must not .*constructor/],
      ['text', { 'content-type': 'text/plain' }, valid, /content type must be application\/json/],
      ['xml', { 'content-type': 'text/xml' }, '<job/>', /content type must be application\/json/],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'name=a', /content type/],
      ['nonsense', { 'content-type': ';;;' }, valid, /content type/],
    ];
  for (const [what, headers, body, words] of rows) {
    assertRefused(await send(daemon, 'POST', '/api/v1/jobs', headers, body), 400, words, what);
  }
  assert.deepEqual((await daemon.ask('GET', '/jobs')).body.jobs, [], 'nothing of it is kept');
  const charset = { 'content-type': 'application/json; charset=utf-8' };
  assert.equal((await send(daemon, 'POST', '/api/v1/jobs', charset, valid)).status, 201);
});

test('a body of 256 KiB is accepted, one byte more is 413', async (t) => {
  const daemon = await startTestDaemon(t);
  const largest = 256 * 1024;
  const job = '{"name":"a","url":"http://127.0.0.1:1/"}';
  const fits = await send(daemon, 'POST', '/api/v1/jobs', json, job.padEnd(largest));
  assert.equal(fits.status, 201);
  const over = await send(daemon, 'POST', '/api/v1/jobs', json, job.padEnd(largest + 1));
  assertRefused(over, 413, /at most 256 KiB/, 'one byte more');
  assert.equal((await daemon.ask('GET', '/jobs')).body.jobs.length, 1);
});

test('without a key a body of 16 KiB is read, and none of one byte more', async (t) => {
  const daemon = await startTestDaemon(t);
  const largest = 16 * 1024;
  const guess = JSON.stringify({ code: 'a guess' });
  const fits = await send(daemon, 'POST', '/api/v1/session', json, guess.padEnd(largest));
  assertRefused(fits, 401, /not valid/, 'a wrong code');
  const over = await send(daemon, 'POST', '/api/v1/session', json, guess.padEnd(largest + 1));
  assertRefused(over, 413, /at most 16 KiB/, 'one byte more');
});

test('no long part of a path is repeated where nothing is: it may be a secret', async (t) => {
  const { url } = await startTestDaemon(t);
  const token = 'v1.0123456789abcdefghijklmnop';
  for (const path of [
    `/REPORT/${token}`,
    `/Ping/${token}/x`,
    `/a/report/${token}`,
    `/api/v1/${token}`,
  ]) {
    const response = await fetch(url + path);
    const { error } = (await response.json()) as { error: string };
    assert.equal(response.status, 404, path);
    assert.ok(!error.includes(token.slice(3, 12)), error);
    assert.match(error, /^there is nothing at GET \/.*…/);
  }
});

test('a path without its id, or with a method that nothing has, leads to nothing', async (t) => {
  const { ask, url, key } = await startTestDaemon(t);
  assertRefused(await ask('GET', '/jobs/'), 404, /^there is nothing at GET \/api\/v1\/jobs\/$/);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/jobs`, { method: 'QUERY', headers });
  const { error } = (await response.json()) as { error: string };
  assert.deepEqual([response.status, error], [404, 'there is nothing at QUERY /api/v1/jobs']);
});
