/** Malicious DNS servers. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import {
  createResolver,
  type Answers,
  type Resolve,
  type ResolverOptions,
} from '../../src/egress/resolve.ts';
import { fakeTimers, type FakeTimers } from '../support/fakes/timers.ts';
import {
  patienceMs,
  silentOrLoopback,
  startDnsServer,
  type DnsServer,
  type Zone,
} from './dns-server.ts';
import {
  answer,
  eventually,
  failureOf,
  get,
  inPhase,
  responseOf,
  startEgress,
  startTarget,
} from './support.ts';

async function setup(
  t: TestContext,
  lookUp: (name: string) => Zone,
  more: ResolverOptions = { patienceMs },
): Promise<{ dns: DnsServer; resolve: Resolve; timers: FakeTimers }> {
  const dns = await startDnsServer(t, lookUp);
  const timers = fakeTimers();
  const options = { servers: [dns.address], hostsPath: '/nonexistent', timers, ...more };
  return { dns, resolve: createResolver(options), timers };
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `93.184.${index >> 8}.${index & 255}`);
}

function addressesOf(answers: Answers): readonly string[] {
  assert.equal(answers.kind, 'addresses', JSON.stringify(answers));
  return answers.kind === 'addresses' ? answers.addresses : [];
}

test('an answer too large for UDP is fetched over TCP, and all of it is checked', async (t) => {
  const a = [...many(60), '10.0.0.1'];
  const { dns, resolve } = await setup(t, () => ({ a }));
  assert.deepEqual(addressesOf(await resolve('large.example.com')), a);
  assert.equal(dns.questions.filter((question) => question.startsWith('A ')).length, 2);
  const egress = startEgress(t, { resolve, allowTargets: [] });
  const failure = failureOf(await egress.call(get('http://large.example.com/')));
  assert.equal(failure.reason, 'blocked_address');
  assert.match(failure.detail, /10\.0\.0\.1 is not public/);
});

test('a name with thousands of addresses is refused, not checked in part', async (t) => {
  const { resolve } = await setup(t, () => ({ a: many(4000) }));
  const egress = startEgress(t, { resolve, allowTargets: parseAllowTargets(['0.0.0.0/0:*']) });
  assert.deepEqual(failureOf(await egress.call(get('http://huge.example.com/'))), {
    reason: 'dns',
    detail: 'huge.example.com has 4000 addresses, more than 64',
    temporary: false,
  });
});

test('additional records of an answer are ignored', async (t) => {
  const { resolve } = await setup(t, () => ({ a: ['93.184.216.34'], texts: 300 }));
  assert.deepEqual(addressesOf(await resolve('stuffed.example.com')), ['93.184.216.34']);
});

test('circular aliases give no address', async (t) => {
  const cname = ['a.example.com', 'b.example.com', 'a.example.com', 'b.example.com'];
  const { resolve } = await setup(t, () => ({ cname }));
  assert.equal((await resolve('a.example.com')).kind, 'failure');
});

test('an answer about another name is not cached for it', async (t) => {
  const { resolve } = await setup(t, (name) =>
    name === 'evil.example.com'
      ? { a: ['203.0.113.66'], owner: 'good.example.com', cname: [name, 'good.example.com'] }
      : { a: ['93.184.216.34'] },
  );
  assert.deepEqual(addressesOf(await resolve('good.example.com')), ['93.184.216.34']);
  await resolve('evil.example.com');
  assert.deepEqual(addressesOf(await resolve('good.example.com')), ['93.184.216.34']);
});

test('an answer is cached for 5 s at most, whatever its TTL, and a TTL of 0 for half a second', async (t) => {
  const zones: Record<string, Zone> = {};
  const { resolve, timers } = await setup(t, (name) => zones[name] ?? {});
  for (const [name, ttl, keptMs] of [
    ['long.example.com', 0x7fff_ffff, 5000],
    ['none.example.com', 0, 500],
  ] as const) {
    zones[name] = { a: ['93.184.216.34'], ttl };
    await resolve(name);
    zones[name] = { a: ['10.0.0.1'], ttl };
    timers.pass(keptMs);
    assert.deepEqual(addressesOf(await resolve(name)), ['93.184.216.34'], name);
    timers.pass(1);
    assert.deepEqual(addressesOf(await resolve(name)), ['10.0.0.1'], name);
  }
});

test('a server that never answers delays only its own call', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  const { dns, resolve, timers } = await setup(t, silentOrLoopback, {});
  const egress = startEgress(t, { resolve, timers });
  const silent = Array.from({ length: 100 }, () =>
    egress.call(get('http://silent.example.com/', { timeoutMs: 500 })),
  );
  const url = `http://well.example.com:${target.port}/`;
  assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
  await eventually(() => dns.questions.includes('A silent.example.com'));
  await inPhase(timers, 'looking up the name', silent.length);
  timers.pass(500);
  for (const call of silent) {
    const { reason, detail } = failureOf(await call);
    assert.deepEqual([reason, detail], ['timeout', 'no answer within 0.5 s, looking up the name']);
  }
});

test('a kept connection is not used once its name resolves to a refused address', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('ok')));
  let zone: Zone = { a: ['127.0.0.1'], ttl: 3600 };
  const { resolve, timers } = await setup(t, () => zone);
  const allowTargets = parseAllowTargets(['127.0.0.1:*']);
  const egress = startEgress(t, { resolve, allowTargets, timers });
  const url = `http://moving.example.com:${target.port}/`;
  assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
  zone = { a: ['127.0.0.1', '10.0.0.1'] };
  timers.pass(5001);
  assert.equal(failureOf(await egress.call(get(url))).reason, 'blocked_address');
  assert.equal(target.requests.length, 1);
});
