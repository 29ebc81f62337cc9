/** The audit trail (docs/behavior.md#audit-1): every change has an entry, which holds no value. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { auditActions } from '../../../src/domain/accounts/audit.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { insertAuditEntries } from '../../../src/store/accounts/audit.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock, steadyClock } from '../../support/fakes/clock.ts';
import { startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { defaultWorkspaceId } from '../../support/records/keys.ts';
import { addWorkspace } from '../../support/records/workspace.ts';
import { bearer, send } from '../../support/running/send.ts';

const canary = 'canary-5f1e';
const url = `http://127.0.0.1:1/${canary}`;
const job = { name: 'a', url, paused: true };
const channel = { name: 'c', type: 'webhook', config: { url } };

interface Entry {
  number: number;
  actor: { type: string; id: string; name: string };
  address: string | null;
  forwardedFor: string | null;
  action: string;
  subject: { id: string; name: string };
  fields: string[];
}

async function entriesOf({ ask }: TestDaemon, query = ''): Promise<Entry[]> {
  const { status, body } = await ask('GET', `/audit?limit=100${query}`);
  assert.equal(status, 200, body.error);
  return body.entries;
}

/** Entries as `action name fields`, oldest first. */
const words = (entries: Entry[]): string[] =>
  entries
    .map(({ action, subject, fields }) => [action, subject.name, ...fields].join(' '))
    .toReversed();

test('every change of a person is in the trail, with names and without values', async (t) => {
  const daemon = await startTestDaemon(t, { clock: steadyClock(fakeClock()) });
  const { ask } = daemon;
  const { id } = (await ask('POST', '/jobs', { ...job, headers: { 'X-Key': canary } })).body.job;
  await ask('PATCH', `/jobs/${id}`, { notes: canary, body: canary, method: 'POST' });
  await ask('PATCH', `/jobs/${id}`, { name: 'b' });
  await ask('PATCH', `/jobs/${id}`, { action: 'resume' });
  await ask('PATCH', `/jobs/${id}`, { action: 'pause' });
  await ask('PATCH', `/jobs/${id}`, { name: 'b' });
  const jobs = [{ key: 'k', ...job, name: 'm' }];
  await ask('POST', '/definitions', { jobs });
  await ask('POST', '/definitions', { jobs });
  await ask('POST', '/definitions', { prune: true });
  await ask('POST', `/jobs/${id}/run`);
  const { id: monitor } = (await ask('POST', '/monitors', { name: 'mon' })).body.monitor;
  await ask('PATCH', `/monitors/${monitor}`, { graceSeconds: 1, notes: canary });
  await ask('PATCH', `/monitors/${monitor}`, { action: 'pause' });
  await ask('DELETE', `/monitors/${monitor}`);
  const { id: channelId } = (await ask('POST', '/channels', channel)).body.channel;
  await ask('PATCH', `/channels/${channelId}`, { config: { url }, enabled: false, name: 'c' });
  await ask('POST', `/channels/${channelId}/test`);
  await ask('DELETE', `/channels/${channelId}`);
  const entries = await entriesOf(daemon);
  assert.deepEqual(words(entries).slice(1), [
    'job.create a',
    'job.update a method body notes',
    'job.update b name',
    'job.resume b',
    'job.pause b',
    'job.create m',
    'job.delete m',
    'job.run b',
    'monitor.create mon',
    'monitor.update mon graceSeconds notes',
    'monitor.pause mon',
    'monitor.delete mon',
    'channel.create c',
    'channel.update c enabled config',
    'channel.test c',
    'channel.delete c',
  ]);
  assert.ok(!JSON.stringify(entries).includes(canary));
  assert.deepEqual(
    entries.map(({ number }) => number),
    entries.map((_, index) => entries.length - index),
  );
  for (const { actor, address } of entries.slice(0, -1)) {
    assert.equal(actor.type, 'key');
    assert.equal(address, '127.0.0.1');
  }
});

test('what changes nothing leaves no entry, and being adopted is a change', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const { id } = (await ask('POST', '/jobs', { ...job, headers: { 'X-Key': canary } })).body.job;
  const active = (await ask('POST', '/jobs', { ...job, name: 'b', paused: false })).body.job;
  const { monitor } = (await ask('POST', '/monitors', { name: 'mon' })).body;
  const made = (await ask('POST', '/channels', channel)).body.channel;
  const before = await entriesOf(daemon);
  const same: [path: string, update: object][] = [
    [`/jobs/${id}`, { action: 'pause' }],
    [`/jobs/${id}`, { headers: { 'X-Key': canary } }],
    [`/jobs/${active.id}`, { action: 'resume' }],
    [`/jobs/${active.id}`, {}],
    [`/monitors/${monitor.id}`, { action: 'resume' }],
    [`/channels/${made.id}`, { name: 'c', enabled: true }],
  ];
  for (const [path, update] of same) {
    const { status, body } = await ask('PATCH', path, update);
    assert.equal(status, 200, body.error);
  }
  const ids = [id, active.id];
  await ask('POST', '/jobs/actions', { action: 'pause', ids: [id] });
  assert.deepEqual(words(await entriesOf(daemon)), words(before));
  const jobs = [{ key: 'k', ...job, name: 'b', paused: false, adopt: ids[1] }];
  await ask('POST', '/definitions', { jobs });
  assert.deepEqual(words(await entriesOf(daemon)).slice(before.length), ['job.update b key']);
});

