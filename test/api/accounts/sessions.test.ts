/** Sessions that exist: how they end, whom they reach, and what their cookie looks like. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkspace, deleteWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { revokeKey } from '../../../src/app/accounts/keys.ts';
import { msPerDay } from '../../../src/domain/clock.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { newCode, postSession, signIn, type SignedIn } from '../../support/running/browser.ts';
import {
  startSteadyDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { addAccount } from '../../support/records/account.ts';
import { addWorkspace } from '../../support/records/workspace.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

async function ownerOf(daemon: TestDaemon, workspace?: string): Promise<SignedIn> {
  const code = await newCode(daemon.dataDir, workspace === undefined ? {} : { workspace });
  return await signIn(daemon.url, { code });
}

const statusOf = async (session: SignedIn): Promise<number> =>
  (await session.ask('GET', '/me')).status;

test('behind https the cookie belongs to this host alone; over http the API alone gets it', async (t) => {
  const plain = await startTestDaemon(t);
  const usual = await signIn(plain.url, { key: plain.key });
  assert.match(
    usual.setCookie,
    /^jobd-[0-9a-f]{8}=[0-9a-f]{64}; Max-Age=2592000; Path=\/api\/v1; HttpOnly; SameSite=Strict$/,
  );
  const flags = { baseUrl: 'https://jobs.example.com' };
  const secure = await startTestDaemon(t, { flags });
  const owner = await ownerOf(secure);
  assert.match(
    owner.setCookie,
    /^__Host-jobd-[0-9a-f]{8}=[0-9a-f]{64}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
  const below = await startTestDaemon(t, { flags: { baseUrl: 'http://jobs.example.com/jobd/' } });
  const { setCookie } = await signIn(below.url, { key: below.key });
  assert.match(setCookie, /; Path=\/jobd\/api\/v1; HttpOnly; SameSite=Strict$/);
  // A forwarded header decides nothing.
  const forwarded = { 'x-forwarded-proto': 'https' };
  const { headers } = await postSession(plain.url, { key: plain.key }, forwarded);
  assert.doesNotMatch(headers.get('set-cookie') ?? '', /Secure/);
});

test('two daemons on one host keep their sessions apart in one browser', async (t) => {
  const [one, other] = [await startTestDaemon(t), await startTestDaemon(t)];
  const [ofOne, ofOther] = [await ownerOf(one), await ownerOf(other)];
  const jar = { cookie: `${ofOne.cookie}; ${ofOther.cookie}` };
  assert.equal((await ofOne.ask('GET', '/session', undefined, jar)).body.session.id, ofOne.id);
  assert.equal((await ofOther.ask('GET', '/session', undefined, jar)).body.session.id, ofOther.id);
  assert.notEqual(ofOne.cookie.split('=')[0], ofOther.cookie.split('=')[0]);
});

test('only one cookie of the exact name and form counts', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask, cookie } = await ownerOf(daemon);
  const [name = '', value = ''] = cookie.split('=');
  const rows: [string, number][] = [
    [cookie, 200],
    [`theme=dark; ${cookie}; a=b`, 200],
    [`theme=dark;${cookie}`, 200],
    [`;;; ${cookie} ;`, 200],
    [`${cookie}; ${cookie}`, 401],
    [`${cookie}; ${name}=${'0'.repeat(64)}`, 401],
    [`${name}="${value}"`, 401],
    [`${name}= ${value}`, 401],
    [`${name}=${value.toUpperCase()}`, value.toUpperCase() === value ? 200 : 401],
    [`${name}=${value}0`, 401],
    [`${name}=${value.slice(1)}`, 401],
    [`${name.toUpperCase()}=${value}`, 401],
    [`x${cookie}`, 401],
    [name, 401],
    [`${name}=`, 401],
    [`${name}=%20${value.slice(3)}`, 401],
    [`a="; ${name}=${'0'.repeat(64)}"; ${cookie}`, 401],
    [`__Host-${cookie}`, 401],
    [`${'a=b; '.repeat(1_000)}${cookie}`, 200],
  ];
  for (const [sent, expected] of rows) {
    const { status } = await ask('GET', '/me', undefined, { cookie: sent });
    assert.equal(status, expected, sent.slice(0, 200));
  }
});

test('with an Authorization header the cookie is not looked at', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = await ownerOf(daemon);
  const read = { authorization: `Bearer ${await daemon.newKey('read')}` };
  assertRefused(await ask('POST', '/monitors', { name: 'a' }, read), 403, /this key may only read/);
  assertRefused(await ask('GET', '/keys', undefined, read), 403, /jobd open/);
  for (const authorization of ['', 'Bearer', 'Basic eDp5', `Bearer cp_${'0'.repeat(64)}`]) {
    assert.equal((await ask('GET', '/me', undefined, { authorization })).status, 401);
  }
});

test('sign-out ends the next request of the other tab, and removes the cookie', async (t) => {
  const daemon = await startTestDaemon(t);
  const session = await ownerOf(daemon);
  assert.equal(await statusOf(session), 200);
  const { status, body, headers } = await session.ask('DELETE', '/session');
  assert.deepEqual([status, body], [200, { ok: true }]);
  assert.match(
    headers.get('set-cookie') ?? '',
    /^jobd-[0-9a-f]{8}=; Max-Age=0; Path=\/api\/v1; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(await statusOf(session), 401);
  assert.equal((await session.ask('DELETE', '/session')).status, 401);
});

test('a read session may sign out', async (t) => {
  const daemon = await startTestDaemon(t);
  const session = await signIn(daemon.url, { key: await daemon.newKey('read') });
  assert.equal((await session.ask('DELETE', '/session')).status, 200);
  assert.equal(await statusOf(session), 401);
});

test('a key that is revoked on the page or by a command is refused at once, with its sessions', async (t) => {
  const daemon = await startTestDaemon(t);
  const owner = await ownerOf(daemon);
  const make = async () => {
    const input = { name: 'a', permission: 'write' };
    const { key, secret } = (await owner.ask('POST', '/keys', input)).body;
    const session = await signIn(daemon.url, { key: secret });
    assert.equal(await statusOf(session), 200);
    assert.equal((await daemon.ask('GET', '/me', undefined, secret)).status, 200);
    return { id: String(key.id), secret: String(secret), session };
  };
  const [onPage, byCommand, kept] = [await make(), await make(), await make()];
  assert.equal((await owner.ask('DELETE', `/keys/${onPage.id}`)).status, 200);
  {
    await using local = await openTestLocal(daemon.dataDir);
    await revokeKey(local, byCommand.id);
  }
  for (const { secret, session } of [onPage, byCommand]) {
    assert.equal((await daemon.ask('GET', '/me', undefined, secret)).status, 401);
    assert.equal(await statusOf(session), 401);
  }
  assert.equal(await statusOf(kept.session), 200);
  assert.equal(await statusOf(owner), 200);
  assertRefused(await owner.ask('DELETE', `/keys/${onPage.id}`), 404, /no active key/);
});

// Days pass faster here than uses are written: only SQLite's store remembers them meanwhile.
sqliteTest('a session ends when it is unused, and after its life', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const rows = [
    { given: { code: await newCode(daemon.dataDir, { clock }) }, unusedDays: 1, lifeDays: 7 },
    { given: { key: daemon.key }, unusedDays: 7, lifeDays: 30 },
  ];
  for (const { given, unusedDays, lifeDays } of rows) {
    const again = 'key' in given ? given : { code: await newCode(daemon.dataDir, { clock }) };
    const idle = await signIn(daemon.url, given);
    clock.advance(unusedDays * msPerDay - 1);
    assert.equal(await statusOf(idle), 200);
    clock.advance(unusedDays * msPerDay);
    assert.equal(await statusOf(idle), 401);

    if ('code' in again) again.code = await newCode(daemon.dataDir, { clock });
    const busy = await signIn(daemon.url, again);
    for (let halves = 1; halves < 2 * lifeDays; halves += 1) {
      clock.advance(msPerDay / 2);
      assert.equal(await statusOf(busy), 200, `${halves} of ${lifeDays}`);
    }
    clock.advance(msPerDay / 2);
    assert.equal(await statusOf(busy), 401);
  }
});

/** The ids of the sessions that somebody sees, over all pages. */
async function idsFor({ ask }: SignedIn): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await ask('GET', `/sessions?limit=2${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.sessions.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  return ids;
}

async function end({ ask }: SignedIn, { id }: SignedIn): Promise<number> {
  return (await ask('DELETE', `/sessions/${id}`)).status;
}

test('an owner sees the sessions of the workspace, a key those it started', async (t) => {
  const daemon = await startTestDaemon(t);
  const owner = await ownerOf(daemon);
  const shared = await daemon.newKey('write');
  const [one, other] = [
    await signIn(daemon.url, { key: shared }),
    await signIn(daemon.url, { key: shared }),
  ];
  const writer = await signIn(daemon.url, { key: daemon.key });
  const wall = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { read: true }) });
  const elsewhere = await addWorkspace(daemon.dataDir);
  const stranger = await signIn(daemon.url, { key: await elsewhere.newKey('write') });

  assert.deepEqual(await idsFor(owner), [wall.id, writer.id, other.id, one.id, owner.id]);
  assert.deepEqual(await idsFor(one), [other.id, one.id]);
  assert.deepEqual(await idsFor(writer), [writer.id]);
  assert.deepEqual(await idsFor(wall), [wall.id]);
  assert.deepEqual(await idsFor(stranger), [stranger.id]);
  const withKey = await daemon.ask('GET', '/sessions', undefined, shared);
  assert.equal(withKey.body.sessions.length, 2);
  const [listed] = (await one.ask('GET', '/sessions?limit=1')).body.sessions;
  assert.deepEqual([listed.isCurrent, listed.isOwner, listed.permission], [false, false, 'write']);

  for (const asker of [one, stranger]) assert.equal(await end(asker, owner), 404);
  assert.equal(await end(wall, one), 403);
  assert.equal(await end(one, writer), 404);
  assert.equal(await end(one, other), 200);
  assert.equal(await statusOf(other), 401);
  assert.equal(await end(owner, stranger), 404);
  assert.equal(await end(owner, wall), 200);
  assert.equal(await statusOf(wall), 401);
});

test('only an owner moves to another workspace, and only within the account', async (t) => {
  const daemon = await startTestDaemon(t);
  await using local = await openTestLocal(daemon.dataDir);
  const second = await createWorkspace(local, { name: 'second', account: 'default' });
  const foreign = await addWorkspace(daemon.dataDir);
  const owner = await ownerOf(daemon);
  const places = (await owner.ask('GET', '/session')).body.workspaces;
  assert.deepEqual(
    places.map(({ name }: { name: string }) => name),
    ['default', 'second'],
  );
  const move = { workspaceId: second.id.toUpperCase() };
  const user = await signIn(daemon.url, { key: daemon.key });
  assertRefused(await user.ask('PATCH', '/session', move), 403, /jobd open/);
  assertRefused(
    await owner.ask('PATCH', '/session', { workspaceId: foreign.id }),
    404,
    /workspace/,
  );

  const moved = await owner.ask('PATCH', '/session', move);
  assert.deepEqual(moved.body.session.workspace, { id: second.id, name: 'second' });
  assertRefused(await owner.ask('POST', '/monitors', { name: 'a' }), 409, /reload/);
  const there = { 'x-jobd-workspace': second.id };
  assert.equal((await owner.ask('POST', '/monitors', { name: 'a' }, there)).status, 201);
  assert.equal((await daemon.ask('GET', '/monitors')).body.monitors.length, 0);

  await deleteWorkspace(local, 'second');
  assert.equal(await statusOf(owner), 401);
});

test('a key has no session of its own', async (t) => {
  const daemon = await startTestDaemon(t);
  assertRefused(await daemon.ask('GET', '/session'), 403, /a key has no session/);
  assertRefused(await daemon.ask('DELETE', '/session'), 403, /a key has no session/);
});

test('a session counts apart from its key, and junk counts for its address', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const session = await signIn(daemon.url, { key: daemon.key });
  clock.advance(61_000);
  const statuses: number[] = [];
  for (let count = 0; count < 301; count += 1) statuses.push(await statusOf(session));
  assert.deepEqual([statuses[299], statuses[300]], [200, 429]);
  assert.equal((await daemon.ask('GET', '/me')).status, 200);

  // Another page that makes the browser ask does not use up what the session may ask.
  clock.advance(61_000);
  const foreign = { 'sec-fetch-site': 'same-site' };
  for (let count = 0; count < 300; count += 1) {
    assert.equal((await session.ask('GET', '/me', undefined, foreign)).status, 403);
  }
  assert.equal((await session.ask('GET', '/me', undefined, foreign)).status, 429);
  assert.equal(await statusOf(session), 200);

  clock.advance(61_000);
  const [name = ''] = session.cookie.split('=');
  for (const value of ['0'.repeat(64), 'junk']) {
    clock.advance(61_000);
    const cookie = { cookie: `${name}=${value}` };
    for (let count = 0; count < 300; count += 1) {
      assert.equal((await session.ask('GET', '/me', undefined, cookie)).status, 401);
    }
    assert.equal((await session.ask('GET', '/me', undefined, cookie)).status, 429);
    assert.equal(await statusOf(session), 200);
  }
});

test('the session of an expired account reads, and signs out', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const expired = await addAccount(daemon, clock, 'pro', 1);
  const session = await signIn(daemon.url, { key: expired.key });
  clock.advance(msPerDay);
  assert.equal(await statusOf(session), 200);
  assertRefused(await session.ask('POST', '/monitors', { name: 'a' }), 402, /trial/);
  assert.equal((await session.ask('GET', '/sessions')).status, 200);
  assert.equal((await session.ask('DELETE', '/session')).status, 200);
});
