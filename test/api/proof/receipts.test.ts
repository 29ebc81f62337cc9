import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Insertable } from 'kysely';
import { getReceipt } from '../../../src/app/proof/receipts.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { rotateSigningKey } from '../../../src/app/proof/signing-keys.ts';
import { newId } from '../../../src/domain/id.ts';
import type { RunRow } from '../../../src/store/database/schema.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { quietApp } from '../../support/running/app.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { openTestStore } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { writerIn } from '../../support/records/principal.ts';

/** Creates a job, runs it by hand, and resolves with the path of its run when it has ended. */
async function runOnce(daemon: TestDaemon, url: string): Promise<string> {
  const job = { name: 'a', url, cronExpr: '0 0 1 1 *' };
  const { id } = (await daemon.ask('POST', '/jobs', job)).body.job;
  const { run } = (await daemon.ask('POST', `/jobs/${id}/run`)).body;
  const path = `/jobs/${id}/runs/${run.id}`;
  await until(
    'the end of the run',
    async () => (await daemon.ask('GET', path)).body.run.finishedAt,
  );
  return path;
}

test('a receipt is downloaded as it was signed, as soon as the run has ended', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { baseUrl: 'https://jobs.example.com/' } });
  const sink = await startSink(t, (response) => response.writeHead(201).end('made'));
  const path = await runOnce(daemon, sink.url);
  const first = await daemon.ask('GET', `${path}/receipt`);
  assert.equal(first.status, 200);
  const { payload, keyId } = first.body;
  const runId = path.split('/').at(-1);
  assert.equal(payload.runId, runId);
  assert.deepEqual(
    [payload.issuer, payload.httpStatus, payload.responseBytes, payload.status],
    ['https://jobs.example.com', 201, 4, 'success'],
  );
  assert.equal(
    first.headers.get('content-disposition'),
    `attachment; filename="receipt-${runId}.json"`,
  );
  const again = await daemon.ask('GET', `${path}/receipt`);
  assert.deepEqual(again.body, first.body, 'it is signed once');
  const key = await daemon.ask('GET', '/receipts/key', undefined, null);
  assert.equal(key.status, 200);
  assert.equal(key.body.keyId, keyId);
});

test('after a key rotation new receipts name the new key; the old one stays published', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const before = await daemon.ask('GET', `${await runOnce(daemon, sink.url)}/receipt`);
  await using local = await openTestLocal(daemon.dataDir);
  const { keyId } = await rotateSigningKey({ ...local, vault: await local.openVault() });
  const after = await daemon.ask('GET', `${await runOnce(daemon, sink.url)}/receipt`);
  assert.equal(after.body.keyId, keyId);
  assert.notEqual(before.body.keyId, keyId);
  assert.equal((await daemon.ask('GET', '/receipts/key')).body.keyId, keyId);
  const { keys } = (await daemon.ask('GET', '/receipts/keys', undefined, null)).body;
  assert.deepEqual(
    keys.map(({ kid }: { kid: string }) => kid),
    [keyId, before.body.keyId],
  );
});

test('a run without a receipt is answered with the reason', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response) => response.destroy());
  const path = await runOnce(daemon, sink.url);
  assertRefused(await daemon.ask('GET', `${path}/receipt`), 409, /no HTTP answer/, 'no answer');
  assertRefused(await daemon.ask('GET', `${path}/receipt`, undefined, null), 401, /key/, 'no key');
  const [, , jobId] = path.split('/');
  const unknown = `/jobs/${jobId}/runs/${jobId}/receipt`;
  assertRefused(await daemon.ask('GET', unknown), 404, /no run/, 'an unknown run');
});

test('a run that has not ended is answered with "no receipt yet"', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startHeldSink(t);
  const job = { name: 'a', url: sink.url, cronExpr: '0 0 1 1 *' };
  const { id } = (await daemon.ask('POST', '/jobs', job)).body.job;
  const { run } = (await daemon.ask('POST', `/jobs/${id}/run`)).body;
  const path = `/jobs/${id}/runs/${run.id}/receipt`;
  await sink.waitFor(1);
  const words = new RegExp(`no receipt yet: run ${run.id} is still running`);
  assertRefused(await daemon.ask('GET', path), 409, words, 'a run in progress');
  sink.release();
  await until('the receipt', async () => (await daemon.ask('GET', path)).status === 200);
});

test('each state of a run without a receipt has its own message', async (t) => {
  const { store, addJob, workspaceId } = await openTestStore(t);
  const { id: jobId } = await addJob();
  const rows: [Partial<Insertable<RunRow>>, RegExp][] = [
    [{ status: 'queued', source: 'manual' }, /^there is no receipt yet: run .* is queued/],
    [{ status: 'running', started_at: 1 }, /^there is no receipt yet: run .* is still running/],
    [
      { status: 'interrupted', started_at: 1, finished_at: 2, reason: 'cut_off' },
      /^there is no receipt for run .*: it was interrupted$/,
    ],
    [
      { status: 'missed', reason: 'late', last_due_at: 1, missed_count: 1 },
      /^there is no receipt for run .*: it was missed$/,
    ],
    [
      { status: 'failed', started_at: 1, finished_at: 2, reason: 'dns' },
      /^there is no receipt for run .*: it has no HTTP answer$/,
    ],
  ];
  const app = quietApp({ store, clock: fakeClock(), isSigning: true });
  for (const [index, [fields, message]] of rows.entries()) {
    const id = newId(index);
    const row = {
      id,
      job_id: jobId,
      workspace_id: workspaceId,
      scheduled_for: index,
      source: 'scheduled' as const,
    };
    await store.db
      .insertInto('runs')
      .values({
        ...row,
        status: 'queued',
        ...fields,
      })
      .execute();
    const principal = writerIn(workspaceId);
    await assert.rejects(getReceipt(app, principal, jobId, id), { code: 'conflict', message });
  }
});

test('with --no-signing there are no receipts and no key', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { signing: false } });
  const sink = await startSink(t);
  const path = await runOnce(daemon, sink.url);
  assertRefused(await daemon.ask('GET', `${path}/receipt`), 409, /none was issued/, 'a run');
  const key = await daemon.ask('GET', '/receipts/key', undefined, null);
  assertRefused(key, 503, /signing is not configured/, 'the key');
  assert.deepEqual((await daemon.ask('GET', '/receipts/keys')).body, { keys: [] });
});

test('a receipt reveals nothing about the request', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const url = `${sink.url}/canary-path?token=canary-query`;
  const job = {
    name: 'canary-name',
    url,
    method: 'POST',
    headers: { Authorization: 'Bearer canary-header', 'X-Canary-Name': 'canary-value' },
    body: 'canary-body',
    notes: 'canary-notes',
    cronExpr: '0 0 1 1 *',
  };
  const { id } = (await daemon.ask('POST', '/jobs', job)).body.job;
  const { run } = (await daemon.ask('POST', `/jobs/${id}/run`)).body;
  const receipt = await until('the receipt', async () => {
    const answer = await daemon.ask('GET', `/jobs/${id}/runs/${run.id}/receipt`);
    return answer.status === 200 && JSON.stringify(answer.body);
  });
  assert.doesNotMatch(receipt, /canary/i);
  assert.equal(sink.received[0]?.headers.authorization, 'Bearer canary-header');
});
