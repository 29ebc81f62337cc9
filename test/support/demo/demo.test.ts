import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listKeys } from '../../../src/app/accounts/keys.ts';
import { listAllSessions } from '../../../src/app/accounts/sessions.ts';
import { createOverview } from '../../../src/app/overview/counts.ts';
import { listJobs } from '../../../src/app/overview/jobs.ts';
import { keySet } from '../../../src/receipt/key.ts';
import { readTrustedKeys } from '../../../src/receipt/trusted-keys.ts';
import { verifyReceipt } from '../../../src/receipt/verify.ts';
import { openTestLocal } from '../running/local.ts';
import { listChannels } from '../../../src/store/alerts/channels.ts';
import { findReceipt } from '../../../src/store/receipts/receipts.ts';
import { listSigningKeys } from '../../../src/store/receipts/signing-keys.ts';
import { auditReceipts, unsignedIn } from '../checks/audit-receipts.ts';
import { temporaryDirectory } from '../directory.ts';
import { writerIn } from '../records/principal.ts';
import { quietApp } from '../running/app.ts';
import { demoCounts, makeDemo } from './demo.ts';

const targetUrl = 'http://127.0.0.1:9';

/** How many rows a query finds. */
async function count(query: { execute: () => Promise<unknown[]> }): Promise<number> {
  return (await query.execute()).length;
}

describe('a demo', () => {
  test('has what it promises, and receipts that verify', async (t) => {
    const dataDir = temporaryDirectory(t);
    const nowMs = Date.now();
    const demo = await makeDemo(dataDir, { nowMs, targetUrl });
    await using local = await openTestLocal(dataDir);
    const { store, clock } = local;
    const { db } = store;
    const app = quietApp({ store, clock, vault: await local.openVault() });
    const principal = writerIn(demo.workspaceId);

    const { jobs, monitors, lastDay } = await createOverview(app)(principal);
    assert.deepEqual(jobs, { ...demoCounts.jobs, running: 0 });
    assert.deepEqual(monitors, { ...demoCounts.monitors, isPartial: false });
    assert.ok(lastDay.failed > 0 && lastDay.missed > 0 && lastDay.interrupted > 0, 'trouble');

    const page = {
      filter: null,
      text: 'invoices',
      order: 'newest',
      limit: 1,
      cursor: null,
    } as const;
    const { items } = await listJobs(app, principal, page);
    const since = items[0]?.failingSince ?? 0;
    const downForMinutes = (nowMs - since) / 60_000;
    assert.ok(downForMinutes > 123 && downForMinutes < 126, `down for ${downForMinutes} min`);
    assert.equal(items[0]?.downReason, 'http: 502');

    const channels = await listChannels(db, demo.workspaceId, {
      limit: 10,
      before: null,
      name: null,
      idPrefix: null,
    });
    assert.equal(channels.length, demoCounts.channels);
    assert.equal((await listKeys(local)).length, demoCounts.keys);
    assert.equal((await listAllSessions(local)).length, demoCounts.sessions);
    const statuses = await db.selectFrom('deliveries').select('status').execute();
    const pending = statuses.filter(({ status }) => status === 'pending');
    assert.equal(pending.length, demoCounts.pendingDeliveries);
    for (const status of ['delivered', 'failed'] as const) {
      assert.ok(
        statuses.some((one) => one.status === status),
        status,
      );
    }

    assert.deepEqual(auditReceipts(dataDir), []);
    assert.equal(unsignedIn(dataDir), 0);
    const keys = keySet(await listSigningKeys(db));
    const trusted = readTrustedKeys([Buffer.from(JSON.stringify(keys))]);
    for (const id of [demo.runs.success, demo.runs.failed]) {
      const receipt = await findReceipt(db, id);
      assert.equal(verifyReceipt(Buffer.from(receipt ?? ''), trusted).verdict, 'valid');
    }
  });

  test('asks no DNS server soon: what is due calls its own target', async (t) => {
    const dataDir = temporaryDirectory(t);
    const nowMs = Date.now();
    await makeDemo(dataDir, { nowMs, targetUrl });
    await using local = await openTestLocal(dataDir);
    const soon = nowMs + 15 * 60_000;
    const due = await local.store.db
      .selectFrom('jobs')
      .select('url')
      .where('next_run_at', '<', soon)
      .execute();
    assert.deepEqual(
      due.filter(({ url }) => !url.startsWith(targetUrl)),
      [],
    );
    const alerted = await local.store.db
      .selectFrom('channels')
      .select('name')
      .where('next_delivery_at', '<', soon)
      .execute();
    assert.deepEqual(alerted, []);
  });

  test('can have very many jobs, and a job with very many runs', async (t) => {
    const dataDir = temporaryDirectory(t);
    const more = { extraJobs: 1_000, runsOfOneJob: 10_000 };
    const demo = await makeDemo(dataDir, { nowMs: Date.now(), targetUrl, ...more });
    await using local = await openTestLocal(dataDir);
    const { db } = local.store;
    const total = demoCounts.jobs.total + 1 + more.extraJobs;
    const kept = db.selectFrom('jobs').select('id').where('deleted_at', 'is', null);
    assert.equal(await count(kept), total);
    const ofOne = db
      .selectFrom('runs')
      .select('id')
      .where('job_id', '=', demo.busyJob ?? '');
    assert.equal(await count(ofOne), more.runsOfOneJob);
  });
});
