/** Manual runs (docs/behavior.md#run-6). */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon, readAnswer, startTestDaemon } from '../../support/running/daemon.ts';
import type { Answer, TestDaemon } from '../../support/running/daemon.ts';
import { exchange } from '../../support/hostile/raw.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

async function addJob({ ask }: TestDaemon, url: string, input: object = {}): Promise<Job> {
  const { status, body } = await ask('POST', '/jobs', { name: 'a', url, ...input });
  assert.equal(status, 201, body.error);
  return body.job;
}

function endedRun({ ask }: TestDaemon, { jobId, id }: Run): Promise<Run> {
  const find = async () => {
    const { run } = (await ask('GET', `/jobs/${jobId}/runs/${id}`)).body;
    return run.finishedAt === null ? null : (run as Run);
  };
  return until('the end of the run', find);
}

/** Requests a run with these headers. */
async function runJob(
  { url, key }: TestDaemon,
  jobId: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/jobs/${jobId}/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return await readAnswer('POST', response);
}

test('a manual run is queued, and resultUrl leads to its result', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url);
  const before = Date.now();
  const { status, body } = await daemon.ask('POST', `/jobs/${job.id}/run`);
  assert.equal(status, 202);
  assert.deepEqual(Object.keys(body), ['run', 'resultUrl']);
  const { id, scheduledFor, ...rest } = body.run;
  assert.ok(Date.parse(scheduledFor) >= before && Date.parse(scheduledFor) <= Date.now());
  assert.deepEqual(rest, {
    jobId: job.id,
    source: 'manual',
    status: 'queued',
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    httpStatus: null,
    durationMs: null,
    responseBody: null,
    truncated: false,
    error: null,
  });
  assert.equal(body.resultUrl, `${daemon.url}/api/v1/jobs/${job.id}/runs/${id}`);
  const run = await until('the result at resultUrl', async () => {
    const response = await fetch(body.resultUrl, {
      headers: { authorization: `Bearer ${daemon.key}` },
    });
    const result = (await response.json()) as { run: Run };
    return result.run.status === 'success' ? result.run : null;
  });
  assert.equal(run.id, id);
});

test('resultUrl begins with the base URL that the operator set', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { baseUrl: 'https://jobs.example.com/x/' } });
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url);
  const { run, resultUrl } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
  assert.equal(resultUrl, `https://jobs.example.com/x/api/v1/jobs/${job.id}/runs/${run.id}`);
});

test('a repeated Idempotency-Key returns the first run, before any other rule', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url, { paused: true });
  const headers = { 'idempotency-key': 'k'.repeat(128) };
  const first = await runJob(daemon, job.id, headers);
  assert.equal(first.status, 202);
  const ended = await endedRun(daemon, first.body.run);
  for (const minutes of [0, 1, 60 * 24]) {
    clock.advance(minutes * 60_000);
    const again = await runJob(daemon, job.id, headers);
    assert.equal(again.status, 202);
    assert.deepEqual(again.body, { run: ended, resultUrl: first.body.resultUrl });
  }
  const other = await runJob(daemon, job.id, { 'idempotency-key': 'K'.repeat(128) });
  assert.equal(other.status, 202);
  assert.notEqual(other.body.run.id, first.body.run.id);
  await endedRun(daemon, other.body.run);

  const twin = await addJob(daemon, sink.url, { paused: true });
  const elsewhere = await runJob(daemon, twin.id, headers);
  assert.equal(elsewhere.body.run.jobId, twin.id, 'a key counts for one job');
  await endedRun(daemon, elsewhere.body.run);
  assert.equal(sink.received.length, 3);
});

test('50 concurrent requests with one Idempotency-Key create one run', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => runJob(daemon, job.id, { 'idempotency-key': 'same' })),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(({ body }) => body.run.id)).size, 1);
  await endedRun(daemon, answers[0]!.body.run);
  assert.equal((await daemon.ask('GET', `/jobs/${job.id}/runs`)).body.runs.length, 1);
  assert.equal(sink.received.length, 1);
});

test('50 concurrent requests without a key create one run too', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => daemon.ask('POST', `/jobs/${job.id}/run`)),
  );
  const [accepted, ...others] = answers.toSorted((a, b) => a.status - b.status);
  assert.equal(accepted?.status, 202);
  assert.ok(others.every(({ status }) => status === 409 || status === 429));
  await endedRun(daemon, accepted?.body.run);
  assert.equal(sink.received.length, 1);
});

test('an Idempotency-Key that is empty or over 128 characters is refused', async (t) => {
  const daemon = await startTestDaemon(t);
  const job = await addJob(daemon, 'http://127.0.0.1:1/');
  const long = await runJob(daemon, job.id, { 'idempotency-key': 'k'.repeat(129) });
  assertRefused(long, 400, /^Idempotency-Key must be at most 128 characters, got 129/, '129');
  const empty = await runJob(daemon, job.id, { 'idempotency-key': '' });
  assertRefused(empty, 400, /^Idempotency-Key must not be empty/, 'empty');
  assert.deepEqual((await daemon.ask('GET', `/jobs/${job.id}/runs`)).body.runs, []);
});

