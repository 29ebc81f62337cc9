/** Chained jobs and results over HTTP: extensions that nobody sees who does not use them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { until } from '../../support/until.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import type { Job } from '../../../src/api/jobs/contract.ts';

const url = 'https://example.com/';
/** The fields of a job in the promised interface. */
const promised =
  'id name url method headerNames body scheduleType cronExpr timezone periodSeconds timeoutSeconds retries notes paused status nextRunAt lastRunAt lastDurationMs downReason createdAt';

test('a job that uses no extension has exactly the promised fields', async (t) => {
  const { ask } = await startTestDaemon(t);
  const input = { name: 'a', url, after: null, onResult: null };
  const made = (await ask('POST', '/jobs', input)).body as { job: Job };
  assert.deepEqual(Object.keys(made), ['job']);
  const path = `/jobs/${made.job.id}`;
  const got = (await ask('GET', path)).body as { job: Job };
  const changed = (await ask('PATCH', path, { notes: 'n' })).body as { job: Job };
  const list = (await ask('GET', '/jobs')).body as { jobs: Job[] };
  for (const job of [made.job, got.job, changed.job, ...list.jobs]) {
    assert.deepEqual(Object.keys(job).toSorted(), promised.split(' ').toSorted());
  }
});

test('what a job runs after and where its results go can be set, read, sent back and removed', async (t) => {
  const { ask } = await startTestDaemon(t);
  const first = ((await ask('POST', '/jobs', { name: 'a', url })).body as { job: Job }).job;
  const input = {
    name: 'b',
    url,
    after: { jobId: first.id.toUpperCase() },
    onResult: `${url}done`,
  };
  const answer = await ask('POST', '/jobs', input);
  const made = answer.body as { job: Job; onResultSecret?: string };
  assert.match(made.onResultSecret ?? '', /^whsec_/);
  const path = `/jobs/${made.job.id}`;
  const { job } = (await ask('GET', path)).body as { job: Job };
  assert.deepEqual(job.after, { jobId: first.id, on: 'success' });
  assert.deepEqual([job.onResult, job.nextRunAt], [`${url}done`, null]);
  assert.doesNotMatch(JSON.stringify(job), /whsec_/);
  const same = await ask('PATCH', path, job);
  assert.deepEqual(same.body, { job });
  const chain = (await ask('GET', `/jobs/${first.id}/chain`)).body;
  assert.deepEqual(chain, { after: null, followers: [{ id: job.id, name: 'b', on: 'success' }] });
  const callbacks = (await ask('GET', `${path}/callbacks`)).body;
  assert.deepEqual(callbacks, { deliveries: [], nextCursor: null });
  const explained = JSON.stringify((await ask('GET', `${path}/explanation`)).body);
  assert.match(explained, /It has no due times: it runs after a succeeds\./);
  assert.doesNotMatch(explained, /The schedule is/);
  const circle = await ask('PATCH', `/jobs/${first.id}`, { after: { jobId: job.id } });
  assert.deepEqual(
    [circle.status, circle.body],
    [400, { error: 'after must not close a circle: a, then b, then a' }],
  );
  const followed = await ask('DELETE', `/jobs/${first.id}`);
  assert.deepEqual(
    [followed.status, followed.body],
    [
      409,
      {
        error:
          "b runs after this job: delete it first or together with it, or end that with after: null (jobd jobs update 'b' --no-after)",
      },
    ],
  );
  const free = (await ask('PATCH', path, { after: null, onResult: null })).body as { job: Job };
  assert.deepEqual(Object.keys(free.job).toSorted(), promised.split(' ').toSorted());
  assert.equal((await ask('DELETE', `/jobs/${first.id}`)).status, 200);
});

test('a chain is deleted together, in whatever order it is named, and stays whole if one of it stays', async (t) => {
  const { ask } = await startTestDaemon(t);
  const sink = await startHeldSink(t);
  const make = async (name: string, after?: string): Promise<string> => {
    const input = { name, url: sink.url, ...(after !== undefined && { after: { jobId: after } }) };
    return ((await ask('POST', '/jobs', input)).body as { job: Job }).job.id;
  };
  const remove = async (ids: readonly string[]): Promise<(string | null)[]> => {
    const { body } = await ask('POST', '/jobs/actions', { action: 'delete', ids });
    const { results } = body as { results: { id: string; error: string | null }[] };
    assert.deepEqual(each(results, 'id'), ids);
    return results.map(({ error }) => error);
  };
  const first = await make('first');
  const second = await make('second', first);
  const third = await make('third', second);
  await ask('POST', `/jobs/${third}/run`);
  await sink.waitFor(1);
  const [one, two, three] = await remove([first, second, third]);
  assert.match(one ?? '', /^second runs after this job/);
  assert.match(two ?? '', /^third runs after this job/);
  assert.match(three ?? '', /is executing/);
  sink.release();
  await until('the end of the run', async () => {
    const { job } = (await ask('GET', `/jobs/${third}`)).body as { job: Job };
    return job.status !== 'running';
  });
  assert.deepEqual(await remove([first, third, second]), [null, null, null]);
});

test('what is wrong with them is said in a sentence', async (t) => {
  const { ask } = await startTestDaemon(t);
  const refusals: [object, RegExp][] = [
    [{ after: { jobId: 'x' } }, /after/],
    [{ after: { jobId: '0199c6f4-0000-7000-8000-00000000abcd', on: 'never' } }, /after/],
    [{ onResult: 'ftp://example.com/' }, /^onResult must/],
    [{ onResult: 'http://10.0.0.1/' }, /^onResult /],
    [{ onResultSecret: `whsec_${'A'.repeat(43)}=` }, /^onResultSecret needs onResult/],
    [{ onResult: url, onResultSecret: 'secret' }, /^onResultSecret must be whsec_/],
  ];
  for (const [fields, words] of refusals) {
    const { status, body } = await ask('POST', '/jobs', { name: 'a', url, ...fields });
    assert.equal(status, 400, JSON.stringify(fields));
    assert.match((body as { error: string }).error, words);
  }
});
