/** The leader dies, stops or freezes: the next oldest node watches monitors, sends alerts and signs receipts. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip } from '../postgres/service.ts';

const jobCount = 30;

// They mostly wait for leases.
describe('a leader', { skip, concurrency: 2 }, () => {
  for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const) {
    test(`gets ${signal}`, async (t) => {
      await using server = await startPostgres();
      const service = await prepareOnServer(t, server.url, jobCount);
      const { ask, database } = service;
      const receiver = await startSink(t);
      const port = new URL(receiver.url).port;
      const start = () => service.start(database, ['--allow-target', `127.0.0.1/32:${port}`]);
      const leader = await start();
      await start();
      await start();
      const channel = { name: 'hook', type: 'webhook', config: { url: receiver.url } };
      assert.equal((await ask('POST', '/channels', channel)).status, 201);
      const every = { scheduleType: 'period', periodSeconds: 60, graceSeconds: 0 };
      const monitor = { name: 'backup', ...every };
      const made = await ask('POST', '/monitors', monitor);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { monitor: kept } = made.body as { monitor: { pingUrl: string } };
      assert.equal((await fetch(kept.pingUrl)).status, 200);

      leader.stop(signal).catch(() => {});
      t.after(() => leader.stop('SIGKILL'));
      // Its last ping is older than it was.
      const due = `${Date.now()} + 500`;
      await onServer(database, `update monitors set next_due_at = ${due}, next_check_at = ${due}`);
      await service.storm(0, 1_000);
      const alert = await until('an alert', () => receiver.received[0]);
      assert.match(alert.body, /"type":"monitor\.down"/);
      const unsigned = `select id from runs where receipt_due = 1
        union all select id from jobs where active_run_id is not null`;
      await until('all receipts', async () => (await onServer(database, unsigned)).length === 0);
      const receipts = await onServer(database, 'select 1 from receipts');
      const answered = await onServer(database, "select 1 from runs where status = 'success'");
      assert.equal(receipts.length, answered.length);
      assert.ok(receipts.length > 0);
      const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
      assert.equal(ids.size, 1, 'one alert, under one id');
      assert.deepEqual(await service.audit(), []);
    });
  }

  test('waits for a slow call: it has handed over', async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, 1);
    const { ask, database } = service;
    const [receiver, target] = [await startSink(t), await startHeldSink(t)];
    const ports = [receiver, target].map(({ url }) => new URL(url).port);
    const allowed = ports.flatMap((port) => ['--allow-target', `127.0.0.1/32:${port}`]);
    const leader = await service.start(database, allowed);
    const hook = {
      name: 'hook',
      type: 'webhook',
      config: { url: receiver.url },
    };
    assert.equal((await ask('POST', '/channels', hook)).status, 201);
    const hourly = { scheduleType: 'period', periodSeconds: 3_600 };
    const slow = await ask('POST', '/jobs', { name: 'slow', url: target.url, ...hourly });
    const { job } = slow.body as { job: { id: string } };
    const monitor = await ask('POST', '/monitors', { name: 'm', ...hourly, graceSeconds: 0 });
    const { pingUrl } = (monitor.body as { monitor: { pingUrl: string } }).monitor;
    assert.equal((await fetch(pingUrl)).status, 200);
    assert.equal((await ask('POST', `/jobs/${job.id}/run`)).status, 202);
    await target.waitFor(1);
    await service.start(database, allowed);

    let hasEnded = false;
    const ended = leader.stop('SIGTERM').finally(() => (hasEnded = true));
    await onServer(
      database,
      `update monitors set last_ping_at = 0, next_due_at = 1, next_check_at = 1`,
    );
    const alert = await until('an alert', () => receiver.received[0]);
    assert.match(alert.body, /"type":"monitor\.down"/);
    assert.ok(!hasEnded, 'the leader that was is still there');
    const nodes = await onServer(database, 'select is_draining, ended_at from nodes order by id');
    assert.deepEqual(nodes[0], { is_draining: 1, ended_at: null });

    target.release(1, 500);
    await until('an alert of the slow call', () => receiver.received[1]);
    assert.match(receiver.received[1]?.body ?? '', /"type":"job\.failed"/);
    assert.equal(await ended, 0, leader.log());
    const unsigned = 'select 1 from runs where receipt_due = 1';
    await until('its receipt', async () => (await onServer(database, unsigned)).length === 0);
    assert.equal((await onServer(database, 'select 1 from receipts')).length, 1);
  });
});
