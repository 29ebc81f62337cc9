/** The server answers any bytes, closes the connection, and keeps running. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { startServer } from '../../../src/api/server.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { openLog } from '../../../src/log.ts';
import { brokenRequests } from '../../support/hostile/broken-requests.ts';
import type { BrokenRequest } from '../../support/hostile/broken-requests.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import type { FakeClock } from '../../support/fakes/clock.ts';
import { openSocket, parseAnswers, receiveAll } from '../../support/hostile/raw.ts';
import type { RawAnswer } from '../../support/hostile/raw.ts';
import { quietApp } from '../../support/running/app.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';
import { seed } from '../../support/dice.ts';

interface Tested {
  url: string;
  keys: string[];
  clock: FakeClock;
}

/** A server with short timeouts. */
async function startImpatientServer(t: TestContext): Promise<Tested> {
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
      connections: {
        headersTimeoutMs: 200,
        requestTimeoutMs: 200,
        keepAliveTimeoutMs: 50,
        checkIntervalMs: 50,
      },
    },
    openLog('silent'),
  );
  t.after(() => server[Symbol.asyncDispose]());
  return { url: server.url, clock, keys: made.map(({ secret }) => secret) };
}

async function send(url: string, { bytes, ending }: BrokenRequest): Promise<Buffer> {
  const socket = await openSocket(url);
  const received = receiveAll(socket);
  if (ending === 'ends') socket.end(bytes);
  else socket.write(bytes);
  if (ending === 'vanishes') socket.resetAndDestroy();
  return await received;
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
  const { url, keys, clock } = await startImpatientServer(t);
  const requests = brokenRequests(seed, 1_000, keys);
  const statuses = new Map<number, number>();
  const waiting = requests.values();
  const work = async (): Promise<void> => {
    for (const request of waiting) {
      // Long enough that request timeouts do not hide another cause.
      clock.pass(1_000);
      const bytes = await send(url, request);
      if (request.ending === 'vanishes') continue;
      const answers = parseAnswers(bytes);
      assertAnswers(answers, request);
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 50 }, work));

  // The generator is only useful if it reaches every kind of refusal.
  for (const status of [200, 400, 401, 403, 404, 408, 413, 431]) {
    assert.ok(statuses.has(status), `${status} is among ${[...statuses.keys()].join()}`);
  }
  const headers = { authorization: `Bearer ${keys[0]}` };
  const after = await fetch(`${url}/api/v1/jobs`, { headers });
  assert.equal(after.status, 200);
  assert.deepEqual(await after.json(), { jobs: [], nextCursor: null });
});
