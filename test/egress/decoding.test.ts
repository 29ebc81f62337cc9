/** An exchange ends with the last byte, however long its answer waits to be decoded. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { KeptBody } from '../../src/egress/http/decode.ts';
import { fakeTimers } from '../support/fakes/timers.ts';
import { answer, get, inPhase, responseOf, startEgress, startTarget } from './support.ts';

const zipped = answer(gzipSync('hello'), '200 OK', 'content-encoding: gzip\r\n');

/** Keeps all places where answers are decoded busy, until they are freed. */
function occupy(t: TestContext): () => void {
  const busy = Array.from({ length: 2 }, () => new PassThrough({ flush() {} }));
  for (const stream of busy) void new KeptBody(() => stream, null).finish(false);
  const free = (): void => busy.forEach((stream) => stream.destroy());
  t.after(free);
  return free;
}

test('an answer says how long it waited to be decoded, and its deadline does not go on', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => socket.write(zipped));
  const egress = startEgress(t, { timers });
  const free = occupy(t);
  const call = egress.call(get(target.url, { timeoutMs: 1_000 }));
  await inPhase(timers, 'reading the body');
  timers.pass(5_000);
  free();
  const { body, broken, decodingMs } = responseOf(await call);
  assert.deepEqual([body, broken, decodingMs], ['hello', null, 5_000]);
});
