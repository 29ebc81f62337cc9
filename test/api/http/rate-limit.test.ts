/** Rate limits of the API (docs/behavior.md#limit-1). */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { quotaHeaders } from '../../../src/api/http/limits/rate-headers.ts';
import { createRateLimiter } from '../../../src/domain/accounts/rate-limiter.ts';
import { addressGroup } from '../../../src/api/http/limits/clients.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { exchange, openSocket, parseAnswers, receiveAll } from '../../support/hostile/raw.ts';
import type { RawAnswer } from '../../support/hostile/raw.ts';

const rule = { limit: 120, windowMs: 60_000, subjects: 1_000 };

test('no answer says to wait longer than the window, whatever the fraction of the moment', () => {
  const microseconds = fc.integer({ min: 0, max: 1e10 });
  fc.assert(
    fc.property(microseconds, (us) => {
      const now = us / 1_000;
      const left = createRateLimiter(rule).ask('a', now);
      assert.equal(quotaHeaders('key', rule, left).ratelimit, '"key";r=119;t=60');
    }),
  );
});

test('an IPv4 address counts by itself, an IPv6 address by its /64', () => {
  const same: [string, string][] = [
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['127.0.0.1', '::ffff:7f00:1'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ];
  const different: [string, string][] = [
    ['127.0.0.1', '127.0.0.2'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.2'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['0.0.0.1', '::1'],
  ];
  for (const [a, b] of same) assert.equal(addressGroup(a), addressGroup(b), `${a} ${b}`);
  for (const [a, b] of different) assert.notEqual(addressGroup(a), addressGroup(b), `${a} ${b}`);
});

const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

/** Sends this many requests, and counts the responses by status. */
async function statuses(
  { ask }: TestDaemon,
  count: number,
  key: string | null | undefined,
  path = '/jobs?limit=1',
): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let number = 0; number < count; number += 1) {
    const { status } = await ask('GET', path, undefined, key);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

test('a key may send 120 requests in 60 s, of any kind; then it gets 429 with Retry-After: 60', async (t) => {
  const { daemon, clock, ask, newKey } = await startClockedDaemon(t);
  const [readKey, otherKey] = [await newKey('read'), await newKey('write')];
  const rows: [method: string, path: string, status: number][] = [
    ['GET', '/jobs', 200],
    ['POST', '/jobs', 403],
    ['GET', '/jobs?limit=0', 400],
    ['GET', `/jobs/${unknownId}`, 404],
    ['GET', `/jobs/${unknownId}/runs/${unknownId}/receipt`, 404],
    ['GET', '/nowhere', 404],
  ];
  for (const [method, path, status] of rows) {
    assert.equal((await ask(method, path, undefined, readKey)).status, status, path);
  }
  assert.deepEqual(await statuses(daemon, 120 - rows.length, readKey), { 200: 120 - rows.length });
  for (const [method, path] of rows) {
    const refused = await ask(method, path, undefined, readKey);
    assertRefused(refused, 429, /a key may ask 120 times a minute/, path);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(refused.headers.get('ratelimit-policy'), '"key";q=120;w=60');
    assert.match(refused.headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+$/);
  }
  assert.equal((await ask('GET', '/jobs', undefined, otherKey)).status, 200, 'another key');
  clock.pass(60_000);
  assert.equal((await ask('GET', '/jobs', undefined, readKey)).status, 200, '60 s later');
});

test('the headers name the limit and say, in whole seconds that are enough, when more is left', () => {
  const limiter = createRateLimiter(rule);
  const said = (now: number): string => quotaHeaders('key', rule, limiter.ask('a', now)).ratelimit;
  assert.equal(said(0), '"key";r=119;t=60');
  assert.equal(said(20_001), '"key";r=118;t=40');
  assert.equal(said(59_999), '"key";r=117;t=1');
  assert.equal(said(60_000), '"key";r=117;t=21');
});

test('answers to a key say what is left of its limit', async (t) => {
  const { clock, ask, newKey } = await startClockedDaemon(t);
  const key = await newKey('write');
  const left = async (method: string, path: string, body?: unknown): Promise<number> => {
    const { headers } = await ask(method, path, body, key);
    assert.equal(headers.get('ratelimit-policy'), '"key";q=120;w=60');
    const [, remaining, seconds] =
      /^"key";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    assert.ok(Number(seconds) <= 60, `t=${seconds}`);
    return Number(remaining);
  };
  assert.equal(await left('GET', '/jobs'), 119);
  clock.pass(20_000);
  assert.equal(await left('GET', '/nowhere'), 118, 'a failure counts too');
  assert.equal(await left('POST', '/jobs', {}), 117);
  const ids = Array.from({ length: 100 }, (_, index) =>
    unknownId.replace(/.{4}$/, `${1000 + index}`),
  );
  const actions = { action: 'pause', ids };
  assert.equal(await left('POST', '/jobs/actions', actions), 112, 'it counts 5');
  clock.pass(40_000);
  assert.equal(await left('GET', '/jobs'), 112, 'the first one no longer counts');

  for (const unknown of [null, `cp_${'0'.repeat(64)}`]) {
    const { status, headers } = await ask('GET', '/jobs', undefined, unknown);
    assert.equal(status, 401);
    assert.equal(headers.get('ratelimit'), null, 'nothing is said to who is not known');
  }
});

test('without a valid key an address may send 300 requests in 60 s; valid keys are not slowed down', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t);
  const unknownKey = `cp_${'0'.repeat(64)}`;
  assert.deepEqual(await statuses(daemon, 100, null), { 401: 100 });
  assert.deepEqual(await statuses(daemon, 100, unknownKey), { 401: 100 });
  assert.deepEqual(await statuses(daemon, 50, null, '/nowhere'), { 404: 50 });
  assert.deepEqual(await statuses(daemon, 50, null, '/receipts/key'), { 200: 50 });
  for (const path of ['/jobs', '/nowhere', '/receipts/key']) {
    for (const key of [null, unknownKey, 'cp_123']) {
      const refused = await ask('GET', path, undefined, key);
      assertRefused(refused, 429, /without a valid key an address may ask 300 times/, path);
      assert.equal(refused.headers.get('retry-after'), '60');
      assert.equal(refused.headers.get('ratelimit-policy'), '"address";q=300;w=60');
      assert.equal(refused.headers.get('ratelimit'), '"address";r=0');
    }
  }
  assert.deepEqual(await statuses(daemon, 110, undefined), { 200: 110 });
  assert.equal((await ask('GET', '/receipts/key')).status, 200, 'a valid key where none is needed');
  assert.equal((await fetch(`${daemon.url}/healthz`)).status, 200, 'outside the API');
  clock.pass(60_000);
  assert.equal((await ask('GET', '/jobs', undefined, null)).status, 401, '60 s later');
});

