/** Runs whose targets report later: what happens beside them, and what comes before and after. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../src/api/runs/contract.ts';
import { ownPort } from '../../support/own-port.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

import {
  accepting,
  begin,
  create,
  endOf,
  send,
  startWait,
  untilAfterAWhile,
  urlIn,
} from '../../support/running/waits.ts';

test('a report that comes before the answer counts if the answer is 202', async (t) => {
  const story = await begin(t);
  const sink = await startHeldSink(t);
  const job = await create(story, { url: sink.url });
  const { daemon } = story;
  const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
  await sink.waitFor(1);
  assert.equal((await send(urlIn(sink.received[0]), { body: { message: 'fast' } })).status, 200);
  assertRefused(
    await send(urlIn(sink.received[0])),
    409,
    /was reported before: success/,
    'a second',
  );
  const path = `/jobs/${job.id}/runs/${run.id}`;
  assert.equal((await daemon.ask('GET', path)).body.run.status, 'running');
  sink.release(1, 202);
  const end = await endOf(story, path);
  assert.deepEqual([end.status, end.report?.message], ['success', 'fast']);
});

test('any other answer than 202 decides, whatever was reported before', async (t) => {
  const story = await begin(t);
  const sink = await startHeldSink(t);
  const job = await create(story, { url: sink.url });
  const { daemon } = story;
  const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
  await sink.waitFor(1);
  const url = urlIn(sink.received[0]);
  await send(url);
  sink.release(1, 500);
  const end = await endOf(story, `/jobs/${job.id}/runs/${run.id}`);
  assert.deepEqual([end.status, end.error, end.report], ['failed', 'http: 500', undefined]);
  assertRefused(await send(url), 409, /ended as failed \(http: 500\)/, 'a late report');
});

test('all attempts of a run carry one URL, and only jobs that await have it', async (t) => {
  const story = await begin(t);
  let calls = 0;
  const sink = await startSink(t, (response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 503 : 202, { 'retry-after': '0' }).end();
  });
  const { run, reportUrl, job } = await startWait(story, sink, { retries: 1 });
  assert.equal(run.attempts, 2);
  assert.equal(urlIn(sink.received[0]), reportUrl);
  assert.equal(job.reportWithinSeconds, 600);
  const plain = await create(story, { name: 'plain', url: sink.url, reportWithinSeconds: null });
  assert.ok(!('reportWithinSeconds' in plain));
  const { daemon } = story;
  const { run: queued } = (await daemon.ask('POST', `/jobs/${plain.id}/run`)).body;
  const end = await endOf(story, `/jobs/${plain.id}/runs/${queued.id}`);
  assert.deepEqual([end.status, end.httpStatus, 'report' in end], ['success', 202, false]);
  assert.ok(!('x-service-report-url' in (sink.received.at(-1)?.headers ?? {})));
  const forged = { name: 'f', url: sink.url, headers: { X_Service_Report_URL: 'x' } };
  assertRefused(await daemon.ask('POST', '/jobs', forged), 400, /the service sets it/, 'a header');
});

test('a target that echoes its request does not publish the URL', async (t) => {
  const story = await begin(t);
  const sink = await startSink(t, (response, { headers }) =>
    response.writeHead(202).end(JSON.stringify(headers)),
  );
  const { run, reportUrl } = await startWait(story, sink);
  assert.ok(!run.responseBody?.includes(reportUrl.split('/').at(-1) ?? ''));
  assert.match(run.responseBody ?? '', /report\/\[redacted\]/);
});

test('while a run waits nothing of its job is called, and its slot serves others', async (t) => {
  const story = await begin(t, { slots: '1' });
  const { daemon, clock } = story;
  const sink = await accepting(t);
  const job = await create(story, { url: sink.url, cronExpr: '* * * * *', timezone: 'UTC' });
  clock.set('2026-03-02T10:01:00Z');
  await until('the call', () => sink.received.length === 1);
  const other = await startSink(t);
  const plain = await create(story, { name: 'other', url: other.url, reportWithinSeconds: null });
  await daemon.ask('POST', `/jobs/${plain.id}/run`);
  await until('the call of another job in the only slot', () => other.received.length === 1);
  clock.set('2026-03-02T10:04:30Z');
  const refused = await daemon.ask('POST', `/jobs/${job.id}/run`);
  assertRefused(
    refused,
    409,
    /^run \S+ began at .* waits for the report of its target, until .*: wait for it, or end the wait$/,
    'a run by hand',
  );
  assert.equal((await send(urlIn(sink.received[0]))).status, 200);
  await until('the call of the last due time', () => sink.received.length === 2);
  const { runs } = (await daemon.ask('GET', `/jobs/${job.id}/runs`)).body;
  assert.deepEqual(
    runs.map(({ status, scheduledFor }: Run) => [status, scheduledFor.slice(11, 16)]),
    [
      ['running', '10:04'],
      ['missed', '10:02'],
      ['success', '10:01'],
    ],
  );
});

test('a job can be changed, paused and deleted while its run waits', async (t) => {
  const story = await begin(t);
  const { daemon } = story;
  const { job, reportUrl, ended } = await startWait(story, await accepting(t));
  const path = `/jobs/${job.id}`;
  const changed = await daemon.ask('PATCH', path, { notes: 'n', action: 'pause' });
  assert.deepEqual([changed.status, changed.body.job.notes], [200, 'n']);
  assert.equal((await send(reportUrl)).status, 200);
  assert.equal((await ended()).status, 'success');
  const other = await startWait(story, await accepting(t), { name: 'b' });
  assert.equal((await daemon.ask('DELETE', `/jobs/${other.job.id}`)).status, 200);
  for (const end of ['', '/fail', '/progress']) {
    assertRefused(await send(other.reportUrl + end), 404, /no run at this URL/, end);
  }
  const third = await startWait(story, await accepting(t), { name: 'c' });
  const action = { action: 'delete', ids: [third.job.id] };
  const acted = await daemon.ask('POST', '/jobs/actions', action);
  assert.equal(acted.body.results[0].error, null);
});

test('people can end a wait, and the audit trail says who did', async (t) => {
  const story = await begin(t);
  const { daemon } = story;
  const { run, path, ended, reportUrl } = await startWait(story, await accepting(t));
  const end = { status: 'failed', message: 'the worker is gone' };
  const reader = await daemon.newKey('read');
  assert.equal((await daemon.ask('POST', `${path}/report`, end, reader)).status, 403);
  const answer = await daemon.ask('POST', `${path}/report`, end);
  assert.deepEqual([answer.status, answer.body.run.report.reportedBy], [200, 'person']);
  assert.equal((await ended()).error, 'reported: the worker is gone');
  assertRefused(await send(reportUrl), 409, /reported: the worker is gone/, 'the target');
  const again = await daemon.ask('POST', `${path}/report`, end);
  assertRefused(again, 409, /does not wait for a report: it ended as failed/, 'a second end');
  const { entries } = (await daemon.ask('GET', '/audit?action=job&limit=2')).body;
  assert.deepEqual(
    entries.map((entry: Record<string, unknown>) => [entry['action'], entry['runId']]),
    [
      ['job.report', run.id],
      ['job.run', run.id],
    ],
  );
});

test('a wait survives a restart of jobd, with its URL', async (t) => {
  const flags = { port: `${await ownPort()}` };
  const { daemon, clock } = await begin(t, flags);
  const sink = await accepting(t);
  const { path, reportUrl } = await startWait({ daemon }, sink);
  const expiring = await startWait({ daemon }, sink, { name: 'b', reportWithinSeconds: 60 });
  await daemon.stop();
  clock.advance(120_000);
  const next = await startTestDaemon(t, { dataDir: daemon.dataDir, clock, flags });
  const read = async (of: string): Promise<Run> => (await next.ask('GET', of)).body.run;
  assert.equal((await read(path)).status, 'running');
  assert.equal((await send(reportUrl, { body: { message: 'done' } })).status, 200);
  assert.equal((await endOf({ daemon: next }, path)).status, 'success');
  // What ended that run would have ended the other one.
  assert.equal((await read(expiring.path)).status, 'running');
  clock.pass(60_000);
  const end = await endOf({ daemon: next }, expiring.path);
  assert.equal(end.error, 'timeout: no report within 60 s');
  assert.equal(end.finishedAt, end.report?.expiresAt);
});

test('a report that could not reach jobd in time counts in the first minute after its start', async (t) => {
  const flags = { port: `${await ownPort()}` };
  const { daemon, clock } = await begin(t, flags);
  const late = await startWait({ daemon }, await accepting(t), { reportWithinSeconds: 60 });
  await daemon.stop();
  clock.advance(120_000);
  const next = await startTestDaemon(t, { dataDir: daemon.dataDir, clock, flags });
  assert.equal((await send(late.reportUrl)).status, 200);
  const end = await endOf({ daemon: next }, late.path);
  assert.deepEqual([end.status, end.report?.outcome], ['success', 'success']);
});

test('a job that runs after one that waits for a report runs when the report has come', async (t) => {
  const story = await begin(t);
  const { daemon } = story;
  const first = await startHeldSink(t);
  const then = await startSink(t);
  const results = await startSink(t);
  const job = await create(story, { url: first.url, onResult: results.url });
  const input = { name: 'then', url: then.url, after: { jobId: job.id } };
  assert.equal((await daemon.ask('POST', '/jobs', input)).status, 201);
  await daemon.ask('POST', `/jobs/${job.id}/run`);
  await first.waitFor(1);
  first.release(1, 202);
  const url = urlIn(first.received[0]);
  await until('the wait', async () => {
    const { body } = await daemon.ask('GET', `/jobs/${job.id}/runs`);
    return body.runs[0].report !== undefined;
  });
  assert.deepEqual([then.received.length, results.received.length], [0, 0]);
  assert.equal((await send(url)).status, 200);
  await untilAfterAWhile(story, 'both', () => then.received.length + results.received.length === 2);
  const { data } = JSON.parse(results.received[0]?.body ?? '') as { data: { run: Run } };
  const { run } = (await daemon.ask('GET', `/jobs/${job.id}/runs/${data.run.id}`)).body;
  assert.deepEqual(data.run, run, 'the result carries the run as people read it');
  assert.equal(data.run.report?.outcome, 'success');
});

test('a result says also that no report came in time', async (t) => {
  const story = await begin(t);
  const results = await startSink(t);
  const { run, job } = await startWait(story, await accepting(t), {
    reportWithinSeconds: 60,
    onResult: results.url,
  });
  story.clock.advanceBoth(61_000);
  await untilAfterAWhile(story, 'the result', () => results.received.length === 1);
  const { data } = JSON.parse(results.received[0]?.body ?? '') as { data: { run: Run } };
  const { body } = await story.daemon.ask('GET', `/jobs/${job.id}/runs/${run.id}`);
  assert.deepEqual(data.run, body.run);
  assert.deepEqual([data.run.status, data.run.report?.outcome], ['failed', 'expired']);
});

test('what is set to follow while a run waits counts when it ends', async (t) => {
  const story = await begin(t);
  const { daemon } = story;
  const [next, results] = [await startSink(t), await startSink(t)];
  const { job, run, reportUrl } = await startWait(story, await accepting(t));
  const input = { name: 'next', url: next.url, after: { jobId: job.id } };
  assert.equal((await daemon.ask('POST', '/jobs', input)).status, 201);
  const change = { onResult: results.url };
  assert.equal((await daemon.ask('PATCH', `/jobs/${job.id}`, change)).status, 200);
  await send(reportUrl);
  await untilAfterAWhile(story, 'both', () => next.received.length + results.received.length === 2);
  assert.equal(JSON.parse(results.received[0]?.body ?? '').data.run.id, run.id);
});
