/** Rules for every request and response (docs/behavior.md#the-api). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { exchange } from '../../support/hostile/raw.ts';

const url = 'http://127.0.0.1:1/';
const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

test('HEAD answers like GET without the body, for read-only keys too', async (t) => {
  const daemon = await startTestDaemon(t);
  const { job } = (await daemon.ask('POST', '/jobs', { name: 'a', url })).body;
  const authorization = `Bearer ${await daemon.newKey('read')}`;
  const rows: [path: string, headers: Record<string, string>, status: number][] = [
    ['/api/v1/jobs', { authorization }, 200],
    [`/api/v1/jobs/${job.id}`, { authorization }, 200],
    [`/api/v1/jobs/${job.id}/runs`, { authorization }, 200],
    [`/api/v1/jobs/${unknownId}`, { authorization }, 404],
    ['/api/v1/jobs', {}, 401],
    ['/api/v1/jobs?limit=0', { authorization }, 400],
    ['/healthz', {}, 200],
  ];
  for (const [path, headers, status] of rows) {
    const get = await fetch(daemon.url + path, { headers });
    const head = await fetch(daemon.url + path, { method: 'HEAD', headers });
    assert.equal(head.status, status, path);
    assert.equal(get.status, status, path);
    assert.equal(await head.text(), '');
    const bytes = (await get.arrayBuffer()).byteLength;
    assert.equal(head.headers.get('content-length'), String(bytes), path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
  }
});

test('every response has the security headers and does not name the server software', async (t) => {
  const daemon = await startTestDaemon(t);
  const authorization = `Bearer ${daemon.key}`;
  const json = { authorization, 'content-type': 'application/json' };
  const rows: [method: string, path: string, RequestInit, status: number][] = [
    ['GET', '/healthz', {}, 200],
    ['GET', '/api/v1/jobs', { headers: { authorization } }, 200],
    ['POST', '/api/v1/jobs', { headers: json, body: '{}' }, 400],
    ['POST', '/api/v1/jobs', { headers: json, body: ' '.repeat(300_000) }, 413],
    ['GET', '/api/v1/jobs', {}, 401],
    ['GET', '/api/v1/nowhere', {}, 404],
    ['GET', '/nowhere', {}, 404],
    ['GET', '/api/v1/jobs/%zz', {}, 404],
    ['GET', `/api/v1/jobs/${'a'.repeat(600)}`, {}, 404],
    ['GET', '/api/v1/receipts/key', {}, 200],
  ];
  for (const [method, path, init, status] of rows) {
    const response = await fetch(daemon.url + path, { method, ...init });
    await response.arrayBuffer();
    const what = `${method} ${path.slice(0, 40)}`;
    assert.equal(response.status, status, what);
    const header = (name: string): string | null => response.headers.get(name);
    assert.equal(header('x-content-type-options'), 'nosniff', what);
    assert.equal(header('referrer-policy'), 'no-referrer', what);
    assert.equal(header('x-frame-options'), 'DENY', what);
    assert.equal(header('cross-origin-resource-policy'), 'same-origin', what);
    assert.equal(header('cache-control'), 'no-store', what);
    assert.match(header('content-security-policy') ?? '', /^default-src 'none'/, what);
    assert.equal(header('server'), null);
    assert.equal(header('x-powered-by'), null);
  }
});

test('an integer in a query must be decimal digits', async (t) => {
  const { ask, key } = await startTestDaemon(t);
  for (const text of ['1', '10', '007', '100']) {
    assert.equal((await ask('GET', `/jobs?limit=${text}`, undefined, key)).status, 200, text);
  }
  const others = [
    '1e1',
    '0x10',
    '%2010',
    '10%20',
    '%2B10',
    '1.0',
    '1_0',
    '0b1',
    'true',
    '١',
    'NaN',
  ];
  for (const text of others) {
    const answer = await ask('GET', `/jobs?limit=${text}`, undefined, key);
    assertRefused(answer, 400, /^limit must be an integer, got "/, text);
  }
  const huge = await ask('GET', '/jobs?limit=999999999999', undefined, key);
  assertRefused(huge, 400, /^limit must be between 1 and 100, got 999999999999$/, 'huge');
});

test('a lone surrogate anywhere in a body is refused, a full pair is kept', async (t) => {
  const { ask } = await startTestDaemon(t);
  const [high, low] = ['\ud83d', '\ude00'];
  const rows: [input: object, words: RegExp][] = [
    [{ name: `a${high}` }, /^name must be well-formed Unicode/],
    [{ name: `${low}${high}` }, /^name must be well-formed Unicode/],
    [{ notes: `${high} ${low}` }, /^notes must be well-formed Unicode/],
    [{ url: `${url}${low}` }, /^url must be well-formed Unicode/],
    [{ timezone: high }, /^timezone must be well-formed Unicode/],
    [{ method: 'POST', body: low }, /^body must be well-formed Unicode/],
    [{ headers: { 'X-A': `a${high}` } }, /^headers\.X-A must be well-formed Unicode/],
    [{ headers: { [`X-${high}`]: 'a' } }, /^each field name must be well-formed Unicode/],
    [{ [high]: 1 }, /^each field name must be well-formed Unicode/],
    [{ unknown: [[[high]]] }, /^unknown\.0 must be well-formed Unicode/],
  ];
  for (const [input, words] of rows) {
    const answer = await ask('POST', '/jobs', { name: 'a', url, ...input });
    assertRefused(answer, 400, words, JSON.stringify(input));
  }
  assertRefused(await ask('POST', '/jobs', high), 400, /^the body must be well-formed/, 'the body');
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
  const name = `${high}${low}`;
  const kept = await ask('POST', '/jobs', { name, url, notes: String.raw`\ud83d` });
  assert.equal(kept.status, 201, kept.body.error);
  assert.equal(kept.body.job.name, '😀');
  assert.equal(kept.body.job.notes, String.raw`\ud83d`, 'an escaped backslash is not an escape');
});

test('a body that is not UTF-8 is refused, not repaired', async (t) => {
  const daemon = await startTestDaemon(t);
  const send = async (body: Buffer) => {
    const response = await fetch(`${daemon.url}/api/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${daemon.key}`, 'content-type': 'application/json' },
      body,
    });
    const { status, headers } = response;
    return { status, headers, body: JSON.parse(await response.text()) };
  };
  const job = JSON.stringify({ name: 'Äpfel', url });
  assertRefused(await send(Buffer.from(job, 'latin1')), 400, /^the body must be UTF-8/, 'Latin-1');
  assertRefused(await send(Buffer.from(job, 'utf16le')), 400, /./, 'UTF-16');
  const kept = await send(Buffer.from(job));
  assert.equal(kept.body.job.name, 'Äpfel');
});

test('a body of 100,000 nested arrays is refused like any other invalid body', async (t) => {
  const { ask, key, url: site } = await startTestDaemon(t);
  for (const inside of ['', String.raw`"\ud800"`]) {
    const body = `${'['.repeat(100_000)}${inside}${']'.repeat(100_000)}`;
    const response = await fetch(`${site}/api/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    assert.equal(response.status, 400);
    assert.deepEqual(Object.keys((await response.json()) as object), ['error']);
  }
  assert.equal((await ask('GET', '/jobs')).status, 200);
});

test('a key must come in exactly one Authorization header, written as in RFC 6750', async (t) => {
  const { url: site, key } = await startTestDaemon(t);
  const unknownKey = `cp_${'0'.repeat(64)}`;
  const rows: [what: string, lines: string[], status: number][] = [
    ['as it should be', [`Authorization: Bearer ${key}`], 200],
    ['lower case', [`authorization: bearer ${key}`], 200],
    ['mixed case', [`AUTHORIZATION: bEARER ${key}`], 200],
    ['several spaces', [`Authorization:   Bearer    ${key}   `], 200],
    ['a tab', [`Authorization: Bearer\t${key}`], 401],
    ['no scheme', [`Authorization: ${key}`], 401],
    ['another scheme', [`Authorization: Token ${key}`], 401],
    ['a comma', [`Authorization: Bearer ${key},`], 401],
    ['quotes', [`Authorization: Bearer "${key}"`], 401],
    ['two in one', [`Authorization: Bearer ${key}, Bearer ${key}`], 401],
    ['twice', [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`], 401],
    [
      'twice, one bad',
      [`Authorization: Bearer ${key}`, `authorization: Bearer ${unknownKey}`],
      401,
    ],
    ['another header', [`X-Api-Key: ${key}`], 401],
    ['a cookie', [`Cookie: access_token=${key}`], 401],
  ];
  for (const [what, lines, status] of rows) {
    const head = ['GET /api/v1/jobs HTTP/1.1', 'Host: a', 'Connection: close', ...lines];
    const [answer] = await exchange(site, `${head.join('\r\n')}\r\n\r\n`);
    assert.equal(answer?.status, status, what);
  }
  const inQuery = await fetch(`${site}/api/v1/jobs?access_token=${key}`);
  assert.equal(inQuery.status, 401, 'a key in the query does not count');
});