test('what is refused leaves no entry', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const before = await entriesOf(daemon);
  assertRefused(await ask('POST', '/jobs', { ...job, url: 'ftp://a' }), 400, /^url /, 'url');
  assertRefused(
    await ask('DELETE', '/jobs/01a1fc58-a505-7000-bebc-059153f75def'),
    404,
    /^there is no job/,
    'id',
  );
  assertRefused(
    await ask('POST', '/jobs', job, await daemon.newKey('read')),
    403,
    /may only read/,
    'permission',
  );
  assert.deepEqual(words(await entriesOf(daemon)).slice(before.length), ['key.create ']);
});

test('commands on the data directory are in the trail of the workspace they act on', async (t) => {
  const daemon = await startTestDaemon(t);
  await using local = await openTestLocal(daemon.dataDir);
  await createWorkspace(local, { name: 'second', account: 'default' });
  const options = { workspace: 'default', permission: 'read', name: 'wall' } as const;
  const { key } = await createKey(local, options);
  await revokeKey(local, key.id);
  await assert.rejects(revokeKey(local, key.id), { code: 'not_found' });
  const entries = await entriesOf(daemon, `&subject=${key.id.toUpperCase()}`);
  assert.deepEqual(words(entries), ['key.create wall', 'key.revoke wall']);
  for (const { actor, address } of entries) {
    assert.equal(actor.type, 'command');
    assert.notEqual(actor.id, '');
    assert.equal(address, null);
  }
  assert.deepEqual(await entriesOf(daemon, '&action=workspace'), []);
});

test('an entry says which address a proxy named, and only a real address', async (t) => {
  const daemon = await startTestDaemon(t);
  const sendVia = async (forwarded: string): Promise<string | null> => {
    const headers = { ...bearer(daemon.key), 'x-forwarded-for': forwarded };
    await send(`${daemon.url}/api/v1/jobs`, 'POST', job, headers);
    return (await entriesOf(daemon))[0]?.forwardedFor ?? null;
  };
  assert.equal(await sendVia('198.51.100.9, 203.0.113.7'), '203.0.113.7');
  assert.equal(await sendVia('203.0.113.7, <script>'), null);
  assert.equal(await sendVia('2001:db8::1'), '2001:db8::1');
});

test('filters and pages fit together, and no workspace sees the entries of another', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const other = await addWorkspace(daemon.dataDir);
  const theirKey = await other.newKey('write');
  for (const name of ['a', 'b', 'c']) await ask('POST', '/jobs', { ...job, name });
  await ask('POST', '/jobs', { ...job, name: 'theirs' }, theirKey);
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await ask('GET', `/audit?limit=1&action=job.create${more}`);
    names.push(...body.entries.map(({ subject }: Entry) => subject.name));
    cursor = body.nextCursor;
  } while (cursor !== null && names.length < 10);
  assert.deepEqual(names, ['c', 'b', 'a']);
  const [entry] = await entriesOf(daemon, '&action=job');
  assert.equal((await entriesOf(daemon, `&actor=${entry?.actor.id}`)).length, 3);
  const { body: theirs } = await ask('GET', '/audit', undefined, theirKey);
  assert.deepEqual(words(theirs.entries).slice(-1), ['job.create theirs']);
  assertRefused(await ask('GET', '/audit?action=job.explode'), 400, /^action /, 'action');
  assertRefused(
    await ask('GET', '/audit?subject=backup'),
    400,
    /^subject must be an id/,
    'subject',
  );
  const mine = (await ask('GET', '/audit?limit=1')).body.nextCursor;
  assertRefused(
    await ask('GET', `/audit?cursor=${mine}`, undefined, theirKey),
    400,
    /^cursor /,
    'cursor',
  );
});

const often = {
  actor: { type: 'key', id: 'x', name: '' },
  address: null,
  forwardedFor: null,
  action: 'job.run',
  subject: { id: 'j', name: 'often' },
  fields: [],
} as const;

test('a search that reads too much stops with a cursor', async (t) => {
  const daemon = await startTestDaemon(t);
  const workspaceId = await defaultWorkspaceId(daemon);
  await using local = await openTestLocal(daemon.dataDir);
  const many = Array.from({ length: 500 }, () => ({ ...often, workspaceId, at: Date.now() }));
  const addMany = () => local.store.write((tx) => insertAuditEntries(tx, workspaceId, many));
  for (let count = 0; count < 5; count += 1) await addMany();
  const first = (await daemon.ask('GET', '/audit?action=key.create')).body;
  assert.deepEqual([first.entries, first.isPartial], [[], true]);
  const rest = (await daemon.ask('GET', `/audit?action=key.create&cursor=${first.nextCursor}`))
    .body;
  assert.deepEqual([rest.entries.length, rest.isPartial, rest.nextCursor], [1, false, null]);
});

test('the log has every change, without values', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const daemon = await startTestDaemon(t, { log });
  await daemon.ask('POST', '/jobs', { ...job, name: 'a\nb "c"' });
  const line = lines.find((one) => one.includes('"action":"job.create"')) ?? assert.fail();
  assert.ok(!line.includes(canary), line);
  assert.equal(line.indexOf('\n'), line.length - 1, 'a name adds no line');
  const { msg, subjectName, actorName, forwardedFor } = JSON.parse(line);
  assert.deepEqual([msg, subjectName, actorName, forwardedFor], ['changed', 'a\nb "c"', '', null]);
});

test('every action names a subject and a verb', () => {
  for (const action of auditActions) assert.match(action, /^[a-z]+\.[a-z]+$/);
});
