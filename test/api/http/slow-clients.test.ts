/** Slow, greedy and broken clients are disconnected, with a reason where one can be sent. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connectionOf, mostWaiting } from '../../../src/api/http/limits/connection.ts';
import { maxBodyBytes, type ConnectionLimits } from '../../../src/api/http/limits/connections.ts';
import { createFastify, type ApiServer } from '../../../src/api/http/fastify.ts';
import { createRequestLimits } from '../../../src/api/http/limits/request-limits.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { openLog } from '../../../src/base/log.ts';
import { noKeys } from '../../support/fakes/admissions.ts';
import { exchange, openSocket, parseAnswers, receiveAll } from '../../support/hostile/raw.ts';
import type { RawAnswer } from '../../support/hostile/raw.ts';
import { until } from '../../support/until.ts';

const log = openLog('silent');

interface Listening {
  url: string;
  server: ApiServer;
  /** Requests that were started. */
  begun: () => number;
}

/** A server with a few routes, which looks at its connections often. */
async function listen(t: TestContext, limits: Partial<ConnectionLimits> = {}): Promise<Listening> {
  const server = createFastify({
    log,
    requests: createRequestLimits({ clock: systemClock, admissions: noKeys }),
    limits: { checkIntervalMs: 20, maxUntakenBytes: 2 ** 30, ...limits },
  });
  let begun = 0;
  server.addHook('onRequest', async () => void (begun += 1));
  server.get('/ok', () => ({ ok: true }));
  server.get('/trusted', ({ socket }) => {
    connectionOf(socket)?.trust();
    return { ok: true };
  });
  server.post('/size', ({ body }) => ({ size: JSON.stringify(body).length }));
  server.get('/endless', (_, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)));
  await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => {
    server.server.closeAllConnections();
    return server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server, begun: () => begun };
}

function connections({ server }: ApiServer): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_, count) => resolve(count));
  });
}

function assertError(answer: RawAnswer | undefined, status: number, words: RegExp): void {
  assert.equal(answer?.status, status, answer?.body);
  const body = JSON.parse(answer.body) as { error: string };
  assert.deepEqual(Object.keys(body), ['error']);
  assert.match(body.error, words);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

test('a client whose headers do not arrive in time gets 408 and is disconnected', async (t) => {
  const { url } = await listen(t, { headersTimeoutMs: 100 });
  for (const start of ['', 'GET /ok', 'GET /ok HTTP/1.1\r\nHost: a\r\nX-Slow: ']) {
    const answers = await exchange(url, start);
    assert.equal(answers.length, 1);
    assertError(answers[0], 408, /did not arrive in time/);
  }
});

test('sending a byte now and then does not extend the timeout', async (t) => {
  const { url } = await listen(t, { headersTimeoutMs: 100, requestTimeoutMs: 200 });
  const starts = [
    'GET /ok HTTP/1.1\r\nHost: a\r\nX-Slow: ',
    'POST /size HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n',
  ];
  for (const start of starts) {
    const socket = await openSocket(url);
    socket.write(start);
    const timer = setInterval(() => socket.write('1'), 10);
    t.after(() => clearInterval(timer));
    const answers = parseAnswers(await receiveAll(socket));
    clearInterval(timer);
    assertError(answers[0], 408, /did not arrive in time/);
  }
});

test('a client that does not read its response is disconnected', async (t) => {
  const { url, server } = await listen(t, { idleTimeoutMs: 100 });
  const socket = await openSocket(url);
  t.after(() => socket.destroy());
  assert.equal(await connections(server), 1);
  socket.pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the end of the connection', async () => (await connections(server)) === 0);
});

test('a kept-alive connection is closed without a response after its idle timeout', async (t) => {
  const { url, server } = await listen(t, { keepAliveTimeoutMs: 60_000 });
  assert.equal(server.server.keepAliveTimeout, 60_000);
  const socket = await openSocket(url);
  await ask(socket);
  await ask(socket);
  // It counts from the end of an answer, so only from that of the next one.
  server.server.keepAliveTimeout = 1;
  server.server.keepAliveTimeoutBuffer = 0;
  const rest = receiveAll(socket);
  socket.write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.deepEqual(statuses(parseAnswers(await rest)), [200]);
});

async function ask(socket: Socket, path = '/ok'): Promise<void> {
  const came = once(socket, 'data');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const [answer] = (await came) as [Buffer];
  assert.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /);
}

test('beyond the connection limit, the longest idle connection of the larger group (trusted or not) is closed', async (t) => {
  const { url } = await listen(t, { maxConnections: 4 });
  const open = async (path: string): Promise<Socket> => {
    const socket = await openSocket(url);
    t.after(() => socket.destroy());
    await ask(socket, path);
    return socket;
  };
  const trusted = await open('/trusted');
  const [first, second] = [await open('/ok'), await open('/ok')];
  await open('/ok');
  await ask(first);
  await open('/ok');
  await until('the end of the idlest stranger', () => second.closed);
  await ask(first);
  await ask(trusted, '/trusted');
  const others = [await open('/trusted'), await open('/trusted')];
  await ask(trusted, '/trusted');
  await open('/ok');
  await until('the end of the idlest trusted one', () => others[0]?.closed === true);
  await ask(first);
  await ask(trusted);
});

