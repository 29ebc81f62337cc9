/** The database is away for longer than a lease, and health changes come as soon as it is back: each is alerted once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfHint } from '../../../src/domain/hints.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { connectTo } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip } from '../postgres/service.ts';

const outages = 2;
const changesEach = 60;
const changesAtOnce = 12;

test('health changes after outages are alerted once each', { skip }, async (t) => {
  await using server = await startPostgres();
  const service = await prepareOnServer(t, server.url, outages * changesEach);
  const { ask, database, jobs } = service;
  const receiver = await startSink(t);
  const allowed = ['--allow-target', `127.0.0.1/32:${new URL(receiver.url).port}`];
  const nodes = [];
  for (let started = 0; started < 3; started += 1) {
    nodes.push(await service.start(database, allowed));
  }
  const channel = { name: 'hook', type: 'webhook', config: { url: receiver.url } };
  assert.equal((await ask('POST', '/channels', channel)).status, 201);
  const client = await connectTo(database);
  t.after(() => client.end());
  await client.query('set default_transaction_read_only = off');
  const name = new URL(database).pathname.slice(1);
  const restrict = async (value: string): Promise<void> => {
    await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
  };
  /** As records of failed runs add them. */
  const fail = async (jobIds: readonly string[]): Promise<void> => {
    await client.query(
      `insert into outbox (id, type, workspace_id, subject_id, failures, data, at, position)
       select gen_random_uuid(), 'job.failed', workspace_id, id, 1, '{}', $2, 1
       from jobs where id = any($1)`,
      [jobIds, Date.now()],
    );
    // All nodes look at once, as they do when one has recorded runs.
    const hint = textOfHint({ wakes: ['notify'], changes: [], ended: [] }, 1_000);
    await client.query('select pg_notify(name, $1) from hint_channel', [`test 1 ${hint}`]);
  };
  const held = `select 1 from nodes
    where ended_at is null and expires_at > extract(epoch from clock_timestamp()) * 1000`;
  const pending = "select from outbox union all select from deliveries where status = 'pending'";
  const left = async (): Promise<number | null> => (await client.query(pending)).rowCount;
  for (let outage = 0; outage < outages; outage += 1) {
    await restrict('on');
    await until('the end of all leases', async () => (await client.query(held)).rowCount === 0);
    const those = jobs.slice(outage * changesEach, (outage + 1) * changesEach);
    await restrict('off');
    // While nodes learn that it is back, one after the other.
    for (let first = 0; first < changesEach; first += changesAtOnce) {
      await fail(those.slice(first, first + changesAtOnce));
      await until('all alerts', async () => (await left()) === 0);
    }
  }
  const { rows } = await client.query<{ subject: string; alerts: string }>(
    'select subject_id as subject, count(*) as alerts from deliveries group by 1',
  );
  assert.equal(rows.length, outages * changesEach);
  assert.deepEqual(
    rows.filter(({ alerts }) => Number(alerts) !== 1),
    [],
  );
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  assert.equal(ids.size, outages * changesEach);
  for (const node of nodes) assert.equal(await node.stop('SIGTERM'), 0);
});
