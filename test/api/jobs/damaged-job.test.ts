/**
 * A damaged sealed value is reported by name, can be replaced through the API, and does not affect
 * other jobs.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const damaged = `v1.${'0'.repeat(16)}.canary`;
const reason =
  'protocol: nothing is sent: the headers and the body cannot be opened, set both again';

test('a damaged job reports its error, can be paused, replaced or deleted, and does not affect others', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const job = { name: 'a', url: 'http://127.0.0.1:1/', method: 'POST', body: 'canary' };
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push((await ask('POST', '/jobs', job)).body.job.id);
  const [sound = '', repaired = '', deleted = ''] = ids;
  await using local = await openTestLocal(daemon.dataDir);
  const sealedOf = async (id: string): Promise<string | null> => {
    const asked = local.store.db.selectFrom('jobs').select('sealed').where('id', '=', id);
    return (await asked.executeTakeFirstOrThrow()).sealed;
  };
  for (const id of [repaired, deleted]) {
    const set = { sealed: damaged };
    await local.store.db.updateTable('jobs').set(set).where('id', '=', id).execute();
  }
  const { jobs } = (await ask('GET', '/jobs')).body;
  assert.deepEqual(
    jobs.map((shown: Record<string, unknown>) => [
      shown['id'],
      shown['status'],
      shown['body'],
      shown['headerNames'],
      shown['downReason'],
    ]),
    [
      [deleted, 'down', null, [], reason],
      [repaired, 'down', null, [], reason],
      [sound, 'new', 'canary', [], null],
    ],
  );
  const path = `/jobs/${repaired}`;
  assert.deepEqual((await ask('GET', path)).body.job, jobs[1]);
  assert.equal((await ask('GET', `${path}/runs`)).status, 200);

  const paused = await ask('PATCH', path, { action: 'pause' });
  assert.deepEqual([paused.status, paused.body.job.status], [200, 'paused']);
  const noted = await ask('PATCH', path, { notes: 'x', action: 'resume' });
  assert.deepEqual([noted.status, noted.body.job.downReason], [200, reason]);
  assert.equal(await sealedOf(repaired), damaged, 'the sealed value is unchanged');

  const words = `the sealed value of jobs/${repaired} cannot be opened: the master key 0{16} is missing`;
  const whole = new RegExp(`^${words}: set headers and body again, both in one update$`);
  // Elsewhere what is sealed must not be sent, should its key be found again.
  const url = 'https://example.com/';
  for (const part of [{ body: 'x' }, { headers: {} }, { method: 'GET' }, { url }]) {
    assertRefused(await ask('PATCH', path, part), 503, whole, JSON.stringify(part));
  }
  const { run } = (await ask('POST', `${path}/run`)).body;
  const ended = await until('the run to fail with its message', async () => {
    const shown = (await ask('GET', `${path}/runs/${run.id}`)).body.run;
    return shown.status === 'failed' && shown;
  });
  assert.equal(ended.error, reason);

  const replaced = await ask('PATCH', path, { headers: { 'X-A': 'b' }, body: 'new' });
  assert.deepEqual(
    [replaced.status, replaced.body.job.body, replaced.body.job.headerNames],
    [200, 'new', ['X-A']],
  );
  assert.equal((await ask('DELETE', `/jobs/${deleted}`)).status, 200);
  assert.equal((await ask('GET', '/jobs')).body.jobs.length, 2);
});

test('a sealed value is only sent to the host set through the API, even if the database was edited', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const [good, evil] = [await startSink(t), await startSink(t)];
  const job = { name: 'a', url: `${good.url}/a`, method: 'POST', body: 'canary' };
  const { id } = (await ask('POST', '/jobs', job)).body.job;
  const path = `/jobs/${id}`;
  await using local = await openTestLocal(dataDir);
  const { db } = local.store;
  const ended = async (): Promise<{ status: string; error: string | null }> => {
    // A job can be run by hand once a minute.
    await db.deleteFrom('runs').where('job_id', '=', id).execute();
    const { run } = (await ask('POST', `${path}/run`)).body;
    return await until('the run to end', async () => {
      const shown = (await ask('GET', `${path}/runs/${run.id}`)).body.run;
      return shown.finishedAt !== null && shown;
    });
  };
  const { host } = new URL(evil.url);
  await db
    .updateTable('jobs')
    .set({ url: `${evil.url}/a`, host })
    .where('id', '=', id)
    .execute();
  assert.equal((await ended()).error, reason);
  assert.deepEqual(evil.received, []);
  assert.equal((await ask('GET', path)).body.job.downReason, reason);

  await db.updateTable('jobs').set({ url: job.url }).where('id', '=', id).execute();
  assert.equal((await ended()).status, 'success', 'the row is as it was');

  // A key with write permission can move it, with its body, through the API.
  for (const [url, sink] of [
    [`${good.url}/b`, good],
    [`${evil.url}/c`, evil],
  ] as const) {
    assert.equal((await ask('PATCH', path, { url })).status, 200);
    assert.equal((await ended()).status, 'success');
    assert.equal(sink.received.at(-1)?.body, 'canary');
  }
});

test('a damaged channel reports its error on delivery, and can be read, replaced and deleted', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const sink = await startSink(t);
  const ids: string[] = [];
  for (const name of ['repaired', 'deleted', 'sound']) {
    const made = await ask('POST', '/channels', {
      name,
      type: 'webhook',
      config: { url: sink.url },
    });
    ids.push(made.body.channel.id);
  }
  const [repaired = '', deleted = '', sound = ''] = ids;
  await using local = await openTestLocal(daemon.dataDir);
  await local.store.db
    .updateTable('channels')
    .set({ sealed: damaged })
    .where('id', '<>', sound)
    .execute();
  for (const id of ids) assert.equal((await ask('POST', `/channels/${id}/test`)).status, 202);
  await until('the sound one', () => sink.received.length === 1);
  const shown = await until('the reason', async () => {
    const { channel } = (await ask('GET', `/channels/${repaired}`)).body;
    return channel.lastDelivery.lastError && channel;
  });
  const words = `the sealed value of channels/${repaired} cannot be opened: the master key 0{16} is missing`;
  assert.match(
    shown.lastDelivery.lastError,
    new RegExp(`^jobd: ${words}: set its whole config again$`),
  );
  assert.equal((await ask('GET', '/channels')).body.channels.length, 3);
  const path = `/channels/${repaired}`;
  assert.equal((await ask('PATCH', path, { name: 'other', enabled: false })).status, 200);
  const url = sink.url;
  const part = await ask('PATCH', path, { config: { url } });
  assertRefused(part, 503, new RegExp(`^${words}: set its whole config again$`), 'a part');
  const secret = `whsec_${'A'.repeat(32)}`;
  assert.equal((await ask('PATCH', path, { config: { url, secret } })).status, 200);
  assert.equal((await ask('PATCH', path, { config: { url } })).status, 200, 'it is sound again');
  assert.equal((await ask('DELETE', `/channels/${deleted}`)).status, 200);
});