test('a connection becomes trusted when a request has arrived completely, not before', async (t) => {
  const { url } = await listen(t, { maxConnections: 2 });
  const [sending, held] = [await openSocket(url), await openSocket(url)];
  t.after(() => sending.destroy());
  const came = once(sending, 'data');
  sending.write('GET /trusted HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n');
  await came;
  await ask(held, '/trusted');
  // One unknown and one trusted: if both were trusted, this one would be the longest idle.
  await ask(held);
  const third = await openSocket(url);
  t.after(() => third.destroy());
  await until('the end of the stranger', () => sending.closed);
  await ask(held);
});

test('waiting requests use few bytes, and none once a response is not read', async (t) => {
  const { url, server, begun } = await listen(t);
  const large = `GET /ok HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(3_000)}\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(url, large.repeat(10))), [200, 200]);
  const before = begun();
  const arriving = once(server.server, 'connection');
  const socket = await openSocket(url);
  t.after(() => socket.destroy());
  socket.pause();
  const [accepted] = (await arriving) as [Socket];
  socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
  await until('the look that drops them', () => connectionOf(accepted)?.isOver);
  const receiving = receiveAll(socket);
  socket.resume();
  const received = await receiving;
  assert.ok(received.length > 64 * 1024 * 1024, 'the first answer is whole');
  assert.equal(begun() - before, 1);
});

test('of 2,000 requests in one packet the first few are answered, then the connection is closed', async (t) => {
  const { url, begun } = await listen(t);
  const answers = await exchange(url, 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000));
  assert.deepEqual(statuses(answers), Array(mostWaiting + 1).fill(200));
  assert.equal(begun(), mostWaiting + 1);
});

test('a request waits until the previous response is read', async (t) => {
  const { url, begun } = await listen(t);
  const socket = await openSocket(url);
  t.after(() => socket.destroy());
  socket.pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
  await until('the first request', () => begun() > 0);
  // A later connection is served in the meantime.
  await ask(await openSocket(url));
  assert.equal(begun(), 2);
});

test('a client that reads its response very slowly is disconnected in the end', async (t) => {
  const { url, server } = await listen(t, { takeTimeoutMs: 200 });
  const socket = await openSocket(url);
  socket.pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
  const timer = setInterval(() => socket.read(1_000), 10);
  t.after(() => {
    clearInterval(timer);
    socket.destroy();
  });
  await until('the end of the connection', async () => (await connections(server)) === 0);
});

test('past a total of bytes that wait, the one that waited longest is closed, no other', async (t) => {
  const { url, server } = await listen(t, { maxUntakenBytes: 100 * 1024 * 1024 });
  const [first, second] = [await openSocket(url), await openSocket(url)];
  for (const socket of [first, second]) {
    const coming = once(server.server, 'request');
    socket.pause();
    socket.write('GET /endless HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const [request] = (await coming) as [IncomingMessage];
    await until('a look', () => connectionOf(request.socket)?.untakenSince !== null);
  }
  await until('the end of one', async () => (await connections(server)) === 1);
  assert.ok((await receiveAll(second.resume())).length > 64 * 1024 * 1024, 'it is whole');
});

test('an error while accepting a connection does not stop the server', async (t) => {
  const { url, server } = await listen(t);
  server.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  await ask(await openSocket(url));
});

const post = 'POST /size HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

test('a body declared over 256 KiB is 413 before any of it is sent', async (t) => {
  const { url } = await listen(t);
  const answers = await exchange(url, `${post}Content-Length: ${maxBodyBytes + 1}\r\n\r\n`);
  assert.equal(answers.length, 1);
  assertError(answers[0], 413, /at most 256 KiB/);
  assert.equal(answers[0]?.headers.get('connection'), 'close');
});

test('a body that turns out to be over 256 KiB, or is not HTTP, is not read to its end', async (t) => {
  const { url } = await listen(t);
  const endless = 256 * 1024 * 1024;
  const chunk = Buffer.from(`10000\r\n${'1'.repeat(0x10000)}\r\n`);
  for (const start of [
    `${post}Transfer-Encoding: chunked\r\n\r\n`,
    `${post}Host: b\r\nTransfer-Encoding: chunked\r\n\r\n`,
    'garbage\r\n\r\n',
  ]) {
    const socket = await openSocket(url, { allowHalfOpen: true });
    const received = receiveAll(socket);
    socket.write(start);
    let sent = 0;
    while (!socket.destroyed && sent < endless) {
      sent += chunk.length;
      if (!socket.write(chunk)) {
        await new Promise((resolve) => {
          socket.once('drain', resolve).once('close', resolve);
        });
      }
    }
    socket.end();
    await received;
    // Bytes in kernel buffers count too.
    assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes went out after ${start}`);
  }
});

