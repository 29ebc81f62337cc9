/**
 * CORS: pages of other origins may only call the API if the operator listed them
 * (docs/behavior.md#the-api).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';

const friend = 'https://app.example.com';
const preflight = {
  origin: friend,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};

/** The CORS headers of a response. */
function corsHeaders({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

async function send(
  { url }: TestDaemon,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Response> {
  const response = await fetch(`${url}${path}`, { method, headers });
  await response.arrayBuffer();
  return response;
}

test('without configured origins no other origin may call, and OPTIONS is 404', async (t) => {
  const daemon = await startTestDaemon(t);
  const authorization = `Bearer ${daemon.key}`;
  const options = await send(daemon, 'OPTIONS', '/api/v1/jobs', preflight);
  const get = await send(daemon, 'GET', '/api/v1/jobs', { origin: friend, authorization });
  assert.equal(options.status, 404);
  assert.equal(get.status, 200);
  for (const response of [options, get]) {
    assert.deepEqual(corsHeaders(response), []);
    assert.equal(response.headers.get('vary'), null);
  }
});

test('a configured origin may preflight without a key and read every response', async (t) => {
  const flags = { corsOrigin: [friend, 'http://localhost:3000'] };
  const daemon = await startTestDaemon(t, { flags });
  const authorization = `Bearer ${daemon.key}`;
  for (const path of ['/api/v1/jobs', '/api/v1/jobs/some/run', '/api/v1/receipts/key']) {
    const { status, headers } = await send(daemon, 'OPTIONS', path, preflight);
    assert.equal(status, 204, path);
    assert.equal(headers.get('access-control-allow-origin'), friend);
    assert.match(headers.get('access-control-allow-methods') ?? '', /GET.*POST.*PATCH.*DELETE/);
    assert.equal(
      headers.get('access-control-allow-headers'),
      'Authorization, Content-Type, Idempotency-Key',
    );
    assert.equal(headers.get('access-control-allow-credentials'), null);
    assert.equal(headers.get('vary'), 'Origin');
  }
  const rows: [path: string, headers: Record<string, string>, status: number][] = [
    ['/api/v1/jobs', { authorization }, 200],
    ['/api/v1/jobs', {}, 401],
    ['/api/v1/jobs?limit=0', { authorization }, 400],
    ['/api/v1/nowhere', { authorization }, 404],
    ['/api/v1/receipts/key', {}, 200],
  ];
  for (const [path, more, status] of rows) {
    const response = await send(daemon, 'GET', path, { origin: 'http://localhost:3000', ...more });
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get('access-control-allow-origin'), 'http://localhost:3000');
    assert.equal(
      response.headers.get('access-control-expose-headers'),
      'Location, RateLimit, RateLimit-Policy, Retry-After',
    );
    assert.equal(response.headers.get('vary'), 'Origin');
  }
});

test('an origin that only resembles a configured one is refused', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { corsOrigin: [friend] } });
  const strangers = [
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.example',
    'https://evil.example/https://app.example.com',
    'https://xapp.example.com',
    'null',
    '*',
    '',
  ];
  for (const origin of strangers) {
    const asked = await send(daemon, 'OPTIONS', '/api/v1/jobs', { ...preflight, origin });
    assert.equal(asked.status, 404, origin);
    const got = await send(daemon, 'GET', '/api/v1/jobs', { origin });
    for (const response of [asked, got]) {
      assert.deepEqual(corsHeaders(response), [], origin);
      assert.equal(response.headers.get('vary'), 'Origin', 'caches still need to know');
    }
  }
  const outside = await send(daemon, 'GET', '/healthz', { origin: friend });
  assert.deepEqual(corsHeaders(outside), [], 'only the API is shared');
  const plain = await send(daemon, 'OPTIONS', '/api/v1/jobs', { origin: friend });
  assert.equal(plain.status, 404, 'OPTIONS that is no preflight');
});
