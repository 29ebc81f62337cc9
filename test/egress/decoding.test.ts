/** An exchange ends with the last byte, however long its answer waits to be decoded; and that is not long. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { KeptBody } from '../../src/egress/http/decode.ts';
import { fakeTimers } from '../support/fakes/timers.ts';
import { answer, get, inPhase, responseOf, startEgress, startTarget } from './support.ts';

const patienceMs = 1_000;
const zip = gzipSync('hello');

/** Keeps all places where answers are decoded busy, until they are freed. */
function occupy(t: TestContext): () => void {
  const busy = Array.from({ length: 2 }, () => new PassThrough({ flush() {} }));
  for (const stream of busy)
    void new KeptBody(() => stream, null).finish(false, 'busy', fakeTimers());
  const free = (): void => busy.forEach((stream) => stream.destroy());
  t.after(free);
  return free;
}

/** Begins a call whose answer is compressed. Its own deadline is over before it would be decoded too late. */
async function begin(t: TestContext) {
  const timers = fakeTimers();
  const zipped = answer(zip, '200 OK', 'content-encoding: gzip\r\n');
  const target = await startTarget(t, (socket) => socket.write(zipped));
  const call = startEgress(t, { timers }).call(get(target.url, { timeoutMs: patienceMs / 2 }));
  return { call, timers };
}

test('an answer says how long it waited to be decoded', async (t) => {
  const free = occupy(t);
  const { call, timers } = await begin(t);
  await inPhase(timers, 'reading the body');
  timers.pass(patienceMs - 1);
  free();
  const { body, broken, decodingMs } = responseOf(await call);
  assert.deepEqual([body, broken, decodingMs], ['hello', null, patienceMs - 1]);
});

test('an answer that is not decoded soon is kept as it came, and is no failure', async (t) => {
  const free = occupy(t);
  const { call, timers } = await begin(t);
  await inPhase(timers, 'reading the body');
  timers.pass(patienceMs);
  const { body, truncated, broken, decodingMs } = responseOf(await call);
  const whole = { body: zip.toString(), truncated: false, broken: null, decodingMs: patienceMs };
  assert.deepEqual({ body, truncated, broken, decodingMs }, whole);
  free();
  const next = await begin(t);
  assert.equal(responseOf(await next.call).body, 'hello', 'nobody waits for what came too late');
});

test('a decoder that never ends keeps no answer', async (t) => {
  const timers = fakeTimers();
  const endless = new PassThrough({ flush() {} });
  t.after(() => endless.destroy());
  const kept = new KeptBody(() => endless, null);
  kept.push(Buffer.from('as it came'));
  const shown = kept.finish(false, 'a', timers);
  timers.pass(patienceMs);
  assert.deepEqual(await shown, { text: 'as it came', truncated: false, isFull: false });
});

test('hosts have their answers decoded in turns', async (t) => {
  const free = occupy(t);
  const order: string[] = [];
  const answers = ['evil 1', 'evil 2', 'evil 3', 'good 1', 'good 2', 'other 1'];
  const shown = answers.map((name) => {
    const decoder = (): PassThrough => {
      order.push(name);
      return new PassThrough();
    };
    return new KeptBody(decoder, null).finish(false, name.split(' ')[0] ?? '', fakeTimers());
  });
  free();
  await Promise.all(shown);
  assert.deepEqual(order, ['evil 1', 'good 1', 'other 1', 'evil 2', 'good 2', 'evil 3']);
});
