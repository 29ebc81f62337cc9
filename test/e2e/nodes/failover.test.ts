/** A server ends, and a copy of it takes over that lacks the last moments: asynchronous replication. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { readServerBooks } from '../../support/postgres/books.ts';
import { onServer } from '../../support/postgres/database.ts';
import { freezeBetweenTransactions } from '../../support/postgres/freeze.ts';
import { startPostgres, type PostgresServer } from '../../support/postgres/server.ts';
import { jobd } from '../../support/running/executable.ts';
import { testSecretKey } from '../../support/running/local.ts';
import { until } from '../../support/until.ts';
import { prepareJobs } from '../postgres/prepared.ts';
import { skip } from '../postgres/service.ts';

const slowCount = 6;
const lateCount = 20;
const hourMs = 3_600_000;

test(
  'when a copy that was behind takes over, nodes tell which calls and outcomes are lost, and no others are called again',
  { skip },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepare(t, server);
    const { witness, database } = service;
    await using copy = await server.copy();
    const hosts = `127.0.0.1:${server.port},127.0.0.1:${copy.port}`;
    const both = database.replace(new URL(database).host, hosts);
    const nodes = [
      await service.start({ database: both }),
      await service.start({ database: both }),
    ];
    const callsOf = (name: string) =>
      witness.arrivals.filter(({ path }) => path.startsWith(`/${name}`));

    // What the copy still gets: that some jobs are called, and when the others are due.
    await makeDue(database, 'slow');
    await until('the slow calls', () => service.held.length === slowCount);
    // Frozen nodes call nothing before the copy stops following.
    await freezeBetweenTransactions(database, nodes);
    await makeDue(database, 'late');
    await stopFollowing(server, copy);
    for (const { pid } of nodes) process.kill(pid, 'SIGCONT');
    // What it does not get.
    for (const response of service.held.splice(0)) response.end('ok');
    const haveEnded = async (name: string, count: number) => {
      const statuses = await statusesOf(database, name);
      return statuses.length === count && statuses.every((status) => status === 'success');
    };
    await until('the slow outcomes', () => haveEnded('slow', slowCount));
    await until('the late calls', () => haveEnded('late', lateCount));

    await server.stop('kill');
    await onServer(copy.url, 'select pg_promote()');
    const promoted = Object.assign(new URL(database), { port: String(copy.port) }).href;
    const lost = async () =>
      await onServer<{ calls: string; outcomes: string }>(
        promoted,
        'select sum(lost_calls) as calls, sum(lost_outcomes) as outcomes from nodes where lost_at is not null',
      );
    const isFound = async () => {
      const [{ calls, outcomes } = { calls: '0', outcomes: '0' }] = await lost().catch(() => []);
      return Number(calls) === lateCount && Number(outcomes) === slowCount;
    };
    await until('what was lost', isFound);

    // The late jobs were due less than a minute ago, and nothing on record says that they were called.
    await until('the late calls again', () => callsOf('late').length === 2 * lateCount);
    const areClosed = async () =>
      (await statusesOf(promoted, 'slow')).every((status) => status === 'interrupted');
    await until('an end of the slow runs', areClosed);
    const [{ detail } = { detail: '' }] = await onServer<{ detail: string }>(
      promoted,
      "select detail from runs where status = 'interrupted'",
    );
    assert.equal(detail, 'the database lost its outcome after it had confirmed it');

    const env = { JOBD_DATABASE_URL: promoted, JOBD_SECRET_KEY: testSecretKey };
    const told =
      /at \S+Z a node found that the database had lost what it had confirmed, \d+ calls? and \d+ outcomes? of that node among it/;
    assert.match((await jobd(['nodes'], env)).stderr, told);
    const { stdout: found } = await jobd(['doctor'], env);
    assert.match(found, /^warn\tnodes\tat \S+Z a node found that the database had lost what/m);
    // One of them may have called all: it is in a line of its own.
    assert.match(found, told);
    for (const node of nodes) {
      const url = await node.listening;
      await until('a note of it', async () => {
        const ready = await fetch(`${url}/readyz`);
        assert.equal(ready.status, 200);
        const { notes } = (await ready.json()) as { notes: string[] };
        return told.test(notes.join('\n'));
      });
      assert.equal(await node.stop(), 0, node.log());
    }
    assert.match(
      nodes.map((node) => node.log()).join(''),
      /"msg":"the database has lost what it had confirmed/,
    );
    assert.equal(callsOf('slow').length, slowCount);
    assert.equal(callsOf('late').length, 2 * lateCount);
  },
);

/** The states of the runs of jobs whose names begin so. */
async function statusesOf(database: string, name: string): Promise<string[]> {
  const { jobs, runs } = await readServerBooks(database);
  const ids = new Set(jobs.filter((job) => job.name.startsWith(name)).map(({ id }) => id));
  return runs.filter((run) => ids.has(run.job_id)).map(({ status }) => status);
}

/** Slow jobs, whose calls are held, and late ones. */
async function prepare(t: TestContext, server: PostgresServer) {
  const held: ServerResponse[] = [];
  const names = [
    ...Array.from({ length: slowCount }, (_, index) => `slow-${index}`),
    ...Array.from({ length: lateCount }, (_, index) => `late-${index}`),
  ];
  const prepared = await prepareJobs(t, server.url, {
    jobs: names.map((name) => ({ name, periodSeconds: hourMs / 1_000 })),
    keyCount: 0,
    answer(response, { path }) {
      if (path.startsWith('/slow')) held.push(response);
      else response.end('ok');
    },
  });
  return { ...prepared, held };
}

/** Makes jobs due now, once. */
async function makeDue(database: string, name: string): Promise<void> {
  const dueAt = Date.now();
  await onServer(
    database,
    `update jobs set next_run_at = ${dueAt}, anchor_at = ${dueAt - hourMs} where name like '${name}-%'`,
  );
}

/** Lets the copy get what is committed until now, and nothing after that. */
async function stopFollowing(server: PostgresServer, copy: PostgresServer): Promise<void> {
  const [{ at } = { at: '' }] = await onServer<{ at: string }>(
    server.url,
    'select pg_current_wal_lsn()::text as at',
  );
  const isThere = async () => {
    const asked = `select coalesce(pg_last_wal_replay_lsn() >= '${at}', false) as "isThere"`;
    return (await onServer<{ isThere: boolean }>(copy.url, asked))[0]?.isThere === true;
  };
  await until('the copy', isThere);
  await onServer(copy.url, "alter system set primary_conninfo = ''");
  await onServer(copy.url, 'select pg_reload_conf()');
  const isAlone = async () =>
    (await onServer(copy.url, 'select 1 from pg_stat_wal_receiver')).length === 0;
  await until('the end of the stream', isAlone);
}
