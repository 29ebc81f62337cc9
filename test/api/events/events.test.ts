/** The event stream: what it says and to whom (docs/behavior.md#events-1). */

import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { startSink } from '../../support/fakes/sink.ts';
import { openSocket } from '../../support/hostile/raw.ts';
import { ping } from '../../support/records/monitor.ts';
import { addWorkspace } from '../../support/records/workspace.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openStream } from '../../support/running/events.ts';
import { until } from '../../support/until.ts';

const nothing = { jobs: [], runs: [], monitors: [], channels: [] };

test('a stream names the jobs, monitors and channels that people change', async (t) => {
  const daemon = await startTestDaemon(t);
  const stream = await openStream(t, daemon);
  const next = async () => (await stream.next('changed')).data;
  const input = { name: 'a', url: 'http://127.0.0.1:1/', paused: true };
  const { job } = (await daemon.ask('POST', '/jobs', input)).body;
  assert.deepEqual(await next(), { ...nothing, jobs: [job.id] });
  const { monitor } = (await daemon.ask('POST', '/monitors', { name: 'a' })).body;
  assert.deepEqual(await next(), { ...nothing, monitors: [monitor.id] });
  assert.equal((await ping(`${monitor.pingUrl}/fail`)).status, 200);
  assert.deepEqual(await next(), { ...nothing, monitors: [monitor.id] });
  const sink = await startSink(t);
  const slack = { name: 'a', type: 'slack', config: { url: sink.url } };
  const { channel } = (await daemon.ask('POST', '/channels', slack)).body;
  assert.deepEqual(await next(), { ...nothing, channels: [channel.id] });
  await daemon.ask('POST', `/channels/${channel.id}/test`);
  await until('the delivery', () => sink.received.length === 1);
  assert.deepEqual(await next(), { ...nothing, channels: [channel.id] });
  await daemon.ask('DELETE', `/jobs/${job.id}`);
  const deleted = await next();
  assert.deepEqual(deleted.jobs, [job.id]);
});

test('a run is named when it is queued or starts, and when it ends', async (t) => {
  const daemon = await startTestDaemon(t);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const sink = await startSink(t, (response) => void mayAnswer.then(() => response.end()));
  const input = { name: 'a', url: sink.url, paused: true };
  const { id: jobId } = (await daemon.ask('POST', '/jobs', input)).body.job;
  const stream = await openStream(t, daemon);
  const { id } = (await daemon.ask('POST', `/jobs/${jobId}/run`)).body.run;
  const statuses: string[] = [];
  const follow = async (last: string): Promise<void> => {
    while (statuses.at(-1) !== last) {
      for (const run of (await stream.next('changed')).data.runs) {
        assert.deepEqual([run.id, run.jobId], [id, jobId]);
        statuses.push(run.status);
      }
    }
  };
  await follow('running');
  answer();
  await follow('success');
  // The first event may have come before or after the start.
  assert.match(statuses.join(), /^(queued,)?running,success$/);
  const { body } = await daemon.ask('GET', `/jobs/${jobId}/runs/${id}`);
  assert.equal(body.run.status, 'success', 'it is on the disk when it is named');
});

test('nobody hears of the jobs, runs and monitors of another workspace', async (t) => {
  const daemon = await startTestDaemon(t);
  const other = await addWorkspace(daemon.dataDir);
  const theirKey = await other.newKey('write');
  const mine = await openStream(t, daemon);
  const theirs = await openStream(t, { url: daemon.url, key: theirKey });
  const input = { name: 'a', url: 'http://127.0.0.1:1/', paused: true };
  const { job } = (await daemon.ask('POST', '/jobs', input, theirKey)).body;
  await daemon.ask('POST', `/jobs/${job.id}/run`, undefined, theirKey);
  const { monitor } = (await daemon.ask('POST', '/monitors', { name: 'a' }, theirKey)).body;
  await ping(monitor.pingUrl);
  await until('the end of the run', () => theirs.text().includes('failed'));
  const own = (await daemon.ask('POST', '/monitors', { name: 'own' })).body.monitor;
  const changed = await mine.next('changed');
  assert.deepEqual(changed.data, { ...nothing, monitors: [own.id] }, 'the first that is heard');
  assert.ok(!theirs.text().includes(own.id));
});

test('a stream is sent at once, uncompressed and uncached, over a connection of its own', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { corsOrigin: ['https://app.example.com'] } });
  const headers = {
    authorization: `Bearer ${daemon.key}`,
    'accept-encoding': 'gzip, br',
    origin: 'https://app.example.com',
  };
  const asked = request(`${daemon.url}/api/v1/events`, { headers, agent: false }).end();
  t.after(() => asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const { date: _, ...got } = response.headers;
  assert.deepEqual(got, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
    'transfer-encoding': 'chunked',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Origin',
    'access-control-allow-origin': 'https://app.example.com',
    'access-control-expose-headers': 'Location, RateLimit, RateLimit-Policy, Retry-After',
    'ratelimit-policy': '"key";q=120;w=60',
    ratelimit: '"key";r=119;t=60',
  });
  const [first] = (await once(response, 'data')) as [Buffer];
  assert.match(first.toString(), /^event: hello\ndata: \{.*\}\n\n$/);
});

test('HEAD has the same headers and no stream; HTTP/1.0 has a stream without chunks', async (t) => {
  const daemon = await startTestDaemon(t);
  const ask = async (line: string) => {
    const socket = await openSocket(daemon.url);
    t.after(() => socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write(`${line}\r\nHost: a\r\nAuthorization: Bearer ${daemon.key}\r\n\r\n`);
    return { socket, text: () => text };
  };
  const head = await ask('HEAD /api/v1/events HTTP/1.1');
  await until('the end of the answer', () => head.socket.closed);
  assert.match(head.text(), /^HTTP\/1.1 200 OK\r\n[^]*text\/event-stream[^]*\r\n\r\n$/);

  const old = await ask('GET /api/v1/events HTTP/1.0');
  await until(
    'the first event',
    () =>
      old.text().includes('\n\nevent: hello\n') || old.text().includes('\r\n\r\nevent: hello\n'),
  );
  await daemon.ask('POST', '/monitors', { name: 'a' });
  await until('another event', () => /\}\n\nevent: changed\ndata: \{.*\}\n\n$/.test(old.text()));
  assert.ok(!old.text().includes('chunked'));
});
