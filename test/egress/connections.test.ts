import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
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

test('a connection that the target promises to keep is reused', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const egress = startEgress(t);
  for (let index = 0; index < 20; index++) {
    assert.equal(responseOf(await egress.call(get(target.url))).httpStatus, 200);
  }
  assert.equal(target.connections, 1);
});

test('the connection limit holds, and every call gets its turn', async (t) => {
  let most = 0;
  const target = await startTarget(t, (socket) => {
    most = Math.max(most, target.open.size);
    socket.write(answer('ok', '200 OK', kept));
  });
  const egress = startEgress(t, { connectionsPerHost: 3 });
  const results = await Promise.all(
    Array.from({ length: 100 }, () => egress.call(get(target.url))),
  );
  assert.ok(results.every((result) => responseOf(result).body === 'ok'));
  assert.equal(most, 3);
  assert.equal(target.connections, 3);
});

test('waiting calls are served when connections break, and none is sent twice', async (t) => {
  const target = await startTarget(t, (socket, _request, index) => {
    if (index % 3 === 2) socket.destroy();
    else socket.write(answer('ok'));
  });
  const egress = startEgress(t, { connectionsPerHost: 2 });
  const results = await Promise.all(Array.from({ length: 60 }, () => egress.call(get(target.url))));
  assert.equal(target.requests.length, 60);
  assert.equal(results.filter((result) => result.kind === 'response').length, 40);
  for (const result of results) {
    if (result.kind === 'failure') assert.equal(result.failure.reason, 'reset');
  }
});

test('disposing closes every connection, idle or busy', async (t) => {
  const idle = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const busy = await startTarget(t, () => {});
  const egress = startEgress(t);
  await Promise.all(Array.from({ length: 5 }, () => egress.call(get(idle.url))));
  const call = egress.call(get(busy.url));
  await eventually(() => busy.requests.length === 1);
  const rejected = assert.rejects(call, /closed/);
  await egress[Symbol.asyncDispose]();
  await rejected;
  await eventually(() => idle.open.size === 0 && busy.open.size === 0);
  assert.ok(idle.connections > 0);
});

test('a connection the target closed while idle is replaced, and nothing is lost or repeated', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const egress = startEgress(t);
  for (let index = 0; index < 5; index++) {
    assert.equal(responseOf(await egress.call(get(target.url))).body, 'ok');
    for (const socket of target.open) socket.end();
    await eventually(() => target.open.size === 0);
  }
  assert.equal(target.requests.length, 5);
  assert.equal(target.connections, 5);
});

test('a target that closes just as the next request comes never sees it twice', async (t) => {
  // The close races with the request in every possible order; each call is one request at most.
  const target = await startTarget(t, (socket) => {
    socket.write(answer('ok', '200 OK', kept));
    socket.end();
  });
  const egress = startEgress(t, { connectionsPerHost: 1 });
  let failures = 0;
  const calls = 200;
  for (let index = 0; index < calls; index++) {
    const result = await egress.call(get(target.url, { method: 'POST', body: String(index) }));
    if (result.kind === 'failure') {
      assert.equal(result.failure.reason, 'reset');
      failures++;
    }
  }
  const bodies = target.requests.map((request) => request.split('\r\n\r\n')[1]);
  assert.equal(new Set(bodies).size, bodies.length, 'no body came twice');
  assert.ok(bodies.length >= calls - failures);
});

test('a second judged address is tried when nobody listens at the first', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    host: '127.0.0.3',
  });
  const egress = startEgress(t, {
    allowTargets: parseAllowTargets(['127.0.0.0/8:*']),
    resolve: () => ({ kind: 'addresses', addresses: ['127.0.0.2', '127.0.0.3'] }),
  });
  const url = `http://two.example.com:${target.port}/`;
  assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
  assert.equal(target.requests.length, 1);
  assert.match(target.requests[0] ?? '', /\r\nhost: two\.example\.com:/);
});

