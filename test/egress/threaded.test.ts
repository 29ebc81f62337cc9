/** The way out in a thread of its own keeps what the way out promises. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import { startEgressThread } from '../../src/egress/threaded.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { answer, eventually, failureOf, get, responseOf, startTarget } from './support.ts';

function startThread(t: TestContext): Egress {
  const egress = startEgressThread({
    allowTargets: parseAllowTargets(['127.0.0.1/32:*']),
    connectionsPerHost: 16,
    userAgent: 'jobd/test',
  });
  t.after(() => egress[Symbol.asyncDispose]());
  return egress;
}

test('calls of one moment get each its own answer, on connections that are kept', async (t) => {
  const target = await startTarget(t, (socket, request) => {
    socket.write(
      answer(/^POST (\S+)[\s\S]*\r\n\r\n([\s\S]*)$/.exec(request)?.slice(1).join(' ') ?? ''),
    );
  });
  const egress = startThread(t);
  const paths = Array.from({ length: 100 }, (_, index) => String(index));
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const call = get(target.url + path, { method: 'POST', body: `body ${path}` });
      return responseOf(await egress.call(call)).body;
    }),
  );
  assert.deepEqual(
    bodies,
    paths.map((path) => `/${path} body ${path}`),
  );
  assert.equal(target.connections, 16);
});

test('what a target does is a value, and what may not be dialled is not', async (t) => {
  const target = await startTarget(t, (socket) => socket.destroy());
  const egress = startThread(t);
  assert.equal(failureOf(await egress.call(get(target.url))).reason, 'reset');
  assert.equal(failureOf(await egress.call(get('http://127.0.0.2/'))).reason, 'blocked_address');
});

test('an abort ends the calls of its signal, with its reason, and no others', async (t) => {
  let held: Socket | undefined;
  const target = await startTarget(t, (socket, request) => {
    if (request.startsWith('GET /answered')) held = socket;
  });
  const egress = startThread(t);
  const aborter = new AbortController();
  const reason = new Error('stopped');
  const aborted = egress.call(get(`${target.url}silent`), aborter.signal);
  const other = egress.call(get(`${target.url}answered`));
  await eventually(() => target.requests.length === 2);
  aborter.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
  await assert.rejects(egress.call(get(target.url), aborter.signal), (error) => error === reason);
  held?.write(answer('ok'));
  assert.equal(responseOf(await other).body, 'ok');
  assert.equal(target.requests.length, 2);
});

test('a disposal ends calls that are under way and closes every connection', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startThread(t);
  const call = assert.rejects(egress.call(get(target.url)), /egress was closed/);
  await eventually(() => target.requests.length === 1);
  await egress[Symbol.asyncDispose]();
  await call;
  await eventually(() => target.open.size === 0);
});

test('a disposal ends calls that the thread has not begun yet', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startThread(t);
  const calls = Array.from({ length: 200 }, () =>
    assert.rejects(egress.call(get(target.url)), /egress was closed/),
  );
  await egress[Symbol.asyncDispose]();
  await Promise.all(calls);
});
