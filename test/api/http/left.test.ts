/** Work for a client that has closed its connection ends, and is no error. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFastify } from '../../../src/api/http/fastify.ts';
import { whenLeft } from '../../../src/api/http/left.ts';
import { createRequestLimits } from '../../../src/api/http/limits/request-limits.ts';
import { openLog } from '../../../src/base/log.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { noKeys } from '../../support/fakes/admissions.ts';
import { openSocket } from '../../support/hostile/raw.ts';

test('steps end once the client has left, also one that left before, and nothing is logged', async (t) => {
  const errors: unknown[] = [];
  const log = Object.assign(Object.create(openLog('silent')), {
    error: (...words: unknown[]) => errors.push(words),
  });
  const requests = createRequestLimits({ clock: systemClock, admissions: noKeys });
  const server = createFastify({ log, requests });
  t.after(() => server.close());
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<AbortSignal>();
  server.get('/steps', async (_, answer) => {
    const signal = whenLeft(answer);
    begun.resolve();
    try {
      for (;;) await setImmediate(null, { signal });
    } finally {
      ended.resolve(whenLeft(answer));
    }
  });
  server.get('/ok', () => ({ ok: true }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const socket = await openSocket(url);
  socket.write('GET /steps HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  socket.destroy();
  await once(socket, 'close');
  assert.equal((await ended.promise).aborted, true);
  assert.equal((await fetch(`${url}/ok`)).status, 200);
  assert.deepEqual(errors, []);
});
