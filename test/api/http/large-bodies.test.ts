/** A workspace sends a few large bodies at a time, and each is little work (docs/behavior.md#limit-2). */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createFastify } from '../../../src/api/http/fastify.ts';
import { createRequestLimits } from '../../../src/api/http/limits/request-limits.ts';
import type { Principal } from '../../../src/app/app.ts';
import { openLog } from '../../../src/base/log.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { noKeys } from '../../support/fakes/admissions.ts';
import { openSocket } from '../../support/hostile/raw.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { otherWorkspaceKey } from '../../support/records/keys.ts';
import { readAnswer, startTestDaemon, type TestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const job = '{"name":"a","url":"http://127.0.0.1:1/"}';
const large = job.padEnd(16 * 1024 + 1);

async function createJob({ url, key: ownKey }: TestDaemon, body: string, key = ownKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/jobs`, { method: 'POST', headers, body });
  return await readAnswer('POST', response);
}

test('of large bodies that do not end, one more is refused, in this workspace alone', async (t) => {
  const daemon = await startTestDaemon(t);
  const otherKey = await otherWorkspaceKey(daemon);
  const headers = {
    authorization: `Bearer ${daemon.key}`,
    'content-type': 'application/json',
    'content-length': large.length,
  };
  const begun: ClientRequest[] = [];
  for (let count = 0; count < 4; count += 1) {
    const one = request(`${daemon.url}/api/v1/jobs`, { method: 'POST', headers });
    one.on('error', () => {});
    one.write(job);
    begun.push(one);
  }
  const send = async (body: string, key = daemon.key) => await createJob(daemon, body, key);
  await until('all four arrive', async () => (await send(large)).status === 429);
  assertRefused(await send(large), 429, /4 bodies of over 16 KiB at a time/, 'one more');
  assert.equal((await send(job)).status, 201, 'a small one');
  assert.equal((await send(large, otherKey)).status, 201, 'another workspace');
  const [first, second] = begun;
  assert.ok(first !== undefined && second !== undefined);
  first.end(large.slice(job.length));
  const [answer] = await once(first, 'response');
  assert.equal(answer.statusCode, 201);
  await until('one of them has ended', async () => (await send(large)).status === 201);
  second.destroy();
  await until('two of them have ended', async () => {
    const both = await Promise.all([send(large), send(large)]);
    return both.every(({ status }) => status === 201);
  });
  for (const one of begun) one.destroy();
});

test('a body with many values counts as several requests, one with a long text as one', async (t) => {
  const daemon = await startTestDaemon(t);
  const send = async (more: object) => {
    const answer = await createJob(daemon, JSON.stringify({ ...JSON.parse(job), ...more }));
    const [, left] = /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
    return { status: answer.status, left: Number(left) };
  };
  const labels = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`l${index}`, '']));
  const first = await send({});
  const many = await send({ labels });
  assert.deepEqual([many.status, first.left - many.left], [400, 5]);
  const long = await send({ method: 'POST', body: 'x,'.repeat(4_000) });
  assert.deepEqual([long.status, many.left - long.left], [201, 1]);
  const statuses: number[] = [];
  for (let count = 0; count < 24; count += 1) statuses.push((await send({ labels })).status);
  assert.equal(statuses.at(-1), 429);
});

test('what comes with a GET is no large body: it is not read', async (t) => {
  const daemon = await startTestDaemon(t);
  const headers = { authorization: `Bearer ${daemon.key}`, 'content-length': large.length };
  for (let count = 0; count < 4; count += 1) {
    const stream = request(`${daemon.url}/api/v1/events`, { headers });
    stream.on('error', () => {}).end(large);
    t.after(() => stream.destroy());
    const [response] = await once(stream, 'response');
    assert.equal(response.statusCode, 200);
  }
  assert.equal((await createJob(daemon, large)).status, 201);
});

test('clients that leave while their key is checked keep no place', async (t) => {
  const requests = createRequestLimits({ clock: systemClock, admissions: noKeys });
  const server = createFastify({ log: openLog('silent'), requests });
  t.after(() => server.close());
  let begun = Promise.withResolvers<void>();
  server.addHook('onRequest', async (asked, { raw }) => {
    asked.principal = { workspaceId: 'one' } as Principal;
    begun.resolve();
    if (asked.headers['x-leaves'] !== undefined) await once(raw, 'close');
  });
  server.post('/', () => ({ ok: true }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`;
  for (let left = 0; left < 5; left += 1) {
    begun = Promise.withResolvers<void>();
    const socket = await openSocket(url);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Leaves: 1\r\nContent-Length: 20000\r\n\r\n`);
    await begun.promise;
    socket.destroy();
    await once(socket, 'close');
  }
  const headers = { 'content-type': 'application/json' };
  const isTaken = async () => (await fetch(url, { method: 'POST', headers, body: large })).ok;
  await until('all have left', isTaken);
});
