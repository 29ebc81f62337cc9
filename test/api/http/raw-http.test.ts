/** The server answers any bytes, closes the connection, and keeps running. */

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connectionOf } from '../../../src/api/http/limits/connection.ts';
import { startServer } from '../../../src/serve/server.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { openLog } from '../../../src/base/log.ts';
import { brokenRequests, type BrokenRequest } from '../../support/hostile/broken-requests.ts';
import { fakeClock, type FakeClock } from '../../support/fakes/clock.ts';
import {
  exchange,
  openSocket,
  parseAnswers,
  receiveAll,
  type RawAnswer,
} from '../../support/hostile/raw.ts';
import { quietApp } from '../../support/running/app.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { seed } from '../../support/dice.ts';
import { until } from '../../support/until.ts';

/** Requests at the same time. */
const atOnce = 50;
const patient = { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 };

interface Tested {
  url: string;
  keys: string[];
  clock: FakeClock;
}

/** Makes it, with time enough for each request. */
async function startPatientServer(t: TestContext): Promise<Tested> {
  const { store } = await openTestStore(t);
  const clock = fakeClock();
  const key = { workspace: 'default', name: '' } as const;
  const made = [
    await createKey({ store, clock }, { ...key, permission: 'write' }),
    await createKey({ store, clock }, { ...key, permission: 'read' }),
  ];
  const server = await startServer(
    quietApp({ store, clock, allowTargets: loopback }),
    {
      host: '127.0.0.1',
      port: 0,
      baseUrl: null,
      corsOrigins: ['https://app.example.com'],
      connections: { ...patient, keepAliveTimeoutMs: 1, checkIntervalMs: 10 },
    },
    openLog('silent'),
  );
  t.after(() => server[Symbol.asyncDispose]());
  return { url: server.url, clock, keys: made.map(({ secret }) => secret) };
}

/** The connections that servers of this process accept, by the ports of their clients. */
function watchAccepted(t: TestContext): Map<number, Accepted> {
  const accepted = new Map<number, Accepted>();
  const note = (message: unknown): void => {
    const { socket } = message as { socket: Accepted };
    // Node would keep each a second longer.
    socket.server.keepAliveTimeoutBuffer = 0;
    accepted.set(socket.remotePort ?? 0, socket);
  };
  subscribe('net.server.socket', note);
  t.after(() => unsubscribe('net.server.socket', note));
  return accepted;
}

type Accepted = Socket & { server: Server };

/** Whether a server has read this much, and has nothing to answer. */
function isStill(socket: Accepted | undefined, bytes: number): boolean {
  if (socket === undefined) return false;
  const turn = connectionOf(socket)?.turn;
  return socket.destroyed || (socket.bytesRead === bytes && turn?.request.complete !== true);
}

interface Sent {
  request: BrokenRequest;
  socket: Socket;
  port: number;
  received: Promise<Buffer>;
}

async function send(url: string, request: BrokenRequest): Promise<Sent> {
  const { bytes, ending } = request;
  const socket = await openSocket(url);
  const received = receiveAll(socket);
  const port = socket.localPort ?? 0;
  if (ending === 'ends') socket.end(bytes);
  else socket.write(bytes);
  if (ending === 'vanishes') socket.resetAndDestroy();
  return { request, socket, port, received };
}

function assertAnswers(answers: RawAnswer[], request: BrokenRequest): void {
  const what = `${request.kinds.join(', ')}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 300))}`;
  for (const { status, headers, body } of answers) {
    assert.ok(status < 500, `${status} for ${what}`);
    if (status < 400) continue;
    assert.match(headers.get('content-type') ?? '', /^application\/json/, what);
    const { error, ...rest } = JSON.parse(body) as { error: string };
    assert.ok(error.length > 0 && error.length < 400, what);
    assert.deepEqual(rest, {}, what);
    assert.doesNotMatch(error, /\n|at .*\.[jt]s:\d|node:/, what);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  }
  if (request.ending === 'waits') assert.ok(answers.length > 0, `no answer for ${what}`);
}

test('1,000 malformed requests: each is answered and closed, none is a 5xx, the server keeps running', async (t) => {
  const accepted = watchAccepted(t);
  const { url, keys, clock } = await startPatientServer(t);
  const requests = brokenRequests(seed, 1_000, keys);
  const statuses = new Map<number, number>();
  for (let from = 0; from < requests.length; from += atOnce) {
    const round = requests.slice(from, from + atOnce);
    // Long enough that rate limits do not hide another cause.
    clock.pass(round.length * 1_000);
    const sent = await Promise.all(round.map((request) => send(url, request)));
    const isOver = ({ request, socket, port }: Sent): boolean =>
      socket.closed || isStill(accepted.get(port), request.bytes.length);
    await until('requests that can only wait', () => sent.every(isOver));
    const servers = new Set(Array.from(accepted.values(), ({ server }) => server));
    for (const server of servers) Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });
    for (const { request, received } of sent) {
      const answers = await received;
      if (request.ending === 'vanishes') continue;
      const parsed = parseAnswers(answers);
      assertAnswers(parsed, request);
      for (const { status } of parsed) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    for (const server of servers) {
      server.headersTimeout = patient.headersTimeoutMs;
      server.requestTimeout = patient.requestTimeoutMs;
    }
    accepted.clear();
  }

  // The generator is only useful if it reaches every kind of refusal.
  for (const status of [200, 400, 401, 403, 404, 408, 413, 431]) {
    assert.ok(statuses.has(status), `${status} is among ${[...statuses.keys()].join()}`);
  }
  const headers = { authorization: `Bearer ${keys[0]}` };
  const after = await fetch(`${url}/api/v1/jobs`, { headers });
  assert.equal(after.status, 200);
  assert.deepEqual(await after.json(), { jobs: [], nextCursor: null });
});

test('what follows a request with Upgrade on its connection is no request', async (t) => {
  const { url, keys } = await startPatientServer(t);
  const inside = `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys[0]}\r\n\r\n`;
  const socket = await openSocket(url);
  const received = receiveAll(socket);
  const upgrade = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
  // Node's parser drops this head, as it is in the packet of the one before.
  const head = `POST /ping/none HTTP/1.1\r\nHost: a\r\nContent-Length: ${inside.length}\r\n\r\n`;
  socket.write(upgrade + head);
  socket.once('data', () => socket.write(inside));
  const answers = parseAnswers(await received);
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('connection')]),
    [[200, 'close']],
  );
});

test('a request with Upgrade whose body comes too late is answered', async (t) => {
  const accepted = watchAccepted(t);
  const { url } = await startPatientServer(t);
  const socket = await openSocket(url);
  const received = receiveAll(socket);
  const type = 'Content-Type: application/json\r\nContent-Length: 10';
  const head = `POST /healthz HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n${type}\r\n\r\n`;
  socket.write(head);
  const port = socket.localPort ?? 0;
  await until('a request without its body', () => isStill(accepted.get(port), head.length));
  for (const { server } of accepted.values()) {
    Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });
  }
  assert.deepEqual(
    parseAnswers(await received).map(({ status }) => status),
    [408],
  );
});

test('a sign-in of no Host is not from the page, whatever its Origin', async (t) => {
  const { url } = await startPatientServer(t);
  const body = '{"code":"none"}';
  for (const origin of ['null', 'https://other.example.com']) {
    const head = `Origin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const [answer] = await exchange(url, `POST /api/v1/session HTTP/1.0\r\n${head}\r\n\r\n${body}`);
    assert.equal(answer?.status, 403, answer?.body);
  }
});
