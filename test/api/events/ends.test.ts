/** How streams end, and how many there may be (docs/behavior.md#events-4). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { commentEveryMs } from '../../../src/api/events/stream.ts';
import { startServer, type ServerOptions } from '../../../src/serve/server.ts';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace, deleteWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { createEvents } from '../../../src/app/events.ts';
import { sessionTerms } from '../../../src/domain/accounts/session.ts';
import { openLog } from '../../../src/base/log.ts';
import { openTestLocal } from '../../support/running/local.ts';
import type { Local } from '../../../src/serve/local-store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { openSocket } from '../../support/hostile/raw.ts';
import { quietApp } from '../../support/running/app.ts';
import { signIn } from '../../support/running/browser.ts';
import { openStream, type TestStream } from '../../support/running/events.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

interface Setup extends Pick<ServerOptions, 'connections'> {
  mostStreams?: number;
}

/** A server without an engine, and what commands of another process open. */
async function setup(t: TestContext, { connections = {}, mostStreams = 256 }: Setup = {}) {
  const clock = fakeClock();
  const dataDir = temporaryDirectory(t);
  const parts = new AsyncDisposableStack();
  t.after(() => parts.disposeAsync());
  const { store } = parts.use(await openTestLocal(dataDir, clock));
  const elsewhere: Local = parts.use(await openTestLocal(dataDir, clock));
  const events = createEvents({ clock, version: '1.2.3', mostStreams });
  const server = parts.use(
    await startServer(
      quietApp({ store, clock, events }),
      { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [], connections },
      openLog('silent'),
    ),
  );
  const newKey = (workspace = 'default') =>
    createKey(elsewhere, { workspace, permission: 'read', name: '' });
  return { url: server.url, server, clock, events, elsewhere, newKey };
}

async function untilOver(stream: TestStream, reason: string): Promise<void> {
  assert.equal((await stream.next('end')).data.reason, reason);
  await until('the end of the connection', () => stream.isOver());
}

test('a key that another process revoked, an expired one and one of a deleted workspace lose their streams with the next comment', async (t) => {
  const { url, clock, events, elsewhere, newKey } = await setup(t);
  await createWorkspace(elsewhere, { name: 'other', account: 'default' });
  const revoked = await newKey();
  const deleted = await newKey('other');
  const expiresAt = clock.now() + 1_000;
  const input = { workspace: 'default', permission: 'read', name: '', expiresAt } as const;
  const expiring = await createKey(elsewhere, input);
  const valid = await newKey();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const open = ({ secret: key }: { secret: string }) => openStream(t, { url, key });
  const ended = [await open(revoked), await open(deleted), await open(expiring)];
  const kept = await open(valid);
  t.mock.timers.tick(commentEveryMs);
  await until('the comments', () => ended.every((stream) => stream.text().endsWith('\n\n:\n\n')));
  await revokeKey(elsewhere, revoked.key.id);
  await deleteWorkspace(elsewhere, 'other');
  clock.advance(1_000);
  t.mock.timers.tick(commentEveryMs);
  for (const stream of ended) await untilOver(stream, 'unauthenticated');
  await until('the comment', () => kept.text().endsWith('\n\n:\n\n:\n\n'));
  assert.equal(events.size, 1);
});

test('an open stream does not keep its session alive', async (t) => {
  const { url, clock, newKey } = await setup(t);
  const { secret: key } = await newKey();
  const { cookie } = await signIn(url, { key });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const stream = await openStream(t, { url, cookie });
  clock.advance(sessionTerms.usual.unusedMs - 1);
  t.mock.timers.tick(commentEveryMs);
  await until('the comment', () => stream.text().endsWith('\n\n:\n\n'));
  // The look at the session follows its comment, and this request comes after both.
  await signIn(url, { key });
  assert.equal(stream.isOver(), false);
  clock.advance(1);
  t.mock.timers.tick(commentEveryMs);
  await untilOver(stream, 'unauthenticated');
});

