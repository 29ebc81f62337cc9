/**
 * Expired trials and subscriptions: what is refused and what still works (docs/behavior.md#plan-2).
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { App } from '../../../src/app/app.ts';
import { createJob } from '../../../src/app/jobs/jobs.ts';
import { createMonitor } from '../../../src/app/monitors/monitors.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { addAccount, type TestAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { quietApp } from '../../support/running/app.ts';
import { writerIn } from '../../support/records/principal.ts';
import { type FakeClock } from '../../support/fakes/clock.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { apiOperations } from '../../support/operations.ts';
import { until } from '../../support/until.ts';

const day = 86_400_000;
const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };

/** Everything that runs or edits: refused with 402 and this message, or allowed. */
async function assertEditing(
  { ask }: TestAccount,
  clock: FakeClock,
  jobId: string,
  refusal: RegExp | null,
): Promise<void> {
  clock.advance(60_000);
  const asks: [status: number, method: string, path: string, body?: object][] = [
    [201, 'POST', '/jobs', { ...job, paused: true }],
    [202, 'POST', `/jobs/${jobId}/run`],
    [200, 'PATCH', `/jobs/${jobId}`, { name: 'b' }],
    [200, 'PATCH', `/jobs/${jobId}`, { action: 'pause' }],
    [200, 'PATCH', `/jobs/${jobId}`, { action: 'resume' }],
    [200, 'PATCH', `/jobs/${jobId}`, {}],
  ];
  for (const [status, method, path, body] of asks) {
    const answer = await ask(method, path, body);
    const what = `${method} ${path} ${JSON.stringify(body)}`;
    if (refusal !== null) assertRefused(answer, 402, refusal, what);
    else assert.equal(answer.status, status, `${what}: ${answer.body.error}`);
  }
}

/** A job with one answered run. */
async function ranJob(
  t: TestContext,
  { ask }: TestAccount,
): Promise<{ jobId: string; runId: string }> {
  const { url } = await startSink(t);
  const made = await ask('POST', '/jobs', { ...job, url });
  const jobId: string = made.body.job.id;
  const { run } = (await ask('POST', `/jobs/${jobId}/run`)).body;
  await until('the end of the run', async () => {
    return (await ask('GET', `/jobs/${jobId}/runs/${run.id}`)).body.run.status === 'success';
  });
  return { jobId, runId: run.id };
}

test('a trial lasts 14 days with the limits of its plan; then running and editing are 402', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  const { ask } = account;
  const { jobId } = await ranJob(t, account);
  const endsAt = clock.now() + 14 * day;
  const me = (await ask('GET', '/me')).body;
  assert.deepEqual([me.plan.name, me.trialEndsAt], ['pro', new Date(endsAt).toISOString()]);
  assertRefused(await ask('PATCH', `/jobs/${jobId}`, { timeoutSeconds: 31 }), 403, /pro/, 'limit');

  clock.set(endsAt - 60_001);
  await assertEditing(account, clock, jobId, null);
  clock.set(endsAt - 60_000);
  await assertEditing(account, clock, jobId, /the trial ended at 2026-03-16T10:00:00\.000Z/);
  assert.equal(
    (await ask('GET', '/me')).body.trialEndsAt,
    me.trialEndsAt,
    'it still shows the end',
  );
});

for (const [what, end, words] of [
  ['a trial that is ended', (a: TestAccount, now: number) => a.setTrial(now), /the trial ended/],
  [
    'a subscription that has passed',
    (a: TestAccount, now: number) => a.subscribe(now - day),
    /the subscription ended/,
  ],
  ['a cancelled account', (a: TestAccount) => a.cancel(), /the subscription ended/],
] as const) {
  test(`${what}: reading and deleting still work, and a renewal allows everything again`, async (t) => {
    const { daemon, clock } = await startClockedDaemon(t);
    const account = await addAccount(daemon, clock, 'business');
    const { ask } = account;
    const { jobId, runId } = await ranJob(t, account);
    const doomed = (await ask('POST', '/jobs', job)).body.job;
    const before = (await ask('GET', `/jobs/${jobId}`)).body.job;
    assert.notEqual(before.nextRunAt, null);
    await end(account, clock.now());
    await assertEditing(account, clock, jobId, words);
    const { expiresAt } = (await ask('GET', '/me')).body;
    assert.ok(Date.parse(expiresAt) <= clock.now(), 'it says so');

    const stopped = { ...before, nextRunAt: null };
    assert.deepEqual((await ask('GET', `/jobs/${jobId}`)).body.job, stopped);
    const { jobs } = (await ask('GET', '/jobs')).body;
    assert.deepEqual(jobs[1], stopped);
    assert.equal((await ask('GET', `/jobs/${jobId}/runs`)).body.runs.length, 1);
    assert.equal((await ask('GET', `/jobs/${jobId}/runs/${runId}`)).body.run.id, runId);
    assert.equal((await ask('GET', `/jobs/${jobId}/runs/${runId}/receipt`)).status, 200);
    assert.equal((await ask('GET', '/me')).body.usage.jobs, 2);
    const preview = await ask('POST', '/schedule/preview', {});
    assert.equal(preview.status, 200);
    assert.equal((await ask('DELETE', `/jobs/${doomed.id}`)).status, 200);

    await account.subscribe(clock.now() + 30 * day);
    assert.equal((await ask('GET', '/me')).body.trialEndsAt, null);
    await until('the due time', async () => {
      const { nextRunAt } = (await ask('GET', `/jobs/${jobId}`)).body.job;
      return nextRunAt === before.nextRunAt;
    });
    await assertEditing(account, clock, jobId, null);
    clock.advance(30 * day);
    await assertEditing(account, clock, jobId, /the subscription ended/);
  });
}

