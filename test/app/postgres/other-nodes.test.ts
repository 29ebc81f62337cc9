/** Nodes that share a database: what changes through one is seen on all, and work is found by whoever has free slots. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamEvent } from '../../../src/app/events.ts';
import { createJob } from '../../../src/app/jobs/jobs.ts';
import { runJob } from '../../../src/app/runs/runs.ts';
import type { ChangedRun } from '../../../src/domain/changes.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { channelOf, endListeners, listenersOf } from '../../support/postgres/listeners.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { writerIn } from '../../support/records/principal.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openStream } from '../../support/running/events.ts';
import { databaseOf, testSecretKey, useServer } from '../../support/running/local.ts';
import { startTestNode } from '../../support/running/node.ts';
import { until } from '../../support/until.ts';

const { skip, newDatabase, started } = postgresOfFile();
/** A job that is due in a year. */
const yearly = {
  name: 'job',
  scheduleType: 'period',
  periodSeconds: 31_536_000,
  cronExpr: null,
} as const;

function changedJobs(heard: readonly StreamEvent[]): string[] {
  return heard.flatMap((event) => (event.event === 'changed' ? event.data.jobs : []));
}

function changedRuns(heard: readonly StreamEvent[]): ChangedRun[] {
  return heard.flatMap((event) => (event.event === 'changed' ? event.data.runs : []));
}

// They mostly wait.
describe('nodes', { concurrency: 3, skip }, () => {
  test('what people change through one is seen in the streams of the other', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await startTestNode(t, url), await startTestNode(t, url)];
    const heard = other.listen();
    const job = await createJob(one.app, writerIn(one.workspaceId), {
      ...yearly,
      url: 'http://127.0.0.1:1/',
    });
    await until('the job', () => changedJobs(heard).includes(job.id));
    assert.ok(other.woken.includes('claim'), 'a new job may be due before what it waits for');
  });

  test('runs of one are seen in the streams of the other', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await startTestNode(t, url), await startTestNode(t, url, { slots: 0 })];
    const sink = await startHeldSink(t);
    const heard = other.listen();
    const job = await one.addJob({ ...yearly, url: sink.url }, Date.now());
    const run = await runJob(one.app, writerIn(one.workspaceId), job.id, null);
    const statuses = () =>
      changedRuns(heard).flatMap(({ id, jobId, status }) =>
        id === run.id && jobId === job.id ? [status] : [],
      );
    await until('its start', () => statuses().includes('running'));
    sink.release();
    await until('its end', () => statuses().at(-1) === 'success');
  });

  test('a run that is asked of a node without free slots begins on the other', async (t) => {
    const url = await newDatabase();
    const full = await startTestNode(t, url, { slots: 0 });
    const free = await startTestNode(t, url);
    const sink = await startHeldSink(t);
    const principal = writerIn(full.workspaceId);
    const ask = async () => {
      const job = await full.addJob({ ...yearly, url: sink.url }, Date.now());
      await runJob(full.app, principal, job.id, null);
    };
    await ask();
    await sink.waitFor(1);
    await until('it was woken', () => free.woken.includes('claim'));
    // The same without hints: loops look by themselves.
    free.woken.length = 0;
    await endListeners(url);
    await ask();
    await sink.waitFor(2);
    assert.deepEqual([full.engine.slotsUsed(), free.engine.slotsUsed()], [0, 2]);
    // The listener is back.
    await until('a listener', () => free.woken.includes('notify'));
    free.woken.length = 0;
    await ask();
    await until('a hint', () => free.woken.includes('claim'));
    sink.release();
    await until('the third', () => sink.received.length === 3);
    sink.release();
  });

  test(
    'through PgBouncer in transaction mode, streams are told to ask again',
    { skip: noPgbouncer },
    async (t) => {
      const url = await newDatabase();
      const direct = await startTestNode(t, url);
      const pooler = await startPgbouncer(t, url);
      const pooled = await startTestNode(t, pooler);
      const alone = await startTestNode(t, pooler, { hasOthers: false });
      const [pooledHeard, aloneHeard, directHeard] = [
        pooled.listen(),
        alone.listen(),
        direct.listen(),
      ];
      const resyncs = () => pooledHeard.filter(({ event }) => event === 'resync').length;
      await until('some', () => resyncs() >= 2);
      const before = resyncs();
      const job = await createJob(direct.app, writerIn(direct.workspaceId), {
        ...yearly,
        url: 'http://127.0.0.1:1/',
      });
      await until('another', () => resyncs() > before);
      assert.equal(pooled.troubles.length, 1, 'it is said once');
      assert.match(pooled.troubles[0] ?? '', /PgBouncer/);
      // What it does itself is heard at once, and by those who listen.
      await runJob(pooled.app, writerIn(pooled.workspaceId), job.id, null);
      await until('the run', () => changedRuns(directHeard).some(({ jobId }) => jobId === job.id));
      assert.deepEqual([aloneHeard, alone.troubles], [[], []], 'nobody else is there to be heard');
    },
  );

  test('hints that do not arrive are said once, and so is their return', async (t) => {
    const url = await newDatabase();
    const { port } = await started();
    const proxy = await startProxy(t, port);
    const node = await startTestNode(t, proxy.urlOf(url));
    const channel = await channelOf(url);
    await until('a listener', async () => (await listenersOf(url)).length > 0);
    proxy.rewrite = (answer) => (answer.includes(`${channel}\0`) ? Buffer.alloc(0) : answer);
    await until('trouble', () => node.troubles.length > 0);
    const heard = node.listen();
    await until('a resync', () => heard.some(({ event }) => event === 'resync'));
    proxy.rewrite = (answer) => answer;
    await until('the end of it', () => node.troubles.length > 1);
    assert.match(node.troubles[0] ?? '', /do not arrive/);
    assert.deepEqual(node.troubles.slice(1), [null]);
  });

  test('a key that a command revokes loses its streams at once', async (t) => {
    const dataDir = temporaryDirectory(t);
    await useServer(dataDir, (await started()).url);
    const { url, key } = await startTestDaemon(t, { dataDir });
    const stream = await openStream(t, { url, key });
    const database = databaseOf(dataDir) ?? '';
    await until('a listener', async () => (await listenersOf(database)).length > 0);
    const env = { JOBD_DATABASE_URL: database, JOBD_SECRET_KEY: testSecretKey };
    const { stdout } = await runCommand(['key', 'list', '--json'], env);
    const { keys } = JSON.parse(stdout) as { keys: [{ id: string }] };
    const revoked = await runCommand(['key', 'revoke', keys[0].id, '--yes'], env);
    assert.equal(revoked.exitCode, 0, revoked.stderr);
    assert.equal((await stream.next('end')).data.reason, 'revoked');
  });
});
