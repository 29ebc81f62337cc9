/** A manual run, from the request to its stored result. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import { version } from '../../../src/version.ts';
import { startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const jobFields = [
  ['id', 'name', 'url', 'method', 'headerNames', 'body', 'scheduleType', 'cronExpr'],
  ['timezone', 'periodSeconds', 'timeoutSeconds', 'retries', 'notes', 'paused', 'status'],
  ['nextRunAt', 'lastRunAt', 'lastDurationMs', 'downReason', 'createdAt'],
]
  .flat()
  .toSorted();

const runFields = [
  ['id', 'jobId', 'source', 'status', 'scheduledFor', 'startedAt', 'finishedAt', 'attempts'],
  ['httpStatus', 'durationMs', 'responseBody', 'truncated', 'error'],
]
  .flat()
  .toSorted();

/** Creates a job, runs it, and reads both when the run has ended. */
async function runNew(
  { ask }: TestDaemon,
  input: object,
): Promise<{ job: Job; run: Run; answers: string }> {
  const created = await ask('POST', '/jobs', { name: 'a', ...input });
  assert.equal(created.status, 201, created.body.error);
  const path = `/jobs/${created.body.job.id}`;
  const queued = await ask('POST', `${path}/run`);
  assert.equal(queued.status, 202, queued.body.error);
  const readEnded = async () => {
    const answer = await ask('GET', `${path}/runs/${queued.body.run.id}`);
    return ['queued', 'running'].includes(answer.body.run.status) ? null : answer;
  };
  const ended = await until('the end of the run', readEnded);
  const read = await ask('GET', path);
  const lists = [await ask('GET', '/jobs'), await ask('GET', `${path}/runs`)];
  const answers = [created, queued, ended, read, ...lists].map(({ body }) => body);
  return { job: read.body.job, run: ended.body.run, answers: JSON.stringify(answers) };
}

test('the target receives the job as written, and its answer can be read', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response) => response.writeHead(201).end('créé'));
  const { job, run } = await runNew(daemon, {
    url: `${sink.url}/do/it?now=1`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Token': 'abc' },
    body: '{"ü":1}',
  });
  assert.equal(sink.received.length, 1);
  const [{ method, path, headers, body }] = sink.received as [(typeof sink.received)[0]];
  assert.equal(`${method} ${path}`, 'POST /do/it?now=1');
  assert.equal(body, '{"ü":1}');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['content-length'], '8');
  assert.equal(headers['x-token'], 'abc');
  assert.equal(headers['x-service-run-id'], run.id);
  assert.equal(headers['user-agent'], `jobd/${version}`);
  assert.equal(headers.host, new URL(sink.url).host);

  const { startedAt, finishedAt, durationMs, scheduledFor, ...rest } = run;
  assert.deepEqual(rest, {
    id: run.id,
    jobId: job.id,
    source: 'manual',
    status: 'success',
    attempts: 1,
    httpStatus: 201,
    responseBody: 'créé',
    truncated: false,
    error: null,
  });
  assert.ok(startedAt !== null && finishedAt !== null && startedAt >= scheduledFor);
  assert.equal(durationMs, Date.parse(finishedAt) - Date.parse(startedAt));
  assert.equal(job.status, 'up');
  assert.equal(job.downReason, null);
  assert.equal(job.lastRunAt, startedAt);
  assert.equal(job.lastDurationMs, durationMs);
});

test('a body without a content type is sent as text/plain, a User-Agent may be set', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  await runNew(daemon, {
    url: sink.url,
    method: 'PUT',
    body: 'x',
    headers: { 'user-agent': 'mine/1' },
  });
  assert.equal(sink.received[0]?.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(sink.received[0]?.headers['user-agent'], 'mine/1');
});

test('jobs and runs have exactly the documented fields', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const { job, run } = await runNew(daemon, { url: sink.url, headers: { 'X-A': 'b' } });
  assert.deepEqual(Object.keys(job).toSorted(), jobFields);
  assert.deepEqual(Object.keys(run).toSorted(), runFields);
  const jobs = (await daemon.ask('GET', '/jobs')).body;
  assert.deepEqual(jobs, { jobs: [job], nextCursor: null });
  const runs = (await daemon.ask('GET', `/jobs/${job.id}/runs`)).body;
  const totals = { queued: 0, running: 0, success: 1, failed: 0, interrupted: 0, missed: 0 };
  assert.deepEqual(runs, { runs: [run], nextCursor: null, totals });
});

test('no response contains the value of a header, even if the run fails', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response) => response.writeHead(401).end());
  const secret = 'hunter2';
  const { job, answers } = await runNew(daemon, {
    url: sink.url,
    headers: { Authorization: `Bearer ${secret}`, 'X-Other': secret },
  });
  assert.equal(sink.received[0]?.headers.authorization, `Bearer ${secret}`, 'it was sent');
  assert.deepEqual(job.headerNames, ['Authorization', 'X-Other']);
  assert.doesNotMatch(answers, new RegExp(secret));
});

test('a preview holds 4096 bytes and marks truncation', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response) => response.end('b'.repeat(5_000)));
  const { run } = await runNew(daemon, { url: sink.url });
  assert.equal(run.status, 'success');
  assert.equal(run.responseBody, 'b'.repeat(4_096));
  assert.equal(run.truncated, true);
});

test('an answer other than 2xx fails the run, and the job is down with that reason', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(Number(path.slice(1)), { location: '/elsewhere' }).end('why');
  });
  for (const [status, error] of [
    [500, /^http: 500$/],
    [404, /^http: 404$/],
    [302, /^redirect: 302 to another path of the same host/],
  ] as const) {
    const { job, run } = await runNew(daemon, { url: `${sink.url}/${status}` });
    assert.equal(run.status, 'failed');
    assert.equal(run.httpStatus, status);
    assert.equal(run.responseBody, 'why');
    assert.equal(run.attempts, 1);
    assert.match(run.error ?? '', error);
    assert.equal(job.status, 'down');
    assert.equal(job.downReason, run.error);
  }
});

test('an unreachable target fails the run without an HTTP status', async (t) => {
  const daemon = await startTestDaemon(t);
  const { job, run } = await runNew(daemon, { url: 'http://127.0.0.1:1/' });
  assert.equal(run.status, 'failed');
  assert.match(run.error ?? '', /^refused: /);
  assert.deepEqual([run.httpStatus, run.responseBody, run.truncated], [null, null, false]);
  assert.equal(job.status, 'down');
  assert.equal(job.downReason, run.error);
});

test('a target that does not answer in time fails the run with a timeout', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, () => {});
  const { run } = await runNew(daemon, { url: sink.url, timeoutSeconds: 1 });
  assert.equal(run.status, 'failed');
  assert.match(run.error ?? '', /^timeout: no answer within 1 s/);
  assert.ok((run.durationMs ?? 0) >= 990, `it waited ${run.durationMs} ms`);
});

test('retries send the same run again until it succeeds', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t, (response) => {
    response.writeHead(sink.received.length === 1 ? 503 : 200).end();
  });
  const { job, run } = await runNew(daemon, { url: sink.url, retries: 1 });
  assert.equal(run.status, 'success');
  assert.equal(run.attempts, 2);
  assert.equal(job.status, 'up');
  const ids = sink.received.map(({ headers }) => headers['x-service-run-id']);
  assert.deepEqual(ids, [run.id, run.id]);
});