test('a client that sends its whole body before reading gets the 413 too', async (t) => {
  const { url } = await listen(t);
  const part = '1'.repeat(100_000);
  const framings: [declared: string, part: string, end: string][] = [
    [`Content-Length: ${part.length * 8}`, part, ''],
    ['Transfer-Encoding: chunked', `${part.length.toString(16)}\r\n${part}\r\n`, '0\r\n\r\n'],
  ];
  for (const [declared, piece, end] of framings) {
    const socket = await openSocket(url);
    const write = (text: string): Promise<unknown> =>
      new Promise((resolve) => {
        socket.write(text, resolve);
      });
    await write(`${post}${declared}\r\n\r\n`);
    for (let count = 0; count < 8; count += 1) await write(piece);
    await write(end);
    const [answer] = parseAnswers(await receiveAll(socket));
    assertError(answer, 413, /at most 256 KiB/);
  }
});

test('a client that keeps its side open after such a response is disconnected', async (t) => {
  const { url, server } = await listen(t);
  const socket = await openSocket(url, { allowHalfOpen: true });
  t.after(() => socket.destroy());
  socket.write(`${post}Content-Length: ${maxBodyBytes + 1}\r\n\r\n`);
  socket.resume();
  await once(socket, 'end');
  assert.equal(await connections(server), 1);
  await until('the end of the connection', async () => (await connections(server)) === 0);
});

test('a request whose unread body never arrives gets no extra time', async (t) => {
  const { url, server } = await listen(t);
  const socket = await openSocket(url);
  const [came, all] = [once(socket, 'data'), receiveAll(socket)];
  socket.write(`${post}Host: b\r\nContent-Length: 9\r\n\r\n`);
  await came;
  server.server.headersTimeout = 1;
  server.server.requestTimeout = 1;
  assert.deepEqual(statuses(parseAnswers(await all)), [400]);
});

function expecting(length: number, what = '100-continue'): string {
  return `${post}Connection: close\r\nExpect: ${what}\r\nContent-Length: ${length}\r\n\r\n`;
}

function statuses(answers: RawAnswer[]): number[] {
  return answers.map(({ status }) => status);
}

test('Expect: 100-continue is answered with 100 only if the body may be read', async (t) => {
  const { url } = await listen(t);
  const large = await exchange(url, expecting(maxBodyBytes + 1));
  assert.equal(large.length, 1, 'no 100 Continue');
  assertError(large[0], 413, /at most 256 KiB/);

  assert.deepEqual(statuses(await exchange(url, `${expecting(3)}123`)), [100, 200]);
  assert.deepEqual(statuses(await exchange(url, `${expecting(3, 'miracles')}123`)), [200]);
});

test('bytes that are not HTTP get an error that says so, and the connection is closed', async (t) => {
  const { url } = await listen(t);
  const rows: [what: string, bytes: string, status: number, words: RegExp][] = [
    ['words', 'hello\r\n\r\n', 400, /not valid HTTP/],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, /not valid HTTP/],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, /not valid HTTP/],
    ['no colon', 'GET /ok HTTP/1.1\r\nHost a\r\n\r\n', 400, /not valid HTTP: Invalid header/],
    ['a NUL', 'GET /ok HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n', 400, /not valid HTTP/],
    [
      'two lengths',
      `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      /not valid HTTP/,
    ],
    [
      'a wrong chunk size',
      `${post}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      400,
      /not valid HTTP/,
    ],
    [
      'large headers',
      `GET /ok HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      /at most 16 KiB/,
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 404, /nothing at CONNECT/],
    ['no host', 'GET /ok HTTP/1.1\r\nConnection: close\r\n\r\n', 400, /must have a Host header/],
    [
      'two hosts',
      'GET /ok HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
      400,
      /must have one Host header, got 2/,
    ],
    [
      'a host that is none',
      'GET /ok HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n',
      400,
      /Host header is malformed/,
    ],
  ];
  for (const [what, bytes, status, words] of rows) {
    const answers = await exchange(url, Buffer.from(bytes, 'latin1'));
    assert.equal(answers.length, 1, what);
    assertError(answers[0], status, words);
    assert.equal(answers[0]?.headers.get('connection'), 'close', what);
  }
  const [old] = await exchange(url, 'GET /ok HTTP/1.0\r\n\r\n');
  assert.equal(old?.status, 200, 'HTTP/1.0 knows no Host header');
});

test('requests before a broken one on the same connection are answered, in order', async (t) => {
  const { url } = await listen(t);
  const request = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
  const atOnce = await exchange(url, `${request}${request}garbage garbage\r\n\r\n`);
  assert.deepEqual(statuses(atOnce), [200, 200, 400]);

  const socket = await openSocket(url);
  socket.write(request);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.write('garbage garbage\r\n\r\n');
  const inTurn = parseAnswers(Buffer.concat([first, await receiveAll(socket)]));
  assert.deepEqual(statuses(inTurn), [200, 400]);
});
