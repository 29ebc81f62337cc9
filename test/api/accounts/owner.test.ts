/** What only a session of the owner may do: manage keys, and see facts about the daemon. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { newCode, signIn } from '../../support/running/browser.ts';
import { databaseOf } from '../../support/running/local.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { addWorkspace } from '../../support/records/workspace.ts';

test('an owner creates, lists and revokes keys of its workspace', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const elsewhere = await addWorkspace(daemon.dataDir);
  await elsewhere.newKey('write');

  const input = { name: 'laptop', permission: 'read', expiresAt: '2027-01-01T00:00:00+01:00' };
  const { status, body } = await owner.ask('POST', '/keys', input);
  assert.equal(status, 201);
  assert.match(body.secret, /^cp_[0-9a-f]{64}$/);
  assert.deepEqual(body.key, {
    id: body.key.id,
    name: 'laptop',
    permission: 'read',
    createdAt: new Date(clock.now()).toISOString(),
    lastUsedAt: null,
    expiresAt: '2026-12-31T23:00:00.000Z',
    revokedAt: null,
  });
  assert.equal((await daemon.ask('GET', '/me', undefined, body.secret)).status, 200);

  const first = (await owner.ask('GET', '/keys?limit=1')).body;
  assert.deepEqual(first.keys[0].id, body.key.id);
  const rest = (await owner.ask('GET', `/keys?cursor=${first.nextCursor}`)).body;
  assert.deepEqual([rest.keys.length, rest.nextCursor], [1, null]);
  assert.ok(!JSON.stringify([first, rest]).includes(body.secret));

  assert.equal((await owner.ask('DELETE', `/keys/${body.key.id.toUpperCase()}`)).status, 200);
  assert.equal((await daemon.ask('GET', '/me', undefined, body.secret)).status, 401);
  const [revoked] = (await owner.ask('GET', '/keys?limit=1')).body.keys;
  assert.equal(revoked.revokedAt, new Date(clock.now()).toISOString());
});

test('a key that breaks a rule is not created', async (t) => {
  const daemon = await startTestDaemon(t);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir) });
  const rows: [object, RegExp][] = [
    [{}, /^name is required$/],
    [{ name: 'a' }, /^permission is required$/],
    [{ name: '', permission: 'read' }, /^name must not be empty$/],
    [{ name: 'é'.repeat(121), permission: 'read' }, /^name /],
    [{ name: 'a', permission: 'admin' }, /^permission must be one of read, write/],
    [{ name: 'a', permission: 'read', expiresAt: 'soon' }, /^expiresAt must be an ISO 8601 time/],
    [{ name: 'a', permission: 'read', expiresAt: '2020-01-01T00:00:00Z' }, /in the future/],
    [{ name: 'a', permission: 'read', isOwner: true }, /isOwner is not a known field/],
  ];
  for (const [input, message] of rows) {
    assertRefused(await owner.ask('POST', '/keys', input), 400, message);
  }
  for (let count = 1; count < 20; count += 1) {
    const made = await owner.ask('POST', '/keys', { name: `k${count}`, permission: 'read' });
    assert.equal(made.status, 201);
  }
  const full = await owner.ask('POST', '/keys', { name: 'k20', permission: 'read' });
  assertRefused(full, 403, /20 active keys/);
});

test('a key of another workspace is unknown, and no key manages keys', async (t) => {
  const daemon = await startTestDaemon(t);
  const elsewhere = await addWorkspace(daemon.dataDir);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir) });
  const workspace = elsewhere.account;
  const stranger = await signIn(daemon.url, {
    code: await newCode(daemon.dataDir, { workspace }),
  });
  const [{ id }] = (await owner.ask('GET', '/keys')).body.keys;
  assertRefused(await stranger.ask('DELETE', `/keys/${id}`), 404, /no active key/);
  assert.equal((await stranger.ask('GET', '/keys')).body.keys.length, 0);
  const refusals = [
    await daemon.ask('GET', '/keys'),
    await daemon.ask('POST', '/keys', { name: 'a', permission: 'read' }),
    await daemon.ask('DELETE', `/keys/${id}`),
    await daemon.ask('GET', '/about'),
  ];
  for (const answer of refusals)
    assertRefused(
      answer,
      403,
      /^only the owner may .*: sign in with the link that jobd open prints$/,
    );
  assert.equal((await daemon.ask('GET', '/me')).status, 200);
});

test('the facts about the daemon are true', async (t) => {
  const clock = fakeClock();
  const flags = { baseUrl: 'https://jobs.example.com/', signing: false };
  const daemon = await startTestDaemon(t, { clock, flags });
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const { body } = await owner.ask('GET', '/about');
  assert.match(body.version, /^\d+\.\d+\.\d+/);
  const { startedAt, siteUrl, isSigning, findings, mailIsConfigured } = body;
  assert.equal(startedAt, new Date(clock.now()).toISOString());
  assert.deepEqual(
    [siteUrl, isSigning, mailIsConfigured],
    ['https://jobs.example.com', false, false],
  );
  assert.deepEqual(findings, []);
  assert.ok(body.databaseBytes > 100_000, JSON.stringify(body));
  const isFile = databaseOf(daemon.dataDir) === undefined;
  assert.deepEqual(body.space, {
    limitBytes: null,
    shortOf: [],
    isExhausted: false,
    removedResults: 0,
    removedPings: 0,
    lastRemovedAt: null,
  });
  assert.equal(body.ledger, null);
  assert.ok(isFile ? body.freeBytes > 0 : body.freeBytes === null, JSON.stringify(body));
});
