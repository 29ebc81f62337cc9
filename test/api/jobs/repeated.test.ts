/** Requests that are repeated with their Idempotency-Key: what they make is made once, whatever it is. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { rememberedMs } from '../../../src/domain/repeatable.ts';
import { openLog } from '../../../src/base/log.ts';
import { createPrunings } from '../../../src/engine/upkeep/prunings.ts';
import { keepMadeOnce, forgetOldest } from '../../../src/store/accounts/made-once.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { newCode, signIn } from '../../support/running/browser.ts';
import { startClockedDaemon, readAnswer, type Answer } from '../../support/running/daemon.ts';
import { bearer, send } from '../../support/running/send.ts';
import { openTestStore } from '../../support/running/store.ts';
import { apiOperations, unknownId } from '../../support/operations.ts';
import { until } from '../../support/until.ts';

const url = 'http://127.0.0.1:1/';
const channel = { name: 'a', type: 'webhook', config: { url } };

interface Made {
  id: string;
}

/** What makes secrets that are never shown again: keys of the API, and addresses of badges. */
const shownOnce = ['createKey', 'createBadge'];

/** All others that take the header. */
async function repeatableOperations() {
  const all = (await apiOperations()).filter(({ isRepeatable }) => isRepeatable);
  const others = all.filter(({ name }) => !shownOnce.includes(name));
  assert.equal(others.length, all.length - shownOnce.length);
  return others.map(({ body, ...rest }) => ({
    ...rest,
    body: typeof body === 'object' ? body : null,
  }));
}

async function setup(t: TestContext) {
  const { daemon, clock } = await startClockedDaemon(t);
  const post = async (path: string, body: object | null, key: string): Promise<Answer> => {
    const headers = { ...bearer(daemon.key), 'idempotency-key': key };
    const at = `${daemon.url}/api/v1${path}`;
    return await readAnswer('POST', await send(at, 'POST', body ?? undefined, headers));
  };
  return { clock, daemon, post, ask: daemon.ask };
}

describe('a repeated request', () => {
  test('makes nothing more, and is answered as the first one', async (t) => {
    const { clock, ask, post } = await setup(t);
    const every = { name: 'original', url, scheduleType: 'period', periodSeconds: 3_600 };
    const { id } = (await ask('POST', '/jobs', every)).body.job;
    clock.advanceBoth(3_600_000);
    const [run] = await until('a failed run', async () => {
      const { runs } = (await ask('GET', `/jobs/${id}/runs`)).body;
      return runs[0]?.status === 'failed' && runs;
    });
    for (const { name, path, body, success } of await repeatableOperations()) {
      const target = path.replace('{id}', id).replace('{runId}', run.id);
      clock.advanceBoth(60_000);
      const first = await post(target, body, name);
      assert.equal(first.status, success, first.body.error);
      const place = first.headers.get('location') ?? assert.fail(name);
      const [, list = '', items = '', ownId] = /\/api\/v1(.*\/(\w+))\/([^/]+)$/.exec(place) ?? [];
      const made = async () => (await ask('GET', list)).body[items].map((one: Made) => one.id);
      const before = await made();
      assert.ok(before.includes(ownId), name);
      const again = await Promise.all([post(target, body, name), post(target, body, name)]);
      for (const answer of again) {
        assert.deepEqual([answer.status, answer.headers.get('location')], [success, place], name);
        // A run goes on meanwhile.
        if (success === 201) assert.deepEqual(answer.body, first.body, name);
      }
      assert.deepEqual(await made(), before, name);
    }
  });

  test('shows a secret that was made again, and no other one', async (t) => {
    const { ask, post } = await setup(t);
    const job = { name: 'a', url, onResult: url };
    const { body: made } = await post('/jobs', job, 'j');
    assert.match(made.onResultSecret, /^whsec_/);
    const onResultSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    await ask('PATCH', `/jobs/${made.job.id}`, { onResultSecret });
    assert.equal((await post('/jobs', job, 'j')).body.onResultSecret, undefined);
    const { body: webhook } = await post('/channels', channel, 'c');
    assert.match(webhook.secret, /^whsec_/);
    const config = { url, secret: onResultSecret };
    await ask('PATCH', `/channels/${webhook.channel.id}`, { config });
    assert.equal((await post('/channels', channel, 'c')).body.secret, undefined);
  });

  test('is refused with the same key if it is another one, and if what was made is gone', async (t) => {
    const { ask, post } = await setup(t);
    const { body } = await post('/jobs', { name: 'a', url }, 'k');
    const other = /^this Idempotency-Key was used at .* for another request: use a new one/;
    assertRefused(await post('/jobs', { name: 'b', url }, 'k'), 409, other, 'another body');
    assertRefused(await post('/monitors', { name: 'a' }, 'k'), 409, other, 'another path');
    await ask('DELETE', `/jobs/${body.job.id}`);
    const gone = /^what this Idempotency-Key made at .* was deleted since: use a new one/;
    assertRefused(await post('/jobs', { name: 'a', url }, 'k'), 409, gone, 'deleted');
    assert.deepEqual((await ask('GET', '/jobs')).body.jobs, []);
  });

  test('makes it again after a day, and if the first one was refused', async (t) => {
    const { clock, ask, post } = await setup(t);
    const wrong = await post('/jobs', { name: 'a', url, after: { jobId: url } }, 'k');
    assert.equal(wrong.status, 400);
    const first = await post('/jobs', { name: 'a', url }, 'k');
    clock.advanceBoth(rememberedMs + 1);
    const second = await post('/jobs', { name: 'a', url }, 'k');
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal((await ask('GET', '/jobs')).body.jobs.length, 2);
  });

  test('does not show a key for the second time, and says which one it made', async (t) => {
    const { daemon, clock } = await setup(t);
    const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
    const body = { name: 'k', permission: 'write' };
    const make = () => owner.ask('POST', '/keys', body, { 'idempotency-key': 'k' });
    const { key } = (await make()).body;
    const again = await make();
    assertRefused(
      again,
      409,
      new RegExp(`^this request has made key ${key.id}, .*revoke it`),
      'again',
    );
    assert.equal((await owner.ask('GET', '/keys')).body.keys.length, 2);
  });

  test('needs a key of 1 to 128 characters', async (t) => {
    const { post } = await setup(t);
    for (const { name, path, body } of await repeatableOperations()) {
      const target = path.replace(/\{\w+\}/g, unknownId);
      const answer = await post(target, body, 'k'.repeat(129));
      assertRefused(answer, 400, /^Idempotency-Key must be at most 128 characters, got 129/, name);
    }
  });
});

describe('remembered keys', () => {
  test('are the newest of each workspace, and are pruned after a day', async (t) => {
    const { store, workspaceId } = await openTestStore(t);
    const clock = fakeClock();
    const count = async (): Promise<number> =>
      (await store.db.selectFrom('made_once').selectAll().execute()).length;
    for (let number = 0; number < 5; number += 1) {
      const own = { workspace_id: workspaceId, key_sha256: `${number}`, request_mac: '' };
      await keepMadeOnce(store.db, { ...own, subject_id: '', made_at: clock.now() + number });
    }
    await forgetOldest(store.db, workspaceId, 3);
    assert.equal(await count(), 3);
    const space = { causes: () => [], isExhausted: () => false };
    const prunings = createPrunings({ store, clock, log: openLog('silent') }, space as never);
    const pruning = prunings.find(({ name }) => name === 'idempotencyKeys') ?? assert.fail();
    assert.equal(await pruning.step(), null);
    clock.advanceBoth(rememberedMs + 4);
    await pruning.step();
    assert.equal(await count(), 1);
  });
});
