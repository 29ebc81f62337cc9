/** Three nodes, of which one is lost: what it executed is interrupted once, nothing is called twice, and the jobs go on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { onServer } from '../../support/postgres/database.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { Process } from '../../support/running/executable.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip, untilCalls } from '../postgres/service.ts';
import type { ServerService } from '../postgres/service.ts';

const jobCount = 120;
/** Longer than a lease: calls outlive the declaration that their node is gone. */
const slowMs = 24_000;

interface NodeRow {
  id: string;
  pid: number;
  end_reason: string | null;
}

/** A service with a node that is to be lost in the middle of a storm, and two more that come to help. */
async function stormOnThree(t: TestContext, url: string, reach = (database: string) => database) {
  const service = await prepareOnServer(t, url, jobCount, slowMs);
  const lost = await service.start(reach(service.database));
  await service.storm(500, 8_000);
  const executing = async (): Promise<boolean> => (await slowCallsOf(service, lost)).length > 1;
  await until('slow calls', executing);
  const others = [await service.start(), await service.start()];
  return { service, lost, others };
}

/** A service with a keeper and two more nodes in a storm; `lost` is one of the two that makes slow calls. */
async function keeperAndTwo(t: TestContext, url: string) {
  // Which node gets them is chance. If the keeper gets them all, there is another storm, of a service of its own.
  for (let storms = 0; storms < 4; storms += 1) {
    const service = await prepareOnServer(t, url, jobCount, slowMs);
    const keeper = await service.start();
    const rest = [await service.start(), await service.start()] as const;
    await service.storm(500, 4_000);
    const executing = async (): Promise<Process | false> => {
      const slow = await Promise.all(rest.map(async (node) => await slowCallsOf(service, node)));
      const index = slow.findIndex(({ length }) => length > 1);
      return rest[index] ?? false;
    };
    const lost = await until('slow calls', executing, { timeoutMs: 12_000 }).catch(() => null);
    if (lost !== null) return { service, keeper, lost, last: lost === rest[0] ? rest[1] : rest[0] };
    for (const node of [keeper, ...rest]) await node.stop('SIGKILL');
  }
  return assert.fail('the keeper got all slow calls of four storms');
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
    `select runs.id from runs join nodes on nodes.id = node_id
     where nodes.pid = ${pid} and status = 'running'
       and job_id in (select id from jobs where url like '%0')`,
  );
  return rows.map(({ id }) => id);
}

/** Waits until the lost node was declared gone and its runs are closed. Returns how long that took, in milliseconds. */
async function untilClosed(service: ServerService, runIds: readonly string[]): Promise<number> {
  const began = performance.now();
  // Which node gets the slow calls is chance: one of them may have none.
  if (runIds.length === 0) return 0;
  const list = runIds.map((id) => `'${id}'`).join();
  await until(
    'an end of the runs of the lost node',
    async () => {
      const open = `select id from runs where id in (${list}) and status = 'running'`;
      return (await onServer(service.database, open)).length === 0;
    },
    { everyMs: 100 },
  );
  return performance.now() - began;
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
    assert.match(run.error ?? '', /the process that executed it ended/);
  }
}

test('a node that is killed', { skip }, async (t) => {
  await using server = await startPostgres();
  const { service, lost, others } = await stormOnThree(t, server.url);
  assert.equal(await lost.stop('SIGKILL'), 'SIGKILL');
  const runIds = await slowCallsOf(service, lost);
  const tookMs = await untilClosed(service, runIds);
  t.diagnostic(`${runIds.length} runs were closed after ${Math.round(tookMs)} ms`);
  assert.ok(tookMs < 30_000, `${tookMs} ms`);
  await assertOnce(service, runIds);
  for (const other of others) assert.equal(await other.stop(), 0, other.log());
  const reasons = (await nodesOf(service)).map((node) => node.end_reason);
  assert.deepEqual(reasons, ['silent', 'stopped', 'stopped']);
});

test('a node that is frozen, and wakes up', { skip }, async (t) => {
  await using server = await startPostgres();
  const { service, lost, others } = await stormOnThree(t, server.url);
  process.kill(lost.pid, 'SIGSTOP');
  t.after(() => lost.stop('SIGKILL'));
  const runIds = await slowCallsOf(service, lost);
  const tookMs = await untilClosed(service, runIds);
  t.diagnostic(`${runIds.length} runs were closed after ${Math.round(tookMs)} ms`);
  process.kill(lost.pid, 'SIGCONT');
  await until('a new id', async () => (await nodesOf(service)).length === 4);
  await until('a word about it', () => lost.log().includes('goes on under a new id'));
  await assertOnce(service, runIds);
  await until('a word about late results', () => /was not running any more/.test(lost.log()));
  // It takes part again, though the others may be quicker in one storm.
  const last = (await nodesOf(service)).at(-1);
  const taken = `select id from runs where node_id = '${last?.id}'`;
  for (let storms = 2; (await onServer(service.database, taken)).length === 0; storms += 1) {
    assert.ok(storms < 6, 'it calls again');
    await service.storm(500, 4_000);
    await untilCalls(service, storms * jobCount);
  }
  for (const node of [lost, ...others]) assert.equal(await node.stop('SIGKILL'), 'SIGKILL');
});

test('a node that cannot reach the database, while others can', { skip }, async (t) => {
  await using server = await startPostgres();
  const proxy = await startProxy(t, Number(new URL(server.url).port));
  const { service, lost, others } = await stormOnThree(t, server.url, proxy.urlOf);
  proxy.isFrozen = true;
  const runIds = await slowCallsOf(service, lost);
  const tookMs = await untilClosed(service, runIds);
  t.diagnostic(`${runIds.length} runs were closed after ${Math.round(tookMs)} ms`);
  proxy.isFrozen = false;
  await until('a new id', async () => (await nodesOf(service)).length === 4);
  await assertOnce(service, runIds);
  assert.match(lost.log(), /was declared gone/);
  for (const node of [lost, ...others]) assert.equal(await node.stop(), 0, node.log());
});

test(
  'two nodes that are killed, of which one is the keeper: the third closes the runs of the first at once',
  { skip },
  async (t) => {
    await using server = await startPostgres();
    const { service, keeper, lost, last } = await keeperAndTwo(t, server.url);
    await lost.stop('SIGKILL');
    const runIds = await slowCallsOf(service, lost);
    const isNearlyOver = async (): Promise<boolean> => (await leaseLeftMs(service, lost)) < 2_000;
    await until('a lease that is nearly over', isNearlyOver, { everyMs: 100 });
    await keeper.stop('SIGKILL');
    const ofKeeper = await slowCallsOf(service, keeper);
    await untilClosed(service, runIds);
    assert.ok((await leaseLeftMs(service, keeper)) > 0, 'the keeper is not missed yet');
    await untilClosed(service, ofKeeper);
    await assertOnce(service, [...runIds, ...ofKeeper]);
    assert.equal(await last.stop(), 0, last.log());
  },
);