test('an Idempotency-Key used before the end still returns its run, without running again', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro');
  const { body } = await account.ask('POST', '/jobs', job);
  const run = async (key: string) => {
    const response = await fetch(`${daemon.url}/api/v1/jobs/${body.job.id}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'idempotency-key': key },
    });
    return { status: response.status, body: (await response.json()) as { run: { id: string } } };
  };
  const first = await run('once');
  await account.cancel();
  const again = await run('once');
  assert.deepEqual([again.status, again.body.run.id], [202, first.body.run.id]);
  assert.equal((await run('twice')).status, 402);
});

test('a job whose creation is in progress when the account expires is not created', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { workspaceId, setTrial, ask } = await addAccount(daemon, clock, 'pro');
  const endsAt = clock.now() + day;
  await setTrial(endsAt);
  await using local = await openTestLocal(daemon.dataDir, clock);
  const principal = writerIn(workspaceId);
  const input = { ...job, url: 'https://example.com/' };
  const makings = [
    (app: App) => createJob(app, principal, input),
    (app: App) => createMonitor(app, principal, { name: 'a' }),
  ];
  for (const make of makings) {
    let reads = 0;
    const passing = { ...clock, now: () => endsAt - 1 + reads++ };
    const making = make(quietApp({ store: local.store, clock: passing }));
    await assert.rejects(making, { code: 'payment_required', message: /^the trial ended at/ });
  }
  const { jobs, monitors } = (await ask('GET', '/me')).body.usage;
  assert.deepEqual([jobs, monitors], [0, 0]);
});

test('an expired account does not affect other accounts', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro');
  const other = await addAccount(daemon, clock, 'pro');
  const { body } = await account.ask('POST', '/jobs', job);
  await account.cancel();
  const path = `/jobs/${body.job.id}`;
  assertRefused(await account.ask('PATCH', path, { name: 'b' }), 402, /subscription/, 'own');
  assertRefused(await other.ask('PATCH', path, { name: 'b' }), 404, /no job/, 'foreign');
  assert.equal((await other.ask('POST', '/jobs', job)).status, 201, 'no other account is affected');
});

/** What changes something and is not refused after the end, and why. test/api/error-examples.test.ts tries those that are. */
const allowedAfterTheEnd: Readonly<Record<string, string>> = {
  deleteJob: 'it takes away',
  deleteMonitor: 'it takes away',
  deleteChannel: 'it takes away',
  deleteWindow: 'it takes away',
  deleteBadge: 'it takes away',
  endWindow: 'it takes away what is left of a period',
  reportRun: 'a call that is under way ends normally',
  applyDefinitions: 'it may delete, and says 402 of each definition that it refuses',
  previewSchedule: 'it changes nothing',
  readCommand: 'it changes nothing',
  createKey: 'who may read needs a key',
  revokeKey: 'it takes away',
  signIn: 'who may read may sign in',
  signOut: 'it takes away',
  moveSession: 'who may read may look at another workspace',
  endSession: 'it takes away',
};

test('what changes something is refused after the end, or there is a reason', async () => {
  const changing = (await apiOperations()).filter(({ method }) => method !== 'GET');
  const allowed = changing.filter(({ isRefusedUnpaid }) => !isRefusedUnpaid);
  const names = allowed.map(({ name }) => name).toSorted();
  assert.deepEqual(names, Object.keys(allowedAfterTheEnd).toSorted());
});
