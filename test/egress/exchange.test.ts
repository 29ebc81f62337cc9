/** One request and its answer, as a target and a person see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import { startEgressThread } from '../../src/egress/threads.ts';
import {
  answer,
  eventually,
  failureOf,
  get,
  kept,
  responseOf,
  startEgress,
  startTarget,
} from './support.ts';

test('a port without a listener is refused', async (t) => {
  const target = await startTarget(t, () => {});
  await target.close();
  const failure = failureOf(await startEgress(t).call(get(target.url)));
  assert.equal(failure.reason, 'refused');
  assert.match(failure.detail, new RegExp(`nobody listens at 127\\.0\\.0\\.1:${target.port}`));
});

test('a complete answer followed by stray bytes is a success and is not repeated', async (t) => {
  const target = await startTarget(t, (socket) =>
    socket.write(
      Buffer.concat([answer('ok', '200 OK', kept), Buffer.from('HTTP/1.1 500 X\r\n\r\nstray')]),
    ),
  );
  const egress = startEgress(t);
  const first = responseOf(await egress.call(get(target.url)));
  assert.deepEqual([first.httpStatus, first.body, first.broken], [200, 'ok', null]);
  assert.equal(target.requests.length, 1);
  const second = responseOf(await egress.call(get(target.url)));
  assert.deepEqual([second.httpStatus, second.body], [200, 'ok']);
  assert.equal(target.connections, 2, 'the dirty connection is not used again');
});

test('stray bytes on an idle connection close it', async (t) => {
  const target = await startTarget(t, (socket, _request, index) =>
    socket.write(answer(`answer ${index}`, '200 OK', kept)),
  );
  const egress = startEgress(t);
  assert.equal(responseOf(await egress.call(get(target.url))).body, 'answer 0');
  for (const socket of target.open) socket.write(answer('stray'));
  await eventually(() => target.open.size === 0);
  assert.equal(responseOf(await egress.call(get(target.url))).body, 'answer 1');
});

test('a body that ends with the connection is complete', async (t) => {
  const target = await startTarget(t, (s) => s.end('HTTP/1.1 200 OK\r\n\r\nto the end'));
  const response = responseOf(await startEgress(t).call(get(target.url)));
  assert.deepEqual([response.body, response.broken], ['to the end', null]);
});

test('responses without a body have none, whatever the target sends', async (t) => {
  const rows = [
    ['GET', '204 No Content', 204],
    ['GET', '304 Not Modified', 304],
    ['HEAD', '200 OK', 200],
  ] as const;
  for (const [method, status, httpStatus] of rows) {
    const target = await startTarget(t, (socket) => socket.write(answer('unasked', status, kept)));
    const egress = startEgress(t);
    const response = responseOf(await egress.call(get(target.url, { method })));
    assert.deepEqual(
      [response.httpStatus, response.body, response.truncated, response.broken],
      [httpStatus, '', false, null],
      `${method} ${status}`,
    );
    assert.equal(responseOf(await egress.call(get(target.url, { method }))).body, '');
  }
});

test('a redirect is reported, not followed', async (t) => {
  const elsewhere = await startTarget(t, (socket) => socket.write(answer('secret')));
  const target = await startTarget(t, (socket) =>
    socket.write(answer('', '302 Found', `location: ${elsewhere.url}\r\n`)),
  );
  const response = responseOf(await startEgress(t).call(get(target.url)));
  assert.deepEqual([response.httpStatus, response.location], [302, elsewhere.url]);
  assert.equal(elsewhere.connections, 0);
});

test('Retry-After is reported', async (t) => {
  const target = await startTarget(t, (socket) =>
    socket.write(answer('', '503 Busy', 'retry-after: 7\r\n')),
  );
  const response = responseOf(await startEgress(t).call(get(target.url)));
  assert.deepEqual([response.httpStatus, response.retryAfter], [503, '7']);
});

test("a request contains the job's data and few other headers", async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  const egress = startEgress(t);
  await egress.call(get(`${target.url}a/../b?c=d#fragment`, { headers: { 'X-Run': '1' } }));
  await egress.call(
    get(target.url, { method: 'POST', body: 'é', headers: { 'USER-agent': 'me' } }),
  );
  await egress.call(
    get(target.url, { method: 'PUT', headers: { 'content-TYPE': 'x/y' }, body: 'z' }),
  );
  await egress.call(get(target.url, { method: 'POST' }));
  const host = `host: 127.0.0.1:${target.port}\r\nconnection: keep-alive\r\n`;
  const any = 'accept: */*\r\n';
  const plain = 'content-type: text/plain; charset=utf-8\r\n';
  assert.deepEqual(target.requests, [
    `GET /b?c=d HTTP/1.1\r\n${host}X-Run: 1\r\nuser-agent: jobd/test\r\n${any}\r\n`,
    `POST / HTTP/1.1\r\n${host}USER-agent: me\r\n${any}${plain}content-length: 2\r\n\r\n\u00c3\u00a9`,
    `PUT / HTTP/1.1\r\n${host}content-TYPE: x/y\r\nuser-agent: jobd/test\r\n${any}content-length: 1\r\n\r\nz`,
    `POST / HTTP/1.1\r\n${host}user-agent: jobd/test\r\n${any}content-length: 0\r\n\r\n`,
  ]);
});

test('a request that comes too late to be written is not sent, in any thread', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const options = { allowTargets: parseAllowTargets(['127.0.0.1/32:*']), connectionsPerHost: 4 };
  const thread = startEgressThread({ ...options, userAgent: 'jobd/test' });
  t.after(() => thread[Symbol.asyncDispose]());
  for (const egress of [startEgress(t), thread]) {
    const before = target.requests.length;
    const late = get(target.url, { beginWithinMs: 0 });
    assert.equal((await egress.call(late)).kind, 'local', 'on a new connection');
    responseOf(await egress.call(get(target.url, { beginWithinMs: 60_000 })));
    assert.equal((await egress.call(late)).kind, 'local', 'on a connection that was kept');
    responseOf(await egress.call(get(target.url)));
    assert.equal(target.requests.length, before + 2);
  }
});
