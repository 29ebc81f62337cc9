import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import { checkHeaders } from '../../../src/domain/jobs/headers.ts';

interface Vectors {
  headers: { name: string; value: string; expect: 'allow' | 'reject'; why: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/ssrf.json', import.meta.url), 'utf8'),
) as Vectors;

function refusal(headers: Record<string, string>): string {
  try {
    checkHeaders(headers);
  } catch (error) {
    assert.ok(error instanceof JobdError);
    assert.equal(error.code, 'invalid_input');
    assert.match(error.message, /^headers/);
    return error.message;
  }
  return '';
}

test('every header vector is judged as listed', () => {
  assert.ok(vectors.headers.length > 10);
  for (const { name, value, expect, why } of vectors.headers) {
    assert.equal(refusal({ [name]: value }) === '' ? 'allow' : 'reject', expect, `${name}: ${why}`);
  }
});

test('headers that control the message, the connection or the service are refused', () => {
  const names = `Connection keep-alive TE Trailer Transfer-Encoding UPGRADE Content-Length Host Expect
    HTTP2-Settings Proxy-Authorization proxy-connection Proxy-Anything X-Service-Run-ID
    X-Service-Scheduled-For`;
  for (const name of names.split(/\s+/)) {
    assert.ok(refusal({ [name]: 'x' }).includes(name), name);
  }
});

test('names that some servers read as one of those are refused too, other underscores are not', () => {
  const names = `X_Service_Run_Id x-service_run-id X_Service-Scheduled_For Content_Length TRANSFER_ENCODING Keep_Alive HTTP2_Settings
    Proxy_Authorization proxy_x Proxy-Any_thing`;
  for (const name of names.split(/\s+/)) assert.ok(refusal({ [name]: 'x' }).includes(name), name);
  assert.equal(
    refusal({ X_Service_Run_Id: 'x' }),
    'headers must not contain X_Service_Run_Id: many servers read it as X-Service-Run-Id, and the service sets it',
  );
  for (const name of ['X_Api_Key', '_', 'Host_', 'X_Proxy_A', 'content_type']) {
    assert.equal(refusal({ [name]: 'x' }), '', name);
  }
});

test('a refusal never shows the value, which may be a secret', () => {
  for (const value of ['s3cret\r\n', ' s3cret', 's3cret\u0000', 's3crét']) {
    const message = refusal({ Authorization: value });
    assert.match(message, /Authorization/);
    assert.ok(!message.includes('s3cr'), message);
  }
});

test('a name may occur once, in any letter case', () => {
  assert.match(refusal({ 'X-A': '1', 'x-a': '2' }), /x-a/);
});

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'v']));
}

test('fifty headers and 16 KiB are accepted, one more is not', () => {
  assert.equal(refusal(many(50)), '');
  assert.match(refusal(many(51)), /at most 50, got 51/);
  assert.equal(refusal({ 'X-A': 'v'.repeat(16 * 1024 - 3) }), '');
  assert.match(refusal({ 'X-A': 'v'.repeat(16 * 1024 - 2) }), /16384 bytes/);
});

test('accepted headers are returned unchanged and frozen', () => {
  const headers = { 'X-Api-Key': 'k', accept: '*/*', 'X-Empty': '', 'X-Tab': 'a\tb' };
  const checked = checkHeaders(headers);
  assert.deepEqual(checked, headers);
  assert.ok(Object.isFrozen(checked));
});
