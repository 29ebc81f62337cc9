/** Three nodes, of which one is lost: what it executed is interrupted once, nothing is called twice, and the jobs go on. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { leaseMs } from '../../../src/domain/nodes.ts';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { Process } from '../../support/running/executable.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip, type ServerService } from '../postgres/service.ts';

const jobCount = 120;

interface NodeRow {
  id: string;
  pid: number;
  end_reason: string | null;
}

/** Slow calls outlive the declaration that their node is gone: they are held until they are released. */
const holds = { holds: true };

/** A service with a node that is to be lost in the middle of a storm, and two more that come to help. */
async function stormOnThree(t: TestContext, url: string) {
  const service = await prepareOnServer(t, url, jobCount, holds);
  const lost = await service.start();
  await service.storm(0, 8_000);
  await untilSlow(service, [lost], 2);
  const others = [await service.start(), await service.start()];
  return { service, lost, others };
}

/** A service with a leader that makes one slow call, and two more nodes in a storm; `lost` is one that makes several. */
async function leaderAndTwo(t: TestContext, url: string) {
  const service = await prepareOnServer(t, url, jobCount, holds);
  const leader = await service.start(service.database, ['--slots', '1']);
  await service.storm(0, 8_000);
  // The first job is slow.
  await untilSlow(service, [leader], 1);
  const [one, other] = [await service.start(), await service.start()];
  const lost = await untilSlow(service, [one, other], 2);
  return { service, leader, lost, last: lost === one ? other : one };
}

/** Resolves with the first node that makes so many slow calls. */
async function untilSlow(service: ServerService, nodes: readonly Process[], count: number) {
  return await until('slow calls', async () => {
    const slow = await Promise.all(nodes.map(async (node) => await slowCallsOf(service, node)));
    return nodes[slow.findIndex(({ length }) => length >= count)];
  });
}

async function nodesOf({ database }: ServerService): Promise<NodeRow[]> {
  return await onServer<NodeRow>(
    database,
    'select id, pid::int, end_reason from nodes order by id',
  );
}

async function slowCallsOf({ database }: ServerService, { pid }: Process): Promise<string[]> {
  const rows = await onServer<{ id: string }>(
    database,
    `select active_run_id as id from jobs join nodes on nodes.id = active_node_id
     where nodes.pid = ${pid} and url like '%0'`,
  );
  return rows.map(({ id }) => id);
}

/** Waits until the lost node was declared gone and its runs are closed. */
async function untilClosed(service: ServerService, runIds: readonly string[]): Promise<void> {
  assert.ok(runIds.length > 0);
  const list = runIds.map((id) => `'${id}'`).join();
  const open = `select id from jobs where active_run_id in (${list})`;
  await until(
    'an end of the runs of the lost node',
    async () => (await onServer(service.database, open)).length === 0,
  );
}

/** Waits until a node was seen after all others began: one that begins later on its host may be in its place. */
async function untilNewest({ database }: ServerService, { pid }: Process): Promise<void> {
  const seen = `select 1 from nodes where pid = ${pid}
    and expires_at - ${leaseMs} > (select max(started_at) from nodes)`;
  await until('a renewal', async () => (await onServer(database, seen)).length > 0);
}

/** Milliseconds until the lease of a node runs out. */
async function leaseLeftMs({ database }: ServerService, { pid }: Process): Promise<number> {
  const left = `select expires_at - extract(epoch from clock_timestamp()) * 1000 as ms from nodes where pid = ${pid}`;
  const [node] = await onServer<{ ms: string }>(database, left);
  return Number(node?.ms);
}

async function assertOnce(service: ServerService, interrupted: readonly string[]): Promise<void> {
  const { runs } = await service.untilSettled();
  assert.deepEqual(await service.audit(), []);
  const { arrivals } = service.witness;
  assert.equal(arrivals.length, new Set(arrivals.map(({ path }) => path)).size, 'called once');
  assert.equal(runs.length, jobCount);
  for (const run of runs.filter(({ id }) => interrupted.includes(id))) {
    assert.equal(run.status, 'interrupted', run.error ?? '');
    assert.match(run.error ?? '', /process \d+ on \S+ gave no sign of life any more before/);
  }
}

// They mostly wait for leases.
describe('a node that is lost', { skip, concurrency: 2 }, () => {
  test('it is killed', async (t) => {
    await using server = await startPostgres();
    const { service, lost, others } = await stormOnThree(t, server.url);
    await untilNewest(service, lost);
    assert.equal(await lost.stop('SIGKILL'), 'SIGKILL');
    const runIds = await slowCallsOf(service, lost);
    await untilClosed(service, runIds);
    service.release();
    await assertOnce(service, runIds);
    const noted = new RegExp(`no sign of life after .*"process ${lost.pid} on `);
    const [one] = others;
    await until('a finding in its log', () => noted.test(one?.log() ?? ''));
    for (const other of others) assert.equal(await other.stop(), 0, other.log());
    const reasons = (await nodesOf(service)).map((node) => node.end_reason);
    assert.deepEqual(reasons, ['silent', 'stopped', 'stopped']);
  });

  test('it and the leader are killed: the third closes the runs of the first at once', async (t) => {
    await using server = await startPostgres();
    const { service, leader, lost, last } = await leaderAndTwo(t, server.url);
    await lost.stop('SIGKILL');
    const runIds = await slowCallsOf(service, lost);
    const isNearlyOver = async (): Promise<boolean> => (await leaseLeftMs(service, lost)) < 2_000;
    await until('a lease that is nearly over', isNearlyOver);
    await leader.stop('SIGKILL');
    const ofLeader = await slowCallsOf(service, leader);
    await untilClosed(service, runIds);
    const gone = `select 1 from nodes where pid = ${leader.pid} and ended_at is not null`;
    assert.deepEqual(await onServer(service.database, gone), [], 'the leader is not missed yet');
    await untilClosed(service, ofLeader);
    service.release();
    await assertOnce(service, [...runIds, ...ofLeader]);
    assert.equal(await last.stop(), 0, last.log());
  });
});
