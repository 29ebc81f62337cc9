/** A node and its lease: when it may begin something, when it keeps house, and what it does when it was declared gone. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { ForgottenRuns } from '../../../src/engine/nodes/confirmed-runs.ts';
import { joinNodes } from '../../../src/engine/nodes/join.ts';
import type { NodeMembership } from '../../../src/engine/nodes/join.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { databaseClockOf } from '../../../src/store/nodes/database-clock.ts';
import { findLosses, listNodes } from '../../../src/store/nodes/nodes.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import type { KnownNode } from '../../../src/store/nodes/nodes.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import type { FakeClock } from '../../support/fakes/clock.ts';
import { connectTo, makeDatabase, onServer } from '../../support/postgres/database.ts';
import { noPostgres, postgresOfFile } from '../../support/postgres/server.ts';
import { startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';

const skip = noPostgres() ?? false;
const server = postgresOfFile();

/** For how long a node begins calls after it last asked for its lease. */
const trustedMs = 13_000;

/** A line of its log. */
type Logged = { msg: string } & Record<string, unknown>;

interface TestNode {
  store: Store;
  membership: NodeMembership;
  /** The clocks of its machine: the wall clock is right at first. */
  machine: FakeClock;
  /** While set, it cannot write. */
  cut: { isCut: boolean };
  /** What it logged, and the messages of it. */
  readonly logged: readonly Logged[];
  /** What it counted as lost. */
  readonly losses: readonly ForgottenRuns[];
  readonly messages: () => string[];
  /** Lets it renew its lease, as if so much time had passed. */
  readonly renew: (passedMs?: number) => Promise<void>;
}

async function startNode(t: TestContext, database: string, calls = 0): Promise<TestNode> {
  const opened = await openStore(database);
  t.after(() => opened[Symbol.asyncDispose]());
  const cut = { isCut: false };
  const store: Store = {
    ...opened,
    write: (work) => (cut.isCut ? Promise.reject(new Error('cut off')) : opened.write(work)),
  };
  const machine = fakeClock(Date.now());
  const logged: Logged[] = [];
  const losses: ForgottenRuns[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Logged);
  const membership = await joinNodes({
    store,
    machine,
    clock: await databaseClockOf(store.db, machine),
    log: pino({ level: 'debug' }, { write }),
    meter: { databaseLost: (loss) => void losses.push({ ...loss }) },
    node: { host: 'a', pid: 1, version: '0', slots: 1, settings: {}, masterKeys: [] },
    vitals: () => ({ calls, lateness: new Map() }),
  });
  t.after(() => membership[Symbol.asyncDispose]());
  const renewals = async (): Promise<number> =>
    (await nodesIn(opened)).find(({ id }) => id === membership.nodeId)?.renewals ?? 0;
  return {
    store: opened,
    membership,
    machine,
    cut,
    logged,
    losses,
    messages: () => logged.map(({ msg }) => msg),
    async renew(passedMs = 3_000) {
      const before = await renewals();
      machine.advanceBoth(passedMs);
      await until('a renewal', async () => (await renewals()) > before);
      // It knows of it once it has the answer.
      await until('its answer', () => {
        const { trouble } = membership;
        return trouble !== null || membership.mayBeginForMs() === trustedMs;
      });
    },
  };
}

async function nodesIn(store: Store): Promise<KnownNode[]> {
  return await listNodes(store.db, 0);
}

const newDatabase = async () => await makeDatabase((await server.started()).url);

