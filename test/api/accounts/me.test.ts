/** GET /me: what a key can read about itself, an extension (docs/behavior.md#plans). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../../../src/domain/accounts/plan.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const noKey = `cp_${'0'.repeat(64)}`;

/** The documented plan limits, written out here so that a mistake in the plan table fails. */
const promised = [
  ['free', 10, 300, 10, 1_000, 7],
  ['pro', 100, 60, 30, 10_000, 90],
  ['business', 1_000, 60, 60, 100_000, 365],
  ['self-hosted', null, 60, 60, 1_000_000, 365],
] as const;

test('a key can read its workspace, its permission, and the plan and usage of its account', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const names = promised.map(([name]) => name);
  assert.deepEqual(Object.keys(plans), names);
  for (const [name, jobs, minIntervalSeconds, maxTimeoutSeconds, results, days] of promised) {
    const account = await addAccount(daemon, clock, name);
    const me = await account.ask('GET', '/me');
    assert.equal(me.status, 200);
    assert.deepEqual(me.body, {
      workspace: { id: account.workspaceId, name: account.name },
      permission: 'write',
      plan: { name, jobs, minIntervalSeconds, maxTimeoutSeconds, results, retentionDays: days },
      usage: { jobs: 0, monitors: 0, results: 0 },
      expiresAt: null,
      trialEndsAt: null,
    });
  }
});

test('the first key belongs to the default workspace, whose account is self-hosted; read permission is enough', async (t) => {
  const { ask, newKey } = await startTestDaemon(t);
  const { body } = await ask('GET', '/me', undefined, await newKey('read'));
  assert.deepEqual(
    [body.workspace.name, body.permission, body.plan.name],
    ['default', 'read', 'self-hosted'],
  );
  assertRefused(await ask('GET', '/me', undefined, null), 401, /a valid key/, 'no key');
  assertRefused(await ask('GET', '/me', undefined, noKey), 401, /a valid key/, 'unknown key');
  assertRefused(await ask('POST', '/me', {}), 404, /POST/, 'another method');
});

test('usage counts jobs, paused ones included, and results of all workspaces of the account', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const account = await addAccount(daemon, clock, 'pro', 14);
  const second = await account.addWorkspace();
  const stranger = await addAccount(daemon, clock, 'pro');
  const input = { name: 'a', url: sink.url, cronExpr: '0 0 1 1 *' };
  const make = async (key: string, more: object = {}): Promise<string> => {
    const { body } = await daemon.ask('POST', '/jobs', { ...input, ...more }, key);
    return body.job.id;
  };
  const kept = await make(account.key);
  await make(account.key, { paused: true });
  const doomed = await make(second);
  await make(stranger.key);
  for (const [jobId, key] of [
    [kept, account.key],
    [doomed, second],
  ] as const) {
    await daemon.ask('POST', `/jobs/${jobId}/run`, undefined, key);
  }
  await until('both results', async () => {
    return (await account.ask('GET', '/me')).body.usage.results === 2;
  });
  const own = (await account.ask('GET', '/me')).body;
  assert.deepEqual(own.usage, { jobs: 3, monitors: 0, results: 2 });
  const theirs = (await daemon.ask('GET', '/me', undefined, second)).body;
  assert.deepEqual([theirs.usage, theirs.plan], [own.usage, own.plan]);
  assert.equal(theirs.trialEndsAt, new Date(clock.now() + 14 * 86_400_000).toISOString());
  assert.notEqual(theirs.workspace.id, own.workspace.id);
  const { usage } = (await stranger.ask('GET', '/me')).body;
  assert.deepEqual(usage, { jobs: 1, monitors: 0, results: 0 });

  assert.equal((await daemon.ask('DELETE', `/jobs/${doomed}`, undefined, second)).status, 200);
  const after = (await account.ask('GET', '/me')).body.usage;
  assert.deepEqual(after, { jobs: 2, monitors: 0, results: 1 });
});

test('the usage of an account with over 1,000 jobs is counted once a minute', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'self-hosted');
  const jobsNow = async (): Promise<number> =>
    (await daemon.ask('GET', '/me', undefined, account.key)).body.usage.jobs;
  await account.fill(1_000);
  assert.equal(await jobsNow(), 1_000);
  await account.fill(1);
  assert.equal(await jobsNow(), 1_001, 'small counts are immediate');
  await account.fill(1);
  clock.pass(30_000);
  assert.equal(await jobsNow(), 1_001);
  clock.pass(30_001);
  assert.equal(await jobsNow(), 1_002);
});
