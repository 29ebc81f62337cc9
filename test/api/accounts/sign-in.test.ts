/** How sessions start: with a key, or once with a code (docs/behavior.md#sign-in). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revokeKey } from '../../../src/app/accounts/keys.ts';
import { sessionsPerKey } from '../../../src/domain/accounts/session.ts';
import { msPerDay } from '../../../src/domain/clock.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { newCode, postSession, signIn } from '../../support/running/browser.ts';
import {
  startClockedDaemon,
  startSteadyDaemon,
  startTestDaemon,
} from '../../support/running/daemon.ts';

test('a key signs in, and the session may do what the key may do', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  for (const permission of ['read', 'write'] as const) {
    const key = await daemon.newKey(permission);
    const session = await signIn(daemon.url, { key });
    const { body } = await session.ask('GET', '/session');
    const { workspace, isOwner, expiresAt } = body.session;
    assert.deepEqual([workspace.name, body.session.permission], ['default', permission]);
    assert.equal(isOwner, false);
    assert.equal(Date.parse(expiresAt), clock.now() + 30 * msPerDay);
    assert.deepEqual(body.workspaces, []);
    const made = await session.ask('POST', '/monitors', { name: 'a' });
    if (permission === 'write') assert.equal(made.status, 201);
    else assertRefused(made, 403, /^this session may only read/);
    assertRefused(await session.ask('GET', '/keys'), 403, /jobd open/);
    assertRefused(await session.ask('GET', '/about'), 403, /jobd open/);
  }
});

test('a code signs in once, also when it is sent twice at the same moment', async (t) => {
  const daemon = await startTestDaemon(t);
  const code = await newCode(daemon.dataDir);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => postSession(daemon.url, { code })),
  );
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  assert.deepEqual(statuses, [201, 401, 401, 401, 401, 401, 401, 401]);
  const started = answers.find(({ status }) => status === 201) ?? assert.fail();
  assert.equal(started.body.session.isOwner, true);
  const refused = await postSession(daemon.url, { code });
  assertRefused(refused, 401, /jobd open makes another one/);
  assert.equal(refused.headers.get('set-cookie'), null);
});

test('a code with --read makes a session that only reads', async (t) => {
  const daemon = await startTestDaemon(t);
  const session = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { read: true }) });
  const { body } = await session.ask('GET', '/session');
  assert.deepEqual([body.session.permission, body.session.isOwner], ['read', false]);
  assertRefused(await session.ask('POST', '/monitors', { name: 'a' }), 403, /may only read/);
  assertRefused(await session.ask('GET', '/keys'), 403, /jobd open/);
});

test('what is expired, revoked or guessed signs nobody in', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const code = await newCode(daemon.dataDir, { clock, validMs: 600_000 });
  clock.advance(600_000);
  assertRefused(await postSession(daemon.url, { code }), 401, /link/);

  const { id } = await newestKey(daemon.dataDir);
  await using local = await openTestLocal(daemon.dataDir);
  await revokeKey(local, id);
  assertRefused(await postSession(daemon.url, { key: daemon.key }), 401, /key is not valid/);

  const guesses = ['', '0', '0'.repeat(32), '0'.repeat(31), code.toUpperCase(), `${code} `];
  for (const guess of [...guesses, 'é'.repeat(32), '0'.repeat(16_000)]) {
    assertRefused(await postSession(daemon.url, { code: guess }), 401, /link/);
    assertRefused(await postSession(daemon.url, { key: guess }), 401, /key is not valid/);
  }
});

test('a body with neither or both is refused, and repeats no secret', async (t) => {
  const daemon = await startTestDaemon(t);
  const code = await newCode(daemon.dataDir);
  const { key } = daemon;
  const bodies = [{}, { key, code }, { key: [key] }, { code: { code } }, { kee: key }, null, 'x'];
  for (const body of bodies) {
    const answer = await postSession(daemon.url, body);
    assertRefused(answer, 400, /./);
    assert.ok(!JSON.stringify(answer.body).includes(code), JSON.stringify(answer.body));
    assert.ok(!JSON.stringify(answer.body).includes(key), JSON.stringify(answer.body));
  }
  assert.equal((await postSession(daemon.url, { code })).status, 201);
});

test('failed sign-ins count for their address, and good ones also for their key', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const guess = { code: '0'.repeat(32) };
  const statuses: number[] = [];
  for (let count = 0; count < 301; count += 1) {
    statuses.push((await postSession(daemon.url, guess)).status);
  }
  assert.deepEqual([...new Set(statuses.slice(0, 300))], [401]);
  assert.equal(statuses[300], 429);
  clock.advance(61_000);
  await daemon.followClock();
  const own: number[] = [];
  for (let count = 0; count < 121; count += 1) {
    own.push((await postSession(daemon.url, { key: daemon.key })).status);
  }
  assert.deepEqual([own[0], own[119], own[120]], [201, 201, 429]);
  assert.equal((await daemon.ask('GET', '/jobs')).status, 429);
});

test('one session too many of a key ends the one that was used least recently', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const sessions = [];
  for (let count = 0; count <= sessionsPerKey; count += 1) {
    clock.advance(1_000);
    sessions.push(await signIn(daemon.url, { key: daemon.key }));
  }
  const [first, second] = sessions;
  assert.equal((await first?.ask('GET', '/me'))?.status, 401);
  assert.equal((await second?.ask('GET', '/me'))?.status, 200);
});

test('a session ends with its key at the latest', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const expiresAt = new Date(clock.now() + msPerDay).toISOString();
  const input = { name: 'short', permission: 'read', expiresAt };
  const { secret } = (await owner.ask('POST', '/keys', input)).body;
  const session = await signIn(daemon.url, { key: secret });
  assert.equal((await session.ask('GET', '/session')).body.session.expiresAt, expiresAt);
  assert.match(session.setCookie, /Max-Age=86400;/);
  clock.advance(msPerDay - 1);
  assert.equal((await session.ask('GET', '/me')).status, 200);
  clock.advance(1);
  assert.equal((await session.ask('GET', '/me')).status, 401);
});

async function newestKey(dataDir: string) {
  await using local = await openTestLocal(dataDir);
  const rows = await local.store.db.selectFrom('keys').select('id').orderBy('id', 'desc').execute();
  return rows[0] ?? assert.fail('no key');
}