test('all addresses of a name are tried, IPv6 too, and what a server answers is told if none connects', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
    host: '127.0.0.99',
  });
  const dead = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 2}`);
  let addresses = ['::1', ...dead, '127.0.0.99'];
  const egress = startEgress(t, {
    allowTargets: parseAllowTargets(['127.0.0.0/8:*', '[::1/128]:*']),
    resolve: () => ({ kind: 'addresses', addresses }),
  });
  const url = `http://many.example.com:${target.port}/`;
  assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
  assert.equal(target.connections, 1);
  addresses = ['::1', '127.0.0.2'];
  for (const socket of target.open) socket.destroy();
  const failure = failureOf(await egress.call(get(url)));
  assert.match(failure.detail, /^nobody listens at /);
});

test('the second address is not tried once the first has been sent the request', async (t) => {
  const first = await startTarget(t, (socket) => socket.destroy(), { host: '127.0.0.2' });
  const egress = startEgress(t, {
    allowTargets: parseAllowTargets(['127.0.0.0/8:*']),
    resolve: () => ({ kind: 'addresses', addresses: ['127.0.0.2', '127.0.0.1'] }),
  });
  const failure = failureOf(await egress.call(get(`http://two.example.com:${first.port}/`)));
  assert.equal(failure.reason, 'reset');
  assert.equal(first.requests.length, 1);
});

test('a kept connection is not used for a name that has moved to another address', async (t) => {
  let address = '127.0.0.2';
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)), {
    host: '127.0.0.2',
  });
  const egress = startEgress(t, {
    allowTargets: parseAllowTargets(['127.0.0.2:*']),
    resolve: () => ({ kind: 'addresses', addresses: [address] }),
  });
  const url = `http://moving.example.com:${target.port}/`;
  assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
  address = '127.0.0.9';
  assert.equal(failureOf(await egress.call(get(url))).reason, 'blocked_address');
  assert.equal(target.requests.length, 1);
});

test('proxy variables of the environment are ignored', async (t) => {
  const proxy = await startTarget(t, (socket) => socket.write(answer('proxied')));
  const target = await startTarget(t, (socket) => socket.write(answer('direct')));
  const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY'];
  for (const name of names) {
    const before = process.env[name];
    process.env[name] = proxy.url;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  assert.equal(responseOf(await startEgress(t).call(get(target.url))).body, 'direct');
  assert.equal(proxy.connections, 0);
});

test('a thousand hostile answers leave no socket behind', async (t) => {
  const misdeeds = [
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
    'nonsense\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'v'.repeat(20_000)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(50_000)}`,
    'HTTP/1.1 103 Hi\r\n\r\n'.repeat(100),
  ];
  const target = await startTarget(t, (socket, _request, index) => {
    socket.end(misdeeds[index % misdeeds.length] ?? '');
  });
  const egress = startEgress(t);
  for (let round = 0; round < 100; round++) {
    await Promise.all(Array.from({ length: 10 }, () => egress.call(get(target.url))));
  }
  assert.equal(target.requests.length, 1000);
  await eventually(() => target.open.size === 0);
});

test('an idle connection does not keep the process alive', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok', '200 OK', kept)));
  const script = `
    import { createEgress } from ${JSON.stringify(new URL('../../src/egress/egress.ts', import.meta.url).href)};
    import { parseAllowTargets } from ${JSON.stringify(new URL('../../src/domain/targets/target.ts', import.meta.url).href)};
    const egress = createEgress({
      allowTargets: parseAllowTargets(['127.0.0.1:*']), connectionsPerHost: 1, userAgent: 'x' });
    const call = { url: ${JSON.stringify(target.url)}, method: 'GET', headers: {}, body: null, timeoutMs: 60000 };
    const result = await egress.call(call);
    process.exitCode = result.kind === 'response' ? 42 : 1;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number];
  assert.equal(code, 42);
});

test('a connection that is reset as soon as it is accepted fails with reset', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startEgress(t);
  // The state of a Node socket if the reset arrived before it was read.
  const sockets = Socket.prototype as unknown as { _getpeername: () => object };
  t.mock.method(sockets, '_getpeername', () => ({}));
  for (const url of [target.url, target.url.replace('http:', 'https:')]) {
    assert.deepEqual(failureOf(await egress.call(get(url))), {
      reason: 'reset',
      detail: `the connection was reset by 127.0.0.1:${target.port}`,
    });
  }
  assert.deepEqual(target.requests, []);
});