test('every request without a key counts; after 300 each is refused at once and the connection is closed', async (t) => {
  const { clock, url, ask } = await startClockedDaemon(t);
  const unknownKey = `cp_${'0'.repeat(64)}`;
  const { monitor } = (await ask('POST', '/monitors', { name: 'a' })).body;
  const pingPath = new URL(monitor.pingUrl).pathname;
  const free = [
    'GET /docs',
    'GET /docs.css',
    'GET /verify-receipt.mjs',
    'GET /.well-known/jwks.json',
    'GET /.well-known/http-message-signatures-directory',
    'GET /.well-known/openid-configuration',
    'GET /api/v1/openapi.json',
    'GET http://a/api/v1/openapi.json?a',
  ];
  const rows: [line: string, status: number][] = [
    ['GET /unknown', 404],
    ['GET /healthier', 404],
    ['GET /.well-known/unknown', 404],
    ['GET /assets/unknown.js', 404],
    ['GET /api/v1/%zz', 404],
    [`GET /api/v1/${'a'.repeat(600)}`, 404],
    ['GET /ping/unknown', 404],
    ['POST /ping/unknown', 404],
    ['POST /docs', 404],
    ['POST /api/v1/openapi.json', 404],
    [`GET /api/v1/jobs HTTP/1.1\r\nAuthorization: Bearer ${unknownKey}\r\nHost: b\r\nX: a`, 400],
    ['garbage', 400],
    ['CONNECT a:1', 404],
  ];
  const send = (line: string): Promise<RawAnswer[]> =>
    exchange(url, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  for (const [line, status] of rows) assert.equal((await send(line))[0]?.status, status, line);
  for (let number = rows.length; number < 300; number += 1) await send('GET /api/v1/nowhere');
  for (const line of free) assert.equal((await send(line))[0]?.status, 200, line);

  for (const [line] of rows) {
    const socket = await openSocket(url);
    socket.write(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [answer] = parseAnswers(await receiveAll(socket));
    if (line === 'garbage' || line.startsWith('CONNECT')) {
      assert.equal(answer, undefined, line);
      continue;
    }
    assert.equal(answer?.status, 429, line);
    assert.equal(answer.headers.get('retry-after'), '60', line);
    assert.match(answer.headers.get('ratelimit') ?? '', /^"address";r=0$/, line);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', line);
    assert.equal(answer.headers.get('connection'), 'close', line);
  }
  for (const path of ['/healthz', '/readyz', pingPath]) {
    assert.equal((await fetch(url + path)).status, 200, path);
  }
  assert.equal((await ask('GET', '/jobs')).status, 200);
  clock.pass(60_000);
  assert.equal((await send('GET /unknown'))[0]?.status, 404, '60 s later');
});

test('a request counts once if its body never comes or its client disconnects', async (t) => {
  const { url } = await startTestDaemon(t, { clock: fakeClock() });
  const requests: string[] = [
    'POST /ping/unknown HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n',
    'GET /api/v1/receipts/key HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  ];
  for (let number = 0; number < 300; number += 1) {
    const socket = await openSocket(url);
    const came = once(socket, 'data');
    socket.write(requests[number % 2] ?? '');
    const [answer] = (await came) as [Buffer];
    assert.match(answer.toString('latin1'), /^HTTP\/1\.1 (200|404) /, `request ${number}`);
    if (number % 4 < 2) socket.resetAndDestroy();
    else socket.end();
    await once(socket, 'close');
  }
  const [refused] = await exchange(url, requests[1] ?? '');
  assert.equal(refused?.status, 429);
});
