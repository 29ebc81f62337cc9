/** A node and its lease: when it may begin something, and what it does when it was declared gone. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examineNodes } from '../../../src/app/operator/nodes.ts';
import { findLosses } from '../../../src/store/nodes/nodes.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { connectTo, onServer } from '../../support/postgres/database.ts';
import { startMember } from '../../support/postgres/members.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const { skip, newDatabase } = postgresOfFile();

function begunAgain(messages: readonly string[]): string[] {
  return messages.filter((message) => message === 'this node begins calls again');
}

describe('a node', { skip, concurrency: 4 }, () => {
  test('begins nothing 13 s after it last asked for its lease', async (t) => {
    const { membership, machine, cut, messages, renew } = await startMember(t, await newDatabase());
    await renew();
    cut.isCut = true;
    machine.advanceBoth(12_000);
    assert.ok(membership.mayBegin() && membership.leads());
    assert.equal(membership.mayBeginForMs(), 1_000);
    machine.advanceBoth(999);
    assert.equal(membership.mayBeginForMs(), 1);
    machine.advanceBoth(1);
    assert.ok(!membership.mayBegin() && !membership.leads());
    assert.equal(membership.status().leaseLeftMs, 0);
    assert.deepEqual(begunAgain(messages()), []);
    cut.isCut = false;
    await until('a renewal', () => membership.mayBegin());
    await until('a word', () => begunAgain(messages()).length === 1);
    assert.ok(membership.leads(), 'nobody has declared it gone');
    assert.ok(membership.status().leaseLeftMs > 0);
  });

  test('begins nothing after its machine slept, until its lease is renewed', async (t) => {
    const { membership, machine, cut, renew } = await startMember(t, await newDatabase());
    await renew();
    cut.isCut = true;
    machine.advance(3_600_000);
    assert.ok(!membership.mayBegin());
    cut.isCut = false;
    machine.pass(3_000);
    await until('a renewal', () => membership.mayBegin());
  });

  test('goes by the clock of the database, and says once that its own is wrong', async (t) => {
    const { membership, machine, messages, renew } = await startMember(t, await newDatabase());
    const before = membership.servingSince;
    machine.set(Date.now() - 60_000);
    await renew();
    const differs = /^the clock of this machine differs from that of the database/;
    await until('a word', () => messages().some((message) => differs.test(message)));
    await renew();
    await until('a word', async () => {
      machine.set(Date.now() - 3_000);
      await renew(3_000);
      return messages().some((message) => /agrees with that/.test(message));
    });
    assert.equal(messages().filter((message) => differs.test(message)).length, 1);
    assert.equal(membership.servingSince, before);
  });

  test('declares others gone once it has held its lease for 15 s without a break', async (t) => {
    const database = await newDatabase();
    const { membership, logged, renew, cut, machine } = await startMember(t, database);
    const gone = await startMember(t, database);
    gone.cut.isCut = true;
    const lapsed = `update nodes set expires_at = 0 where id = '${gone.membership.nodeId}'`;
    await onServer(database, lapsed);
    const declared = () =>
      logged.find(({ msg }) => msg === 'nodes that do not renew their leases are gone');
    for (let held = 0; held < 2; held += 1) await renew();
    // A break: it has to hold it for as long again.
    cut.isCut = true;
    machine.advanceBoth(13_500);
    assert.ok(!membership.mayBegin());
    cut.isCut = false;
    await until('a renewal', () => membership.mayBegin());
    for (let held = 0; held < 2; held += 1) await renew();
    assert.equal(declared(), undefined);
    for (let held = 0; held < 3; held += 1) await renew();
    const { nodes, nodeIds } = await until('a declaration', declared);
    const id = gone.membership.nodeId;
    assert.deepEqual([nodes, nodeIds], [['process 1 on a'], [id]]);
    const found = async (laterMs = 0) => {
      const { findings } = await examineNodes(gone.store.db, Date.now() + laterMs);
      return findings.filter(({ code }) => code === 'node-gone').flatMap(({ notes }) => notes);
    };
    assert.deepEqual(await found(), ['process 1 on a']);
    assert.deepEqual(await found(86_400_000), [], 'for a day');

    let heard = 0;
    gone.membership.onGone(() => (heard += 1));
    gone.cut.isCut = false;
    gone.machine.advanceBoth(3_000);
    await until('another id', () => ![id, ''].includes(gone.membership.nodeId));
    assert.equal(heard, 1);
    assert.match(gone.messages().join('\n'), /was declared gone: its calls are given up/);
    assert.ok(gone.membership.mayBegin());
    assert.deepEqual(await found(), [], 'it serves again');
  });

  test('says that it was gone once it has a new id, however long that takes', async (t) => {
    const database = await newDatabase();
    const { membership, machine, cut, messages } = await startMember(t, database, 3);
    const { nodeId } = membership;
    membership.onGone(() => (cut.isCut = true));
    await onServer(database, "update nodes set ended_at = 1, end_reason = 'silent'");
    machine.advanceBoth(3_000);
    await until('a join that failed', () => messages().some((text) => text.includes('failed')));
    assert.ok(!membership.mayBegin());
    cut.isCut = false;
    await until('another id', () => ![nodeId, ''].includes(membership.nodeId));
    assert.match(messages().join('\n'), /was declared gone: its calls are given up/);
  });

  test('begins nothing more when a newer jobd has changed the tables', async (t) => {
    const database = await newDatabase();
    const { membership, machine, messages, renew } = await startMember(t, database);
    assert.equal(membership.trouble, null);
    await onServer(
      database,
      `insert into schema_migrations select version + 1, sha256, applied_at from schema_migrations`,
    );
    await renew();
    await until('a sentence', () => membership.trouble !== null);
    const schemas =
      /^the database has schema 2, this jobd knows up to 1: .* update this executable/;
    assert.match(membership.trouble ?? '', schemas);
    assert.ok(!membership.mayBegin() && !membership.leads());
    await renew();
    const said = messages().filter((message) => /begins nothing any more/.test(message));
    assert.equal(said.length, 1);
    assert.deepEqual(membership.status().roles, ['draining'], 'another one may lead');
    const nodes = await onServer(database, 'select is_draining as "isDraining" from nodes');
    assert.deepEqual(nodes, [{ isDraining: 1 }], 'and the others know it');
    assert.deepEqual(begunAgain(messages()), []);
    await onServer(database, 'delete from schema_migrations where version = 2');
    machine.advanceBoth(3_000);
    await until('a word', () => begunAgain(messages()).length > 0);
    assert.ok(membership.mayBegin());
    for (let renewed = 0; renewed < 2; renewed += 1) await renew();
    assert.equal(begunAgain(messages()).length, 1, 'it is said once');
  });

  test('begins nothing more when the store was moved while it slept', async (t) => {
    const database = await newDatabase();
    const { membership, cut, machine } = await startMember(t, database);
    cut.isCut = true;
    machine.advanceBoth(20_000);
    await onServer(database, 'create table moved_store (moved_to text, moved_at text)');
    await onServer(database, "insert into moved_store values ('a file', 'noon')");
    cut.isCut = false;
    await until('a sentence', () => membership.trouble !== null);
    assert.match(membership.trouble ?? '', /^it was moved to a file at noon, so serve that one/);
    assert.ok(!membership.mayBegin() && !membership.leads());
  });

  test('renews its lease while it looks for what was lost, however long that takes', async (t) => {
    const database = await newDatabase();
    const { store, membership, renew } = await startMember(t, database);
    const { addJob } = await openTestStore(t, database);
    const { id: jobId } = await addJob({});
    membership.confirmed?.began([{ runId: 'lost', jobId, scheduledFor: 1 }]);
    const other = await connectTo(database);
    t.after(() => other.end());
    await other.query('begin; lock table runs');
    await onServer(database, 'update nodes set renewals = -10');
    for (let renewed = 0; renewed < 6; renewed += 1) await renew();
    assert.ok(membership.mayBegin());
    assert.deepEqual(await findLosses(store.db, 0), []);
    await other.query('commit');
    const found = await until('a record', async () => (await findLosses(store.db, 0))[0]);
    assert.equal(found.calls, 1);
  });

  test('notices that the database has lost renewals that it had confirmed', async (t) => {
    const database = await newDatabase();
    const { store, losses, logged, renew } = await startMember(t, database);
    for (let renewed = 0; renewed < 3; renewed += 1) await renew();
    await onServer(database, 'update nodes set renewals = 0');
    await renew();
    const said = () => logged.find(({ msg }) => msg.startsWith('the database has lost'));
    const { calls, outcomes } = await until('a word', said);
    assert.deepEqual([calls, outcomes], [0, 0]);
    await until('a record', async () => (await findLosses(store.db, 0)).length === 1);
    await renew();
    assert.deepEqual(losses, [{ calls: 0, outcomes: 0 }], 'it is said once');
  });

  test('a node that the database does not know counts which of its runs are not known either', async (t) => {
    const database = await newDatabase();
    const { store, membership, losses, messages, machine } = await startMember(t, database);
    const { addJob } = await openTestStore(t, database);
    const { id: jobId } = await addJob({});
    const runs = [5, 6, 7, 8, 2].map((dueAt) => startingRun(jobId, dueAt));
    const [known, late, lost, gone, old] = runs.map(({ id, scheduledFor }) => ({
      runId: id,
      jobId,
      scheduledFor,
    }));
    assert.ok(known && late && lost && gone && old);
    // Retention removed what was due until then.
    await onServer(database, 'update jobs set history_from = 2');
    await store.write((tx) => insertScheduledRuns(tx, runs.slice(0, 2)));
    const { confirmed } = membership;
    confirmed?.began([known, late, lost, old, { ...gone, jobId: 'a job that was deleted' }]);
    confirmed?.ended([{ claimed: late, ended: { status: 'success' } }]);
    const { nodeId } = membership;
    await onServer(database, 'delete from nodes');
    machine.advanceBoth(3_000);
    await until('another id', () => ![nodeId, ''].includes(membership.nodeId));
    const found = await until('a record', async () => (await findLosses(store.db, 0))[0]);
    assert.deepEqual([found.calls, found.outcomes], [1, 1]);
    assert.deepEqual(losses, [{ calls: 1, outcomes: 1 }]);
    assert.match(messages().join('\n'), /the database does not know this node any more/);
    assert.ok(confirmed?.knowsEnd(late.runId) && !confirmed.knowsEnd(known.runId));
  });

  test('what was confirmed more than five minutes ago is not compared', async (t) => {
    const database = await newDatabase();
    const { store, membership, machine } = await startMember(t, database);
    const { addJob } = await openTestStore(t, database);
    const { id: jobId } = await addJob({});
    membership.confirmed?.began([{ runId: 'lost', jobId, scheduledFor: 1 }]);
    machine.pass(300_001);
    const { confirmed } = membership;
    assert.deepEqual(await confirmed?.countForgotten(store.db), { calls: 0, outcomes: 0 });
  });
});
