/** How long entries of the audit trail are kept, and which are one (docs/behavior.md#audit-2). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { auditRetention, type AuditEntry } from '../../../src/domain/accounts/audit.ts';
import { createChangeLog } from '../../../src/serve/log-changes.ts';
import { insertAuditEntries, listAuditEntries } from '../../../src/store/accounts/audit.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestStore } from '../../support/running/store.ts';

const job = { name: 'a', url: 'http://127.0.0.1:1/', paused: true };
const often = {
  actor: { type: 'key', id: 'x', name: '' },
  address: null,
  forwardedFor: null,
  action: 'job.run',
  subject: { id: 'j', name: 'often' },
  fields: [],
} as const;

const day = 86_400_000;
const now = Date.parse('2026-03-02T10:00:00Z');

const by = (id: string) => ({ actor: { type: 'key', id, name: '' } as const });

async function openTrail(t: TestContext) {
  const { store, workspaceId } = await openTestStore(t);
  /** Adds entries, and returns who lost a young one. */
  const add = async (count: number, at = now, change: Partial<AuditEntry> = {}) => {
    const entries = Array.from({ length: count }, () => ({ ...often, workspaceId, at, ...change }));
    const added = await store.write((tx) => insertAuditEntries(tx, workspaceId, entries));
    return added?.shortened ?? [];
  };
  /** As if the actor had made this many more after an entry. */
  const skip = async (count: number, after = 1) => {
    const more = (of: 'actor_number' | 'actor_day_number') =>
      store.db
        .updateTable('audit_entries')
        .set(({ eb }) => ({ [of]: eb(of, '+', count) }))
        .where('actor_id', '=', 'x')
        .where('number', '>', after)
        .execute();
    await more('actor_number');
    await more('actor_day_number');
  };
  const numbers = async (): Promise<number[]> => {
    const rows = await store.db.selectFrom('audit_entries').select('number').execute();
    return rows.map(({ number }) => number).toSorted((one, other) => one - other);
  };
  return { store, workspaceId, add, skip, numbers };
}

test('too many entries of an actor push out its oldest, but not a young one before a million', async (t) => {
  const { add, skip, numbers } = await openTrail(t);
  await add(1, now - 29 * day);
  await add(1, now - 35 * day, by('other'));
  await add(1, now - 29 * day);
  await skip(auditRetention.entries);
  await add(3);
  assert.deepEqual(await numbers(), [1, 2, 3, 4, 5, 6], 'young, or of another');
  await add(1, now + 2 * day);
  assert.deepEqual(await numbers(), [2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await add(1, now + 2 * day), []);
});

test('beyond a million a young one goes, and is told, but not the first of a day and none of another', async (t) => {
  const { add, skip, numbers } = await openTrail(t);
  await add(1);
  await add(1, now, by('other'));
  await add(1);
  await skip(auditRetention.firstOfDay - 2);
  await add(2);
  await skip(auditRetention.mostEntries - 3, 4);
  assert.deepEqual(await numbers(), [1, 2, 3, 4, 5]);
  assert.deepEqual(await add(1_000), ['x'], 'the thousand from the first on have become too many');
  assert.deepEqual((await numbers()).slice(0, 4), [1, 2, 3, 5]);
  assert.deepEqual(await add(1, now, by('other')), []);
  assert.equal((await numbers()).length, 4 + 1_001);
});

test('sessions of a key and the key push out each other', async (t) => {
  const { store, add } = await openTrail(t);
  await add(1, now, by('key'));
  await add(2, now, { actor: { type: 'session', id: 's', name: '' }, keyId: 'key' });
  await add(1, now + day, { actor: { type: 'session', id: 't', name: '' }, keyId: 'key' });
  await add(1, now + day, { actor: { type: 'session', id: 'u', name: '' } });
  const rows = await store.db.selectFrom('audit_entries').selectAll().orderBy('number').execute();
  assert.deepEqual(
    rows.map((row) => [row.actor_group, row.actor_number, row.actor_day_number]),
    [
      ['key', 1, 1],
      ['key', 2, 2],
      ['key', 3, 3],
      ['key', 4, 1],
      ['u', 1, 1],
    ],
  );
});

test('the same update within a minute is one entry with a count; any other difference makes another', async (t) => {
  const { store, workspaceId, add } = await openTrail(t);
  const update = { action: 'job.update', fields: ['url', 'notes'] } as const;
  const counts = async (): Promise<number[]> => {
    const page = { subjectId: null, before: null, limit: 100 };
    return (await listAuditEntries(store.db, workspaceId, page)).map(({ count }) => count);
  };
  for (let count = 0; count < 3; count += 1) await add(2, now + count, update);
  assert.deepEqual(await counts(), [6]);
  await add(1, now + 59_999, update);
  assert.deepEqual(await counts(), [7]);
  await add(1, now + 60_000, update);
  assert.deepEqual(await counts(), [1, 7], 'a minute later');
  const others: Partial<AuditEntry>[] = [
    { fields: ['url'] },
    { address: '203.0.113.9' },
    { forwardedFor: '203.0.113.9' },
    by('other'),
    { subject: { id: 'k', name: 'often' } },
    { subject: { id: 'j', name: 'renamed' } },
    { action: 'monitor.update' },
  ];
  for (const other of others) {
    await add(1, now + 60_001, { ...update, ...other });
    await add(1, now + 60_002, update);
  }
  // Between the two about k there was nothing else about j.
  assert.deepEqual(
    (await counts()).slice(0, -2).toSorted((one, other) => one - other),
    [...Array.from({ length: 2 * others.length - 2 }, () => 1), 2],
  );
  await add(5, now + 60_003, { action: 'job.run' });
  assert.deepEqual((await counts()).slice(0, 5), [1, 1, 1, 1, 1]);
});

test('what somebody changes again and again is counted where people read it, and logged each time', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const daemon = await startTestDaemon(t, { log, clock: fakeClock() });
  const { body } = await daemon.ask('POST', '/jobs', job);
  for (const notes of ['a', 'b', 'c']) {
    await daemon.ask('PATCH', `/jobs/${body.job.id}`, { notes });
  }
  const [entry, created] = (await daemon.ask('GET', '/audit')).body.entries;
  assert.deepEqual([entry.action, entry.fields, entry.count], ['job.update', ['notes'], 3]);
  assert.deepEqual([created.action, created.count], ['job.create', 1]);
  assert.equal(lines.filter((line) => line.includes('"job.update"')).length, 3);
});

test('the log warns of a flood once a minute', () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const onChanged = createChangeLog(log);
  for (let count = 0; count < 100; count += 1) {
    onChanged([{ ...often, workspaceId: 'w', at: now }], ['x']);
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"workspaceId":"w","actorId":"x"/);
});
