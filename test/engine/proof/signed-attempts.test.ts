/** Attempts of jobs that say who makes them (docs/behavior.md#identity-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureCallKey, rotateIn } from '../../../src/app/proof/call-keys.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { loopback } from '../../support/running/store.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { testVault as vault } from '../../support/fakes/vault.ts';

const audience = 'https://api.example.com';

test('each attempt is signed anew, as of the moment when it begins', async (t) => {
  const { start, addJob, clock, endedRuns, store } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    response.writeHead(sink.received.length === 1 ? 503 : 204, { 'retry-after': '0' }).end();
  });
  await store.write((tx) => ensureCallKey({ vault, clock }, tx, 'httpsig'));
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1, sign: 'httpsig' });
  clock.set(dueAt);
  await start();
  await endedRuns(job, 1);
  const inputs = sink.received.map(({ headers }) => String(headers['signature-input']));
  assert.equal(inputs.length, 2);
  const created = inputs.map((input) => Number(/;created=(\d+);/.exec(input)?.[1]));
  for (const seconds of created) assert.ok(seconds >= dueAt / 1_000);
  assert.equal(new Set(inputs.map((input) => /nonce="([^"]+)"/.exec(input)?.[1])).size, 2);
  const runs = new Set(sink.received.map(({ headers }) => headers['x-service-run-id']));
  assert.equal(runs.size, 1);
});

test('a token that the target repeats is in no result and in no line of the log', async (t) => {
  const { start, addJob, clock, endedRuns, store, logged } = await setupEngine(t);
  const sink = await startSink(t, (response, { headers }) => {
    const token = String(headers.authorization);
    response.writeHead(302, { location: `/in?${encodeURIComponent(token)}` }).end(token);
  });
  await store.write((tx) => ensureCallKey({ vault, clock }, tx, 'oidc'));
  const job = await addJob({ ...dueOnce, url: sink.url, sign: 'oidc', audience });
  clock.set(dueAt);
  await start();
  const runs = await endedRuns(job, 1);
  const token = String(sink.received[0]?.headers.authorization).slice('Bearer '.length);
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const kept = JSON.stringify([runs, logged]);
  assert.ok(!kept.includes(token.slice(-40)), kept);
  assert.match(runs[0]?.responseBody ?? '', /\[redacted\]/);
});

test('without a key nothing is sent, and the run says what to do', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url, sign: 'httpsig' });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, sink.received.length], ['failed', 0]);
  assert.match(
    run?.error ?? '',
    /^protocol: nothing is sent: there is no key .*jobd call-key rotate/,
  );
});

test('a call whose key is gone before it is sent is signed with the new one', async (t) => {
  const { start, addJob, ask, clock, endedRuns, store } = await setupEngine(t);
  const sink = await startSink(t);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await using egress = createEgress({
    allowTargets: loopback,
    connectionsPerHost: 10,
    userAgent: 'jobd/test',
    async resolve() {
      asked.resolve();
      await answered.promise;
      return { kind: 'addresses', addresses: ['127.0.0.1'] };
    },
  });
  await store.write((tx) => ensureCallKey({ vault, clock }, tx, 'httpsig'));
  const url = sink.url.replace('127.0.0.1', 'slow.test');
  const slow = await addJob({ ...dueOnce, url, sign: 'httpsig' });
  const other = await addJob({ cronExpr: '0 0 1 1 *', url: sink.url, sign: 'httpsig' });
  clock.set(dueAt);
  const engine = await start({ egress });
  await asked.promise;
  const now = clock.now();
  const rotation = { vault, now, algorithm: null, isAtOnce: true };
  const [key] = await store.write((tx) => rotateIn(tx, rotation));
  // The next look at the keys takes the old one away from the call that waits for its address.
  clock.pass(2_000);
  await ask(other);
  engine.wake();
  await endedRuns(other, 1);
  answered.resolve();
  const [run] = await endedRuns(slow, 1);
  assert.deepEqual([run?.status, run?.attempts], ['success', 1]);
  const inputs = sink.received.map(({ headers }) => String(headers['signature-input']));
  assert.equal(inputs.length, 2);
  for (const input of inputs) assert.ok(input.includes(`keyid="${key?.keyId}"`), input);
});
