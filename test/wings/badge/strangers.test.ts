/** What strangers can do with badges: little, and it costs the store nothing (docs/behavior.md#badge-3). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import type { Principal } from '../../../src/app/app.ts';
import { createBadge, deleteBadge } from '../../../src/wings/badge/badges.ts';
import { startServer } from '../../../src/serve/server.ts';
import { parseBlock } from '../../../src/domain/targets/address.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

const unknown = `cpb_${'0'.repeat(32)}`;

/** A server whose statements are counted, with a badge of two jobs; it logs into `lines`. */
async function setup(t: TestContext) {
  const { store, workspaceId, addJob } = await openTestStore(t);
  await addJob();
  await addJob();
  const clock = fakeClock();
  let [statements, tookMs] = [0, 0];
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1;
      clock.pass(tookMs);
      return result;
    },
  });
  const app = quietApp({ store: { ...store, db }, clock });
  const actor = { type: 'key', id: 'k', name: 'k' } as const;
  const sender = { address: null, forwardedFor: null };
  const principal = { actor, sender, workspaceId, accountExpiresAt: null } as unknown as Principal;
  const made = await createBadge(app, principal, { name: 'acme' }, null);
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const options = { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [] };
  const trustedProxies = [parseBlock('127.0.0.1/32') ?? assert.fail()];
  const server = await startServer(app, { ...options, trustedProxies }, log);
  t.after(() => server[Symbol.asyncDispose]());
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${server.url}${path}`, { method, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const slow = (ms: number): void => void (tookMs = ms);
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    statements = 0;
    await work();
    return statements;
  };
  const deleteIt = () => deleteBadge(app, principal, made.badge.id);
  return { url: `/badge/${made.token}`, get, counted, slow, deleteIt, clock, lines, store };
}

test('2,000 requests ask the store three times, also at once, and again 30 s later', async (t) => {
  const { url, get, counted, clock } = await setup(t);
  const flood = async (each: number): Promise<void> => {
    const work = async (): Promise<void> => {
      for (let count = 0; count < each; count += 1) {
        const { status } = await get(`${url}.${count % 2 === 0 ? 'svg' : 'json'}?${count}`);
        assert.equal(status, 200);
      }
    };
    await Promise.all(Array.from({ length: 20 }, work));
  };
  // The badge, its jobs, its monitors.
  assert.equal(await counted(() => flood(100)), 3);
  clock.pass(29_999);
  assert.equal(await counted(() => flood(2)), 0);
  clock.pass(1);
  assert.equal(await counted(() => flood(2)), 3);
});

test('counts that took long are good for longer, a token is not', async (t) => {
  const { url, get, counted, slow, deleteIt, clock } = await setup(t);
  const ask = (status: number) => async () =>
    assert.equal((await get(`${url}.svg`)).status, status);
  slow(200);
  assert.equal(await counted(ask(200)), 3);
  slow(0);
  // Counting took 0.6 s with the search for the badge, so it is good for 60 s.
  for (const [passedMs, statements] of [
    [29_400, 1],
    [30_000, 3],
    [30_000, 3],
  ] as const) {
    clock.pass(passedMs);
    assert.equal(await counted(ask(200)), statements);
  }
  await deleteIt();
  await ask(200)();
  clock.pass(30_000);
  assert.equal(await counted(ask(404)), 1);
});

test('who guesses tokens is refused before the store is asked, and others are not', async (t) => {
  const { url, get, counted, clock } = await setup(t);
  assert.equal((await get(`${url}.svg`)).status, 200);
  const guesser = { 'x-forwarded-for': '192.0.2.1' };
  let guess = 0;
  const guesses = async (most: number): Promise<number[]> => {
    const seen: number[] = [];
    while (seen.length < most) {
      const token = `cpb_${(guess += 1).toString(16).padStart(32, '0')}`;
      seen.push((await get(`/badge/${token}.json`, guesser)).status);
    }
    return seen;
  };
  assert.equal(
    await counted(async () => assert.deepEqual(new Set(await guesses(300)), new Set([404]))),
    300,
  );
  assert.equal(
    await counted(async () => assert.deepEqual(new Set(await guesses(50)), new Set([429]))),
    0,
  );
  // A badge that is known is shown even to them; to others each one is.
  assert.equal((await get(`${url}.json`, guesser)).status, 200);
  assert.equal(
    (await get(`/badge/${unknown}.svg`, { 'x-forwarded-for': '192.0.2.2' })).status,
    404,
  );
  clock.pass(60_000);
  assert.deepEqual(await guesses(1), [404]);
  const malformed = [
    unknown.slice(1),
    `${unknown}0`,
    unknown.toUpperCase(),
    'cpb_%00',
    '..%2f',
    '%',
  ];
  const asked = await counted(async () => {
    for (const token of malformed)
      assert.equal((await get(`/badge/${token}.svg`)).status, 404, token);
  });
  assert.equal(asked, 0);
});

test('only the two addresses of a badge answer, also to HEAD and to those who have it', async (t) => {
  const { url, get, lines } = await setup(t);
  for (const ending of ['', '.', '.png', '.SVG', '.svg/', '.svg.json', '.json/x', '/state.svg']) {
    const { status, text } = await get(url + ending);
    assert.equal(status, 404, ending);
    assert.doesNotMatch(text, /cpb_/, ending);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    assert.equal((await get(`${url}.svg`, {}, method)).status, 404, method);
  const types = { svg: 'image/svg+xml', json: 'application/json; charset=utf-8' };
  for (const [ending, type] of Object.entries(types)) {
    const { status, headers, text } = await get(`${url}.${ending}`);
    assert.equal(status, 200);
    const expected = {
      'content-type': type,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=30',
      'cross-origin-resource-policy': 'cross-origin',
    };
    const given = Object.keys(expected).map((name) => [name, headers.get(name)]);
    assert.deepEqual(Object.fromEntries(given), expected);
    assert.equal(headers.get('set-cookie'), null);
    const head = await get(`${url}.${ending}`, {}, 'HEAD');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)));
    const etag = headers.get('etag') ?? assert.fail();
    const same = await get(`${url}.${ending}`, { 'if-none-match': etag });
    assert.deepEqual([same.status, same.text], [304, '']);
    assert.equal((await get(`${url}.${ending}`, { 'if-none-match': '"other"' })).status, 200);
  }
  assert.doesNotMatch(lines.join(''), /cpb_/);
});

test('while the store fails badges answer 503 without their tokens in the log, and from memory before that', async (t) => {
  const { url, get, clock, lines, store } = await setup(t);
  assert.equal((await get(`${url}.svg`)).status, 200);
  await store[Symbol.asyncDispose]();
  assert.equal((await get(`${url}.svg`)).status, 200);
  clock.pass(30_000);
  for (const ending of ['svg', 'json']) {
    const { status, headers } = await get(`${url}.${ending}`);
    assert.ok(status >= 500, String(status));
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.ok(lines.length > 0);
  assert.doesNotMatch(lines.join(''), /cpb_/);
});