/** As bytes: fetch sends one byte per character. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

test('the length limit of an Idempotency-Key counts characters, in UTF-8 or in Latin-1', async (t) => {
  const daemon = await startTestDaemon(t);
  const job = await addJob(daemon, 'http://127.0.0.1:1/');
  for (const key of [
    utf8('\u20ac'.repeat(129)),
    utf8('\u{1f319}'.repeat(129)),
    '\u00e9'.repeat(129),
  ]) {
    const refused = await runJob(daemon, job.id, { 'idempotency-key': key });
    assertRefused(refused, 400, /^Idempotency-Key must be at most 128 characters, got 129$/, key);
  }
  const key = utf8('\u20ac'.repeat(128));
  const { status, body } = await runJob(daemon, job.id, { 'idempotency-key': key });
  assert.equal(status, 202);
  const again = await runJob(daemon, job.id, { 'idempotency-key': key });
  assert.equal(again.body.run.id, body.run.id);
});

test('a run request has no body: an empty one with any content type, or an empty object', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const job = await addJob(daemon, 'http://127.0.0.1:1/', { paused: true });
  const target = `/api/v1/jobs/${job.id}/run`;
  const run = async (lines: string[], body = ''): Promise<[number, string]> => {
    clock.advanceBoth(61_000);
    const head = [`POST ${target} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${daemon.key}`];
    const text = [...head, ...lines, 'Connection: close', '', body].join('\r\n');
    const [answer] = await exchange(daemon.url, text);
    assert.ok(answer);
    if (answer.status === 202) await endedRun(daemon, JSON.parse(answer.body).run);
    return [answer.status, answer.body];
  };
  const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', '*', ''];
  for (const type of [...types, 'application/json']) {
    const line = `Content-Type: ${type}`;
    assert.equal((await run([line]))[0], 202, type);
    assert.equal((await run([line, 'Content-Length: 0']))[0], 202, type);
  }
  assert.equal((await run(['Content-Length: 0']))[0], 202);
  const json = 'Content-Type: application/json';
  assert.equal((await run([json, 'Content-Length: 2'], '{}'))[0], 202);
  const [status, said] = await run([json, 'Content-Length: 9'], '{"url":1}');
  assert.deepEqual(
    [status, said],
    [400, '{"error":"the body must be empty, this operation takes none"}'],
  );
  assert.equal((await run(['Content-Type: text/plain', 'Content-Length: 1'], 'x'))[0], 400);
});

test('a job can be run by hand once a minute', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const job = await addJob(daemon, sink.url, { paused: true });
  const ask = (): Promise<Answer> => daemon.ask('POST', `/jobs/${job.id}/run`);
  await endedRun(daemon, (await ask()).body.run);
  let waited = 0;
  for (const ms of [0, 1_000, 58_999]) {
    clock.advance(ms);
    const refused = await ask();
    waited += ms;
    const left = Math.ceil((60_000 - waited) / 1_000);
    assertRefused(refused, 429, new RegExp(`once a minute: again in ${left} s$`), `${ms} ms later`);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.match(refused.headers.get('ratelimit') ?? '', new RegExp(`, "action";r=0;t=${left}$`));
  }
  clock.advance(1);
  const accepted = await ask();
  assert.equal(accepted.status, 202);
  await endedRun(daemon, accepted.body.run);
  const other = await addJob(daemon, sink.url, { paused: true });
  assert.equal((await daemon.ask('POST', `/jobs/${other.id}/run`)).status, 202);
});

test('while a run executes the job is running, and another manual run is 409', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const open: ServerResponse[] = [];
  const sink = await startSink(t, (response) => open.push(response));
  const job = await addJob(daemon, sink.url);
  const headers = { 'idempotency-key': 'first' };
  const { run } = (await runJob(daemon, job.id, headers)).body;
  await until('the request at the target', () => open[0]);
  const path = `/jobs/${job.id}`;

  assert.equal((await daemon.ask('GET', path)).body.job.status, 'running');
  const running = (await daemon.ask('GET', `${path}/runs/${run.id}`)).body.run;
  assert.equal(running.status, 'running');
  assert.equal(running.finishedAt, null);
  const { totals } = (await daemon.ask('GET', `${path}/runs`)).body;
  assert.equal(totals.running, 1);

  const words = new RegExp(`run ${run.id} .*executing`);
  assertRefused(await daemon.ask('POST', `${path}/run`), 409, words, 'within the minute');
  clock.advance(120_000);
  assertRefused(await daemon.ask('POST', `${path}/run`), 409, words, 'after the minute');
  assert.equal((await runJob(daemon, job.id, headers)).body.run.id, run.id);

  open[0]!.end('done');
  assert.equal((await endedRun(daemon, run)).responseBody, 'done');
  assert.equal((await daemon.ask('GET', path)).body.job.status, 'up');
  assert.equal(open.length, 1);
});

test('a paused job can be run by hand, and a manual run does not change the schedule', async (t) => {
  const daemon = await startTestDaemon(t);
  const sink = await startSink(t);
  for (const input of [
    { paused: true },
    { cronExpr: '30 3 * * *' },
    { scheduleType: 'period', periodSeconds: 86_400 },
  ]) {
    const job = await addJob(daemon, sink.url, input);
    const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
    assert.equal((await endedRun(daemon, run)).status, 'success');
    const after: Job = (await daemon.ask('GET', `/jobs/${job.id}`)).body.job;
    assert.equal(after.nextRunAt, job.nextRunAt);
    assert.equal(after.paused, job.paused);
    assert.equal(after.status, job.paused ? 'paused' : 'up');
  }
});
