/** Misbehaviour below TLS, invisible to HTTP, and the cost of one target for the others. */

import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { fakeTimers } from '../support/fakes/timers.ts';
import { until } from '../support/until.ts';
import { Rests, Wire } from '../../src/egress/wire.ts';
import { absurdChain, absurdModulus, selfSigned } from './absurd-certificates.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
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
import { openFloodingServer, type Flood, type FloodingServer } from './tls-flood.ts';

const tls = { key: serverKey, cert: goodCertificate };
const publicKey = createPublicKey(serverKey).export({ type: 'spki', format: 'der' });

async function startFlood(
  t: TestContext,
  flood: Omit<Flood, 'mostBytes'>,
): Promise<FloodingServer> {
  const server = await openFloodingServer({ ...flood, mostBytes: 4_000_000 });
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

for (const kind of ['tickets', 'key updates'] as const) {
  test(`${kind} without end on an idle connection close it`, async (t) => {
    const { promise: answered, resolve: begin } = Promise.withResolvers<void>();
    const server = await startFlood(t, { of: kind, during: 'idleness', from: answered });
    const egress = startEgress(t, { ca: authority });
    assert.equal(
      responseOf(await egress.call(get(`https://127.0.0.1:${server.port}/`))).body,
      'ok',
    );
    begin();
    await eventually(() => server.closed === 1);
    assert.ok(server.bytes < 2_000_000, `${server.bytes} bytes`);
  });

  test(`${kind} without end instead of an answer end the call`, async (t) => {
    const server = await startFlood(t, { of: kind, during: 'the answer' });
    const egress = startEgress(t, { ca: authority });
    const failure = failureOf(await egress.call(get(`https://127.0.0.1:${server.port}/`)));
    assert.equal(failure.reason, 'protocol', failure.detail);
    assert.match(failure.detail, /too many TLS sessions|more than 256 KiB under TLS/);
  });
}

test('an answer with one byte per record is read', async (t) => {
  const target = await startTarget(
    t,
    (socket) => {
      for (const byte of answer('a'.repeat(4_000), '200 OK', kept))
        socket.write(Buffer.from([byte]));
    },
    { tls },
  );
  const egress = startEgress(t, { ca: authority });
  for (let round = 0; round < 3; round++) {
    assert.equal(responseOf(await egress.call(get(target.url))).body.length, 4_000);
  }
  assert.equal(target.connections, 1);
});

test('a large answer is cut off, however fast it arrives', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('a'.repeat(2_000_000))), {
    tls,
  });
  const response = responseOf(await startEgress(t, { ca: authority }).call(get(target.url)));
  assert.deepEqual([response.body.length, response.truncated], [4_096, true]);
});

test('certificates of more than 32 KiB are not parsed', async (t) => {
  const cert = absurdChain(publicKey, 60_000);
  const target = await startTarget(t, () => {}, { tls: { key: serverKey, cert } });
  assert.deepEqual(failureOf(await startEgress(t).call(get(target.url))), {
    reason: 'tls',
    detail: '127.0.0.1: the TLS handshake takes more than 32 KiB',
  });
});

test('expensive certificates of a host are verified one at a time, with pauses', async (t) => {
  const cert = absurdChain(publicKey, 30_000);
  const costly = await startTarget(t, () => {}, { tls: { key: serverKey, cert } });
  const timers = fakeTimers();
  const egress = startEgress(t, { ca: authority, timers });
  let verified = 0;
  const calls = Array.from({ length: 4 }, async () => {
    assert.match(failureOf(await egress.call(get(costly.url))).detail, /the handshake failed/);
    verified++;
  });
  const resting = () => timers.waiting.filter(({ given }) => given instanceof Wire);
  for (let round = 1; round <= 4; round++) {
    await until('a verdict', () => verified >= round && resting().length + verified === 4);
    assert.equal(verified, round, 'the others rest');
    timers.pass(resting()[0]?.inMs ?? 0);
  }
  await Promise.all(calls);
});

test('a host with an expensive handshake is paused for twenty times as long, others are not', () => {
  const timers = fakeTimers();
  const rests = new Rests(timers);
  rests.add('192.0.2.1', 9);
  assert.equal(rests.leftMs('192.0.2.1'), 0);
  rests.add('192.0.2.1', 60);
  assert.deepEqual([rests.leftMs('192.0.2.1'), rests.leftMs('192.0.2.2')], [1_000, 0]);
  timers.pass(400);
  assert.equal(rests.leftMs('192.0.2.1'), 600);
  timers.pass(599);
  assert.equal(rests.leftMs('192.0.2.1'), 1);
  timers.pass(1);
  assert.equal(rests.leftMs('192.0.2.1'), 0);
});

test('a server that only offers its own Diffie-Hellman parameters is refused', async (t) => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const cert = selfSigned(keys.privateKey, keys.publicKey);
  const dhparam = absurdModulus(10_000);
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
  const target = await startTarget(t, () => {}, {
    tls: { key, cert, dhparam, ciphers, maxVersion: 'TLSv1.2' },
  });
  const failure = failureOf(await startEgress(t).call(get(target.url)));
  assert.equal(failure.reason, 'tls');
  assert.match(failure.detail, /the server refused the handshake/);
});

test('a server that only offers finite fields is refused in TLS 1.3, too', async (t) => {
  const target = await startTarget(t, () => {}, { tls: { ...tls, ecdhCurve: 'ffdhe3072' } });
  const failure = failureOf(await startEgress(t, { ca: authority }).call(get(target.url)));
  assert.match(failure.detail, /the server refused the handshake/);
});

for (const ecdhCurve of ['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521', 'X448']) {
  test(`a server that only offers ${ecdhCurve} is called`, async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')), {
      tls: { ...tls, ecdhCurve },
    });
    assert.equal(
      responseOf(await startEgress(t, { ca: authority }).call(get(target.url))).body,
      'ok',
    );
  });
}
