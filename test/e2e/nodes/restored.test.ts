/** An older copy of the database takes its place while three nodes serve. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../../support/checks/audit.ts';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip, untilCalls, untilReady } from '../postgres/service.ts';

const jobCount = 40;

test(
  'nodes that the database does not know any more go on under new ids, and call once what is due from then on',
  { skip },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, jobCount);
    const name = new URL(service.database).pathname.slice(1);
    const copy = `${name}_copy`;
    await onServer(server.url, `create database ${copy} template ${name}`);
    const nodes = [await service.start(), await service.start(), await service.start()];
    await service.storm(500, 1_000);
    await untilCalls(service, jobCount);
    await service.untilSettled();

    const before = await idsOfNodes(service.database);
    const takePlace = [
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      `alter database ${name} rename to ${name}_lost`,
      `alter database ${copy} rename to ${name}`,
    ];
    for (const statement of takePlace) await onServer(server.url, statement);
    const areBack = async () => (await idsOfNodes(service.database)).length === nodes.length;
    await until('three nodes in the copy', areBack);
    const after = await idsOfNodes(service.database);
    assert.deepEqual(
      after.filter((id) => before.includes(id)),
      [],
    );
    await untilReady(service);

    await service.storm(500, 1_000);
    await untilCalls(service, 2 * jobCount);
    const books = await service.untilSettled();
    // The copy knows nothing of the calls before.
    assert.deepEqual(audit(books, service.witness.arrivals.slice(jobCount)), []);
    assert.equal(books.runs.length, jobCount);
    for (const node of nodes) {
      assert.equal(await node.stop(), 0, node.log());
      assert.match(
        node.log(),
        /the database does not know this node any more: its calls are given up, and it continues under/,
      );
    }
    assert.equal(service.witness.arrivals.length, 2 * jobCount);
  },
);

/** The ids of those that serve. */
async function idsOfNodes(database: string): Promise<string[]> {
  const rows = await onServer<{ id: string }>(
    database,
    'select id from nodes where ended_at is null',
  );
  return rows.map(({ id }) => id);
}
