/** Reports of targets that mean harm, or come at a bad moment. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';

import {
  accepting,
  begin,
  create,
  endOf,
  send,
  startWait,
  urlIn,
} from '../../support/running/waits.ts';

test('a job can be deleted at the moment at which its target reports', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  for (let round = 0; round < 8; round += 1) {
    const { job, reportUrl } = await startWait(story, sink, { name: `job ${round}` });
    const reported = send(reportUrl);
    if (round % 2 === 0) await reported;
    const deleted = await story.daemon.ask('DELETE', `/jobs/${job.id}`);
    assert.equal(deleted.status, 200, deleted.body.error);
    assert.ok([200, 404, 409].includes((await reported).status));
  }
});

test('the URL of reports is not shown to readers, also if a target repeats it', async (t) => {
  const story = await begin(t);
  const { reportUrl, path, read, ended } = await startWait(story, await accepting(t));
  const token = reportUrl.split('/').at(-1) ?? '';
  await send(`${reportUrl}/progress`, { body: { message: `then call ${reportUrl}` } });
  const { report } = await read();
  assert.match(report?.line ?? '', /^then call http.*\/report\/\[redacted\]$/);
  const message = `in place of ${reportUrl}`;
  const body = { status: 'failed', message };
  assert.equal((await story.daemon.ask('POST', `${path}/report`, body)).status, 200);
  assert.doesNotMatch(JSON.stringify(await ended()), new RegExp(token));
});

test('an early report ends its run also if the clock was set back since', async (t) => {
  const story = await begin(t);
  const { daemon, clock } = story;
  const sink = await startHeldSink(t);
  const job = await create(story, { url: sink.url });
  const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
  await sink.waitFor(1);
  await send(urlIn(sink.received[0]));
  clock.advance(-3_600_000);
  sink.release(1, 202);
  const end = await endOf(story, `/jobs/${job.id}/runs/${run.id}`);
  assert.deepEqual([end.status, end.durationMs], ['success', 0]);
});

test('a report whose body would be lost is refused, and ends nothing', async (t) => {
  const story = await begin(t);
  const { reportUrl, read, ended } = await startWait(story, await accepting(t));
  for (const body of ['{"status":"failed"}', 'status=failed']) {
    assert.equal(await statusOf(reportUrl, 'GET', body), 400, body);
  }
  assert.equal(await statusOf(reportUrl, 'POST', 'null'), 400);
  assert.equal((await read()).report?.outcome, null);
  assert.equal(await statusOf(reportUrl, 'POST', ''), 200);
  assert.equal((await ended()).status, 'success');
});

test('progress that comes often waits, and keeps no other target waiting', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const chatty = await startWait(story, sink, { name: 'chatty' });
  const quiet = await startWait(story, sink, { name: 'quiet' });
  await progress(chatty.reportUrl, 1);
  const order: string[] = [];
  await Promise.all([
    progress(chatty.reportUrl, 2).then(() => order.push('chatty')),
    progress(quiet.reportUrl, 9).then(() => order.push('quiet')),
  ]);
  assert.deepEqual(order, ['quiet', 'chatty']);
  const shown = await Promise.all([chatty.read(), quiet.read()]);
  assert.deepEqual(
    shown.map(({ report }) => report?.percent),
    [2, 9],
  );
});

test('the URL of a run that is over lets nobody ask without end', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const over = await startWait(story, sink, { name: 'over' });
  const waiting = await startWait(story, sink, { name: 'waiting' });
  await send(over.reportUrl);
  await over.ended();
  const statuses = new Set<number>();
  for (let asked = 0; asked <= 300; asked += 1) {
    const method = asked % 2 === 0 ? 'HEAD' : 'POST';
    statuses.add((await fetch(over.reportUrl, { method })).status);
  }
  assert.deepEqual(statuses, new Set([200, 409, 429]));
  assert.equal((await fetch(waiting.reportUrl, { method: 'HEAD' })).status, 429);
  assert.equal((await send(waiting.reportUrl)).status, 200, 'a report is never refused');
});

test('progress without end is refused for its run alone, and its end counts', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const loud = await startWait(story, sink, { name: 'loud' });
  const quiet = await startWait(story, sink, { name: 'quiet' });
  const signals = ['/progress', ''];
  const report = (url: string, index: number) => {
    const body = JSON.stringify({ status: 'progress', percent: index % 100 });
    return fetch(url + signals[index % 2], { method: 'POST', body });
  };
  const indexes = Array.from({ length: 304 }, (_, index) => index);
  const answers = await Promise.all(indexes.map((index) => report(loud.reportUrl, index)));
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(each(refused, 'status'), [429, 429, 429, 429]);
  for (const { headers } of refused) {
    assert.equal(headers.get('retry-after'), '60');
    assert.equal(headers.get('ratelimit-policy'), '"run";q=300;w=60');
    assert.equal(headers.get('ratelimit'), '"run";r=0');
  }
  for (const [index] of signals.entries()) {
    assert.equal((await report(loud.reportUrl, index)).status, 429);
    assert.equal((await report(quiet.reportUrl, index)).status, 200);
  }
  story.clock.advanceBoth(60_000);
  await progress(loud.reportUrl, 7);
  assert.equal((await loud.read()).report?.percent, 7);
  assert.equal((await send(loud.reportUrl)).status, 200);
  assert.equal((await loud.ended()).status, 'success');
});

test('reports that make no sense count for their address, those that do never', async (t) => {
  const story = await begin(t);
  const { reportUrl, ended } = await startWait(story, await accepting(t));
  const statuses: number[] = [];
  for (let asked = 0; asked <= 300; asked += 1) {
    const body = asked % 2 === 0 ? { status: 'done' } : { percent: 4 };
    statuses.push((await send(reportUrl, { body })).status);
  }
  assert.equal(statuses.pop(), 429);
  assert.deepEqual(new Set(statuses), new Set([400]));
  await progress(reportUrl, 3);
  assert.equal((await send(`${reportUrl}/fail`)).status, 200);
  assert.equal((await ended()).status, 'failed');
});

async function progress(url: string, percent: number): Promise<void> {
  assert.equal((await send(`${url}/progress`, { body: { percent } })).status, 200);
}

/** `fetch` sends no body with a GET. */
function statusOf(url: string, method: string, body: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { 'content-length': String(Buffer.byteLength(body)) };
  request(url, { method, headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on('error', reject)
    .end(body);
  return promise;
}