describe('a node', { skip, concurrency: 4 }, () => {
  test('begins nothing 13 s after it last asked for its lease', async (t) => {
    const { membership, machine, cut, renew } = await startNode(t, await newDatabase());
    await renew();
    cut.isCut = true;
    machine.advanceBoth(12_000);
    assert.ok(membership.mayBegin() && membership.keepsHouse());
    assert.equal(membership.mayBeginForMs(), 1_000);
    machine.advanceBoth(999);
    assert.equal(membership.mayBeginForMs(), 1);
    machine.advanceBoth(1);
    assert.ok(!membership.mayBegin() && !membership.keepsHouse());
    assert.equal(membership.standing().leaseLeftMs, 0);
    cut.isCut = false;
    await until('a renewal', () => membership.mayBegin());
    assert.ok(membership.keepsHouse(), 'nobody has declared it gone');
    assert.ok(membership.standing().leaseLeftMs > 0);
  });

  test('begins nothing after its machine slept, until its lease is renewed', async (t) => {
    const { membership, machine, cut, renew } = await startNode(t, await newDatabase());
    await renew();
    cut.isCut = true;
    machine.advance(3_600_000);
    assert.ok(!membership.mayBegin());
    cut.isCut = false;
    machine.pass(3_000);
    await until('a renewal', () => membership.mayBegin());
  });

  test('goes by the clock of the database, and says once that its own is wrong', async (t) => {
    const { membership, machine, messages, renew } = await startNode(t, await newDatabase());
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

  test('keeps house if it is the oldest', async (t) => {
    const database = await newDatabase();
    const oldest = await startNode(t, database);
    const next = await startNode(t, database);
    assert.ok(oldest.membership.keepsHouse());
    assert.ok(!next.membership.keepsHouse());
    assert.ok(next.membership.hasOthers());
    assert.equal(next.membership.servingSince, oldest.membership.servingSince);
    await oldest.membership[Symbol.asyncDispose]();
    assert.ok(!oldest.membership.mayBegin());
    await next.renew();
    await until('its turn', () => next.membership.keepsHouse());
    assert.ok(!next.membership.hasOthers());
    const linesOf = ({ messages }: typeof next): number =>
      messages().filter((message) => message === 'this node is the keeper').length;
    assert.equal(linesOf(oldest), 1);
    await until('a line about it', () => linesOf(next) === 1);
  });

  test('hands over as soon as it drains, and goes on to hold its lease', async (t) => {
    const database = await newDatabase();
    const draining = await startNode(t, database);
    const { membership } = draining;
    const next = await startNode(t, database);
    await draining.renew();
    membership.drain();
    assert.ok(!membership.keepsHouse() && membership.mayBegin(), 'before it is known');
    const drainingIn = async () =>
      (await nodesIn(draining.store)).map(({ isDraining }) => isDraining);
    await until('a word', async () => (await drainingIn())[0]);
    await next.renew();
    await until('its turn', () => next.membership.keepsHouse());
    await draining.renew();
    assert.ok(!membership.keepsHouse() && membership.mayBegin());
    assert.deepEqual(await drainingIn(), [true, false]);
    assert.deepEqual(next.membership.standing().roles, ['draining', 'keeper']);

    next.membership.drain();
    await until('a word', async () => (await drainingIn())[1]);
    await draining.renew();
    await until('its turn', () => membership.keepsHouse());
    assert.ok(!next.membership.keepsHouse(), 'nobody stays: the oldest goes on until it ends');
  });

  test('declares others gone once it has held its lease for 15 s without a break', async (t) => {
    const database = await newDatabase();
    const gone = await startNode(t, database);
    const { membership, logged, renew, cut, machine } = await startNode(t, database);
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

    let heard = 0;
    gone.membership.onGone(() => (heard += 1));
    gone.cut.isCut = false;
    gone.machine.advanceBoth(3_000);
    await until('another id', () => ![id, ''].includes(gone.membership.nodeId));
    assert.equal(heard, 1);
    assert.match(gone.messages().join('\n'), /was declared gone: its calls are given up/);
    assert.ok(gone.membership.mayBegin());
  });

  test('says that it was gone once it has a new id, however long that takes', async (t) => {
    const database = await newDatabase();
    const { membership, machine, cut, messages } = await startNode(t, database, 3);
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
    const { membership, messages, renew } = await startNode(t, database);
    assert.equal(membership.trouble, null);
    await onServer(
      database,
      `insert into schema_migrations select version + 1, sha256, applied_at from schema_migrations`,
    );
    await renew();
    await until('a sentence', () => membership.trouble !== null);
    assert.match(membership.trouble ?? '', /the database has schema 2, this jobd knows up to 1/);
    assert.ok(!membership.mayBegin() && !membership.keepsHouse());
    await renew();
    const said = messages().filter((message) => /begins nothing any more/.test(message));
    assert.equal(said.length, 1);
  });

  test('begins nothing more when the store was moved while it slept', async (t) => {
    const database = await newDatabase();
    const { membership, cut, machine } = await startNode(t, database);
    cut.isCut = true;
    machine.advanceBoth(20_000);
    await onServer(database, 'create table moved_store (moved_to text, moved_at text)');
    await onServer(database, "insert into moved_store values ('a file', 'noon')");
    cut.isCut = false;
    await until('a sentence', () => membership.trouble !== null);
    assert.match(membership.trouble ?? '', /^it was moved to a file at noon, so serve that one/);
    assert.ok(!membership.mayBegin() && !membership.keepsHouse());
  });

  test('renews its lease while it looks for what was lost, however long that takes', async (t) => {
    const database = await newDatabase();
    const { store, membership, renew } = await startNode(t, database);
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
    const { store, losses, logged, renew } = await startNode(t, database);
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
    const { store, membership, losses, messages, machine } = await startNode(t, database);
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
    const { store, membership, machine } = await startNode(t, database);
    const { addJob } = await openTestStore(t, database);
    const { id: jobId } = await addJob({});
    membership.confirmed?.began([{ runId: 'lost', jobId, scheduledFor: 1 }]);
    machine.pass(300_001);
    const { confirmed } = membership;
    assert.deepEqual(await confirmed?.countForgotten(store.db), { calls: 0, outcomes: 0 });
  });
});
