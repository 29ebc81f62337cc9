/** Reports of targets that mean harm, or come at a bad moment. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
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
    const { job, completionUrl } = await startWait(story, sink, { name: `job ${round}` });
    const reported = send(completionUrl);
    if (round % 2 === 0) await reported;
    const deleted = await story.daemon.ask('DELETE', `/jobs/${job.id}`);
    assert.equal(deleted.status, 200, deleted.body.error);
    assert.ok([200, 404, 409].includes((await reported).status));
  }
});

test('the URL of reports is not shown to readers, also if a target repeats it', async (t) => {
  const story = await begin(t);
  const { completionUrl, path, read, ended } = await startWait(story, await accepting(t));
  const token = completionUrl.split('/').at(-1) ?? '';
  await send(`${completionUrl}/progress`, { body: { message: `then call ${completionUrl}` } });
  const { completion } = await read();
  assert.match(completion?.line ?? '', /^then call http.*\/complete\/\[redacted\]$/);
  const message = `in place of ${completionUrl}`;
  const body = { status: 'failed', message };
  assert.equal((await story.daemon.ask('POST', `${path}/completion`, body)).status, 200);
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
  const { completionUrl, read, ended } = await startWait(story, await accepting(t));
  for (const body of ['{"status":"failed"}', 'status=failed']) {
    assert.equal(await statusOf(completionUrl, 'GET', body), 400, body);
  }
  assert.equal(await statusOf(completionUrl, 'POST', 'null'), 400);
  assert.equal((await read()).completion?.outcome, null);
  assert.equal(await statusOf(completionUrl, 'POST', ''), 200);
  assert.equal((await ended()).status, 'success');
});

test('progress that comes often waits, and keeps no other target waiting', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const chatty = await startWait(story, sink, { name: 'chatty' });
  const quiet = await startWait(story, sink, { name: 'quiet' });
  await progress(chatty.completionUrl, 1);
  const order: string[] = [];
  await Promise.all([
    progress(chatty.completionUrl, 2).then(() => order.push('chatty')),
    progress(quiet.completionUrl, 9).then(() => order.push('quiet')),
  ]);
  assert.deepEqual(order, ['quiet', 'chatty']);
  const shown = await Promise.all([chatty.read(), quiet.read()]);
  assert.deepEqual(
    shown.map(({ completion }) => completion?.percent),
    [2, 9],
  );
});

test('the URL of a run that is over lets nobody ask without end', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const over = await startWait(story, sink, { name: 'over' });
  const waiting = await startWait(story, sink, { name: 'waiting' });
  await send(over.completionUrl);
  await over.ended();
  const statuses = new Set<number>();
  for (let asked = 0; asked <= 300; asked += 1) {
    const method = asked % 2 === 0 ? 'HEAD' : 'POST';
    statuses.add((await fetch(over.completionUrl, { method })).status);
  }
  assert.deepEqual(statuses, new Set([200, 409, 429]));
  assert.equal((await fetch(waiting.completionUrl, { method: 'HEAD' })).status, 429);
  assert.equal((await send(waiting.completionUrl)).status, 200, 'a report is never refused');
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
  const answers = await Promise.all(indexes.map((index) => report(loud.completionUrl, index)));
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    refused.map(({ status }) => status),
    [429, 429, 429, 429],
  );
  for (const { headers } of refused) {
    assert.equal(headers.get('retry-after'), '60');
    assert.equal(headers.get('ratelimit-policy'), '"run";q=300;w=60');
    assert.equal(headers.get('ratelimit'), '"run";r=0');
  }
  for (const [index] of signals.entries()) {
    assert.equal((await report(loud.completionUrl, index)).status, 429);
    assert.equal((await report(quiet.completionUrl, index)).status, 200);
  }
  story.clock.advanceBoth(60_000);
  await progress(loud.completionUrl, 7);
  assert.equal((await loud.read()).completion?.percent, 7);
  assert.equal((await send(loud.completionUrl)).status, 200);
  assert.equal((await loud.ended()).status, 'success');
});

test('reports that make no sense count for their address, those that do never', async (t) => {
  const story = await begin(t);
  const { completionUrl, ended } = await startWait(story, await accepting(t));
  const statuses: number[] = [];
  for (let asked = 0; asked <= 300; asked += 1) {
    const body = asked % 2 === 0 ? { status: 'done' } : { percent: 4 };
    statuses.push((await send(completionUrl, { body })).status);
  }
  assert.equal(statuses.pop(), 429);
  assert.deepEqual(new Set(statuses), new Set([400]));
  await progress(completionUrl, 3);
  assert.equal((await send(`${completionUrl}/fail`)).status, 200);
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
