/** A stop does not wait for clients that have not finished their request. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startServer } from '../../../src/serve/server.ts';
import { openLog } from '../../../src/base/log.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { openSocket, receiveAll } from '../../support/hostile/raw.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

test(
  'a client in the middle of a request does not delay a stop for more than six seconds',
  { timeout: 60_000 },
  async (t) => {
    const { store } = await openTestStore(t);
    const server = await startServer(
      quietApp({ store, clock: fakeClock() }),
      {
        host: '127.0.0.1',
        port: 0,
        baseUrl: null,
        corsOrigins: [],
        connections: { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 },
      },
      openLog('silent'),
    );
    const socket = await openSocket(server.url);
    const received = receiveAll(socket);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: ');
    // The server has read it once it answers a later connection.
    await fetch(`${server.url}/healthz`);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const stopped = server[Symbol.asyncDispose]();
    t.mock.timers.tick(5_999);
    await nextTurn();
    assert.equal(socket.closed, false, 'an answer could still come');
    t.mock.timers.tick(1);
    await stopped;
    assert.equal((await received).length, 0);
  },
);