test('a key that jobd itself revokes loses its streams at once', async (t) => {
  const { url, events, newKey } = await setup(t);
  const { key, secret } = await newKey();
  const streams = [
    await openStream(t, { url, key: secret }),
    await openStream(t, { url, key: secret }),
  ];
  events.endStreamsOf(key.id, 'revoked');
  for (const stream of streams) await untilOver(stream, 'revoked');
});

test('a key may have 8 streams; a closed one makes place; a full server says so', async (t) => {
  const { url, clock, events, newKey } = await setup(t, { mostStreams: 24 });
  const { secret: key } = await newKey();
  const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(t, { url, key })));
  const refusal = {
    status: 429,
    message: /"a key may have 8 event streams open: close one of them"/,
  };
  await assert.rejects(openStream(t, { url, key }), refusal);
  streams[0]?.close();
  await until('a place', () => events.size === 7);
  await openStream(t, { url, key });
  const { secret: another } = await newKey();
  for (let count = 0; count < 4; count += 1) await openStream(t, { url, key: another });
  await assert.rejects(openStream(t, { url, key: another }), { status: 503, message: /too many/ });

  // Opening is a request like any other.
  for (let asked = 11; asked <= 120; asked += 1)
    await assert.rejects(openStream(t, { url, key }), refusal);
  const limit = { status: 429, message: /a key may ask 120 times a minute/ };
  await assert.rejects(openStream(t, { url, key }), limit);
  clock.pass(61_000);
  await assert.rejects(openStream(t, { url, key }), refusal);
});

test('a stop ends 50 streams, those of clients that read nothing too, and waits for none of them', async (t) => {
  const { url, server, events, newKey } = await setup(t);
  const streams: TestStream[] = [];
  while (streams.length < 50) {
    const { secret: key } = await newKey();
    streams.push(
      ...(await Promise.all(Array.from({ length: 5 }, () => openStream(t, { url, key })))),
    );
  }
  const { secret } = await newKey();
  const stalled = await openSocket(url);
  t.after(() => stalled.destroy());
  stalled.pause();
  stalled.write(
    `GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
  );
  await until('the last stream', () => events.size === 51);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isStopped = false;
  void server[Symbol.asyncDispose]().then(() => (isStopped = true));
  let passedMs = 0;
  await until('the stop', () => {
    // A server that waits for an answer cuts it off after 6 s, which is not reached.
    const stepMs = passedMs < 5_000 ? 500 : 0;
    t.mock.timers.tick(stepMs);
    passedMs += stepMs;
    return isStopped;
  });
  t.mock.timers.reset();
  for (const stream of streams) await untilOver(stream, 'unavailable');
});

test('comments keep a stream open; without them the idle timeout closes its connection', async (t) => {
  const { url, events, newKey } = await setup(t, { connections: { idleTimeoutMs: 2_000 } });
  const { secret: key } = await newKey();
  // Real time, which the mocked intervals of the server follow faster.
  const comments = setInterval(() => t.mock.timers.tick(commentEveryMs), 100);
  // Bound before it is mocked.
  const stopComments = clearInterval.bind(null, comments);
  t.after(stopComments);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const stream = await openStream(t, { url, key });
  const began = performance.now();
  await until('twice the timeout', () => performance.now() - began > 4_000);
  assert.equal(events.size, 1);
  stopComments();
  await until('the timeout', () => stream.isOver());
  await until('the end of the stream', () => events.size === 0);
});

test('1,000 streams that are opened and closed, some before they are answered, leave nothing', async (t) => {
  const { url, clock, events, newKey } = await setup(t);
  const { secret: key } = await newKey();
  for (let round = 0; round < 125; round += 1) {
    clock.pass(61_000);
    const [answered, hasty] = [Array.from({ length: 4 }), Array.from({ length: 4 })];
    const streams = await Promise.all(answered.map(() => openStream(t, { url, key })));
    await Promise.all(
      hasty.map(async (_, index) => {
        const socket = await openSocket(url);
        const head = `GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
        socket.write(head, () => (index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()));
      }),
    );
    for (const stream of streams) stream.close();
    await until('the end of the streams', () => events.size === 0);
  }
  assert.equal(events.isHeard, false);
});
