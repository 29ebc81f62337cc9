/** A process that stood still when the time of a call was up: what came meanwhile counts, and nothing else is the target's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import { Deadline, Deadlines } from '../../src/egress/deadline.ts';
import { createMailer } from '../../src/egress/mail.ts';
import { parseMailServer } from '../../src/domain/alerts/mail-server.ts';
import { fakeTimers, type FakeTimers } from '../support/fakes/timers.ts';
import { authority, goodCertificate, serverKey } from './certificates.ts';
import {
  answer,
  callsIn,
  eventually,
  failureOf,
  get,
  inPhase,
  responseOf,
  startEgress,
  startTarget,
} from './support.ts';

const timeoutMs = 10_000;
const tls = { key: serverKey, cert: goodCertificate };

/** A target that writes this, and in the same moment the process stands still for a time. */
async function stalled(
  t: Parameters<typeof startTarget>[0],
  given: string | Buffer | null,
  pass: (timers: FakeTimers) => void = (timers) => timers.stall(timeoutMs + 5_000),
  options: Parameters<typeof startTarget>[2] = {},
) {
  const timers = fakeTimers();
  const target = await startTarget(
    t,
    (socket) => {
      if (given !== null) socket.write(given);
      pass(timers);
    },
    options,
  );
  const egress = startEgress(t, { timers, ca: authority });
  return { result: await egress.call(get(target.url, { timeoutMs })), target };
}

test('an answer that came while the process stood still is a success', async (t) => {
  for (const options of [{}, { tls }]) {
    const { result, target } = await stalled(t, answer('ok'), undefined, options);
    assert.equal(responseOf(result).body, 'ok');
    assert.equal(target.requests.length, 1);
  }
});

test('without an answer the call is interrupted by this machine, and no failure of the target', async (t) => {
  const beginnings = [null, 'HTTP/1.1 200 OK\r\ncontent-le', 'HTTP/1.1 200 OK\r\n\r\nhalf'];
  for (const given of beginnings) {
    const { result, target } = await stalled(t, given);
    assert.deepEqual(result, {
      kind: 'interrupted',
      trouble: 'this machine stood still for 5 s before the answer came',
    });
    await eventually(() => target.open.size === 0);
  }
});

test('what broke off while the process stood still says nothing either', async (t) => {
  const timers = fakeTimers();
  const target = await startTarget(t, (socket) => {
    socket.resetAndDestroy();
    timers.stall(timeoutMs + 5_000);
  });
  const result = await startEgress(t, { timers }).call(get(target.url, { timeoutMs }));
  assert.equal(result.kind, 'interrupted');
});

test('an answer that is none stays a failure of the target, and a full preview a success', async (t) => {
  const bad = await stalled(t, 'SSH-2.0-x\r\n');
  assert.equal(failureOf(bad.result).reason, 'protocol');
  const long = await stalled(t, `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(4096)}`);
  const { body, truncated } = responseOf(long.result);
  assert.deepEqual([body.length, truncated], [4096, true]);
});

test('a machine that slept is noticed by the wall clock', async (t) => {
  const { result } = await stalled(t, null, (timers) => {
    timers.sleep(3_600_000);
    timers.pass(timeoutMs);
  });
  assert.deepEqual(result, {
    kind: 'interrupted',
    trouble: 'this machine stood still for 3600 s before the answer came',
  });
});

test('a timer that comes up to a second late is no stand-still', async (t) => {
  const { result } = await stalled(t, null, (timers) => timers.stall(timeoutMs + 1_000));
  assert.equal(failureOf(result).reason, 'timeout');
});

test('a call whose request was not written waits for this machine', async (t) => {
  const timers = fakeTimers();
  const egress = startEgress(t, { timers, resolve: () => new Promise(() => {}) });
  const call = egress.call(get('http://example.com/', { timeoutMs }));
  await inPhase(timers, 'looking up the name');
  timers.stall(timeoutMs + 5_000);
  assert.deepEqual(await call, { kind: 'local', trouble: 'this machine stood still for 5 s' });
});

test('an address that answered while the process stood still is not given up', async (t) => {
  const timers = fakeTimers();
  const first = await startTarget(t, (socket) => socket.write(answer('ok')), { host: '127.0.0.2' });
  const egress = startEgress(t, {
    timers,
    allowTargets: parseAllowTargets(['127.0.0.0/8:*']),
    resolve: () => ({ kind: 'addresses', addresses: ['127.0.0.2', '127.0.0.3'] }),
  });
  const call = egress.call(get(`http://two.example.com:${first.port}/`, { timeoutMs }));
  const isConnecting = (): boolean => callsIn(timers, 'connecting') === 1;
  // Without I/O: the connection is made by the kernel alone.
  while (!isConnecting()) await Promise.resolve();
  timers.stall(timeoutMs - 1);
  assert.equal(responseOf(await call).body, 'ok');
  assert.equal(first.connections, 1);
});

test('a deadline that is stopped while it waits for what came does not end any more', async () => {
  const timers = fakeTimers();
  const deadline = new Deadline({ timeoutMs }, { running: new Deadlines(timers) });
  timers.stall(timeoutMs + 5_000);
  deadline.stop();
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  assert.equal(deadline.over, null);
});

test('a mail that was not sent because the process stood still is no failure of the server', async (t) => {
  const clock = fakeTimers();
  const server = await startTarget(t, () => {});
  const value = `smtp://127.0.0.1:${server.port}?from=jobd@example.com`;
  const parsed = parseMailServer({ name: '--smtp-url', value }) ?? assert.fail();
  const mail = { id: 'x', to: ['ops@example.com'], subject: 's', text: 't', html: '<p>t</p>' };
  for (const stallMs of [0, 20_000]) {
    await using mailer = createMailer(parsed, { clock });
    const before = server.connections;
    const sent = mailer.send(mail, 60_000);
    await eventually(() => server.connections > before);
    clock.stall(stallMs);
    for (const socket of server.open) socket.end('554 no\r\n');
    const failure = await sent;
    assert.equal(failure?.isOurs, stallMs > 0);
    if (stallMs > 0) assert.equal(failure.error, 'this machine stood still for 19.5 s');
    else assert.match(failure?.error ?? '', /^mail: /);
  }
});
