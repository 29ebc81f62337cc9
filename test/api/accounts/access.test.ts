/** Which key may do what (docs/behavior.md#keys). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { defaultWorkspaceId, otherWorkspaceKey, revokedKey } from '../../support/records/keys.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const newJob = { name: 'made', url: 'http://127.0.0.1:1/' };

/** Every operation on an existing job and run; `ok` is its status for a key with permission. */
function operations(jobId: string, runId: string) {
  return [
    { operation: 'listJobs', method: 'GET', path: '/jobs', ok: 200, ofOne: false },
    { operation: 'createJob', method: 'POST', path: '/jobs', body: newJob, ok: 201, ofOne: false },
    { operation: 'getJob', method: 'GET', path: `/jobs/${jobId}`, ok: 200, ofOne: true },
    { operation: 'runJob', method: 'POST', path: `/jobs/${jobId}/run`, ok: 429, ofOne: true },
    { operation: 'listRuns', method: 'GET', path: `/jobs/${jobId}/runs`, ok: 200, ofOne: true },
    {
      operation: 'getRun',
      method: 'GET',
      path: `/jobs/${jobId}/runs/${runId}`,
      ok: 200,
      ofOne: true,
    },
  ];
}

/** A job that was just run by hand, so that a second manual run is 429 for keys with permission. */
async function ranJob({ ask }: TestDaemon, url: string): Promise<{ jobId: string; runId: string }> {
  const { job } = (await ask('POST', '/jobs', { name: 'ran', url })).body;
  const { run } = (await ask('POST', `/jobs/${job.id}/run`)).body;
  await until('the end of the run', async () => {
    return (await ask('GET', `/jobs/${job.id}/runs/${run.id}`)).body.run.status === 'success';
  });
  return { jobId: job.id, runId: run.id };
}

test('every operation needs a valid key, and write permission where it changes something', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask, key } = daemon;
  const sink = await startSink(t);
  const { jobId, runId } = await ranJob(daemon, sink.url);
  const keys = {
    'no key': null,
    'a malformed key': 'cp_123',
    'a key in upper case': `cp_${key.slice(3).toUpperCase()}X`,
    'an unknown key': `cp_${'0'.repeat(64)}`,
    'a revoked key': await revokedKey(daemon),
  };
  const otherKey = await otherWorkspaceKey(daemon);
  const readKey = await daemon.newKey('read');

  for (const { operation, method, path, body, ok, ofOne } of operations(jobId, runId)) {
    for (const [what, badKey] of Object.entries(keys)) {
      const refused = await ask(method, path, body, badKey);
      assertRefused(refused, 401, /valid key.*Authorization: Bearer/, `${operation}, ${what}`);
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer', operation);
    }
    const foreign = await ask(method, path, body, otherKey);
    if (ofOne) {
      assertRefused(foreign, 404, /there is no job with id/, `${operation}, another workspace`);
    } else {
      assert.equal(foreign.status, ok, `${operation} in its own workspace`);
    }
    const reading = await ask(method, path, body, readKey);
    if (method === 'GET') assert.equal(reading.status, ok, `${operation} with a read key`);
    else assertRefused(reading, 403, /may only read.*write/, `${operation} with a read key`);
    assert.equal((await ask(method, path, body)).status, ok, `${operation} with a write key`);
  }
  assert.equal(sink.received.length, 1, 'no refused request called the target');
});

test('the key is checked before anything else in a request', async (t) => {
  const { ask } = await startTestDaemon(t);
  const readOnly = await ask('POST', '/jobs', { nonsense: 1 }, null);
  assertRefused(readOnly, 401, /valid key/, 'an invalid body');
  const large = await ask('POST', '/jobs', 'x'.repeat(300_000), null);
  assertRefused(large, 401, /valid key/, 'a body that is too large');
});

test('the Bearer scheme is case-insensitive, other schemes are refused', async (t) => {
  const { url, key } = await startTestDaemon(t);
  const rows: [string, number][] = [
    [`Bearer ${key}`, 200],
    [`bearer ${key}`, 200],
    [`BEARER  ${key}`, 200],
    [key, 401],
    [`Basic ${key}`, 401],
    [`Bearer ${key} ${key}`, 401],
    [`Bearer${key}`, 401],
    ['Bearer', 401],
    ['', 401],
  ];
  for (const [authorization, status] of rows) {
    const { status: got } = await fetch(`${url}/api/v1/jobs`, { headers: { authorization } });
    assert.equal(got, status, authorization.replace(key, 'KEY'));
  }
  const inQuery = await fetch(`${url}/api/v1/jobs?key=${key}`);
  assert.equal(inQuery.status, 401);
});

test("workspaceId is optional and must match the key's workspace", async (t) => {
  const daemon = await startTestDaemon(t);
  const workspaceId = await defaultWorkspaceId(daemon);
  const own = await daemon.ask('POST', '/jobs', { ...newJob, workspaceId });
  assert.equal(own.status, 201);
  for (const foreign of ['01a1fc58-a505-7000-bebc-059153f75def', 'no-uuid', '']) {
    const refused = await daemon.ask('POST', '/jobs', { ...newJob, workspaceId: foreign });
    assertRefused(refused, 403, /workspaceId must be the key's own/, foreign);
  }
  assert.equal((await daemon.ask('GET', '/jobs')).body.jobs.length, 1, 'only the first is kept');
});

test('health checks need no key', async (t) => {
  const { url } = await startTestDaemon(t);
  const response = await fetch(`${url}/healthz`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { status: 'ok' });
});
