import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { errorWordOf } from '../../src/domain/runs/reason.ts';
import { judgeUrl, parseAllowTargets } from '../../src/domain/targets/target.ts';
import { Deadline } from '../../src/egress/deadline.ts';
import { createResolver, type Resolve, type ResolverOptions } from '../../src/egress/resolve.ts';
import { createRouter, type Judged } from '../../src/egress/route.ts';
import { fakeTimers } from '../support/fakes/timers.ts';
import {
  patienceMs,
  silentOrLoopback,
  startDnsServer,
  type DnsServer,
  type Zone,
} from './dns-server.ts';
import {
  answer,
  failureOf,
  get,
  inPhase,
  responseOf,
  startEgress,
  startTarget,
} from './support.ts';

interface Vectors {
  dnsAnswers: { answers: string[]; expect: 'allow' | 'reject'; why: string }[];
  dnsSequences: { name: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../vectors/ssrf.json', import.meta.url), 'utf8'),
) as Vectors;

/** A resolver that uses a test's server and no hosts file. */
async function setup(
  t: TestContext,
  lookUp: (name: string) => Zone,
  options: ResolverOptions = { patienceMs },
): Promise<{ dns: DnsServer; resolve: Resolve }> {
  const dns = await startDnsServer(t, lookUp);
  const resolve = createResolver({ servers: [dns.address], hostsPath: '/nonexistent', ...options });
  return { dns, resolve };
}

function zoneOf(addresses: string[]): Zone {
  return {
    a: addresses.filter((address) => !address.includes(':')),
    aaaa: addresses.filter((address) => address.includes(':')),
  };
}

/**
 * The addresses that may be dialled for a URL, with only the public internet allowed; dials
 * nothing.
 */
async function judged(resolve: Resolve, url: string): Promise<Judged> {
  const router = createRouter([], resolve);
  const route = router.route(url);
  if ('failure' in route) return route;
  const deadline = new Deadline({ timeoutMs: 60_000 });
  try {
    return await router.addresses(route.site, deadline);
  } finally {
    deadline.stop();
  }
}

test('every set of DNS answers in the vectors is judged as listed by the resolver', async (t) => {
  const { resolve } = await setup(t, (name) =>
    zoneOf(vectors.dnsAnswers[Number(name.split('.')[0]?.slice(1))]?.answers ?? []),
  );
  for (const [index, { answers, expect, why }] of vectors.dnsAnswers.entries()) {
    const untellable = answers.includes('not-an-ip');
    const found: Resolve = untellable ? () => ({ kind: 'addresses', addresses: answers }) : resolve;
    const result = await judged(found, `https://n${index}.example.com/`);
    assert.equal('allowed' in result ? 'allow' : 'reject', expect, `${answers.join()}: ${why}`);
    if ('failure' in result) {
      const reason = answers.length === 0 ? 'dns' : 'blocked_address';
      assert.equal(errorWordOf(result.failure.reason), reason, why);
    } else {
      assert.deepEqual(result.allowed, [...new Set(answers)]);
    }
  }
});

test('a refused address gets no connection, whatever else the name resolves to', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('secret')));
  const { resolve } = await setup(t, () => ({ a: ['127.0.0.1', '127.0.0.2'] }));
  const egress = startEgress(t, {
    resolve,
    allowTargets: parseAllowTargets([`127.0.0.2:${target.port}`]),
  });
  const failure = failureOf(await egress.call(get(`http://mixed.example.com:${target.port}/`)));
  assert.equal(failure.reason, 'blocked_address');
  assert.match(failure.detail, /127\.0\.0\.1 is not public/);
  assert.equal(target.connections, 0);
});

test('without allow entries nothing on loopback is called, by name or by address', async (t) => {
  const target = await startTarget(t, (socket) => socket.write(answer('secret')));
  const { resolve } = await setup(t, () => ({ a: ['127.0.0.1'] }));
  const egress = startEgress(t, { resolve, allowTargets: [] });
  for (const url of [target.url, 'http://inner.example.com/', 'http://localhost/']) {
    assert.equal(failureOf(await egress.call(get(url))).reason, 'blocked_address', url);
  }
  assert.equal(target.connections, 0);
});

test('an address that connects elsewhere is dropped before a byte is sent', async (t) => {
  // Connecting to the unspecified address reaches this machine: the peer is 127.0.0.1.
  const target = await startTarget(t, (socket) => socket.write(answer('secret')));
  const egress = startEgress(t, { allowTargets: parseAllowTargets(['0.0.0.0/32:*']) });
  const failure = failureOf(await egress.call(get(`http://0.0.0.0:${target.port}/`)));
  assert.deepEqual(failure, {
    reason: 'blocked_address',
    detail: 'connected to 127.0.0.1 instead of 0.0.0.0',
  });
  assert.equal(target.requests.length, 0);
});

/** The DNS sequences; those with several attempts of a run are tested with the engine. */
const sequences: Record<string, (t: TestContext) => Promise<void>> = {
  'CNAME to localhost': async (t) => {
    const cname = ['x.victim.com', 'localhost'];
    const { resolve } = await setup(t, () => ({ a: ['127.0.0.1'], cname }));
    const result = await judged(resolve, 'http://x.victim.com/');
    assert.ok('failure' in result && result.failure.reason === 'blocked_address');
  },
  'CNAME chain to private': async (t) => {
    const cname = ['a.victim.com', 'b.victim.com', 'internal.victim.com'];
    const { resolve } = await setup(t, () => ({ a: ['10.0.0.1'], cname }));
    const result = await judged(resolve, 'http://a.victim.com/');
    assert.ok('failure' in result && result.failure.reason === 'blocked_address');
  },
  'A timeout, AAAA timeout': async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')));
    const { resolve } = await setup(t, silentOrLoopback, {});
    const timers = fakeTimers();
    const egress = startEgress(t, { resolve, timers });
    const silent = Array.from({ length: 20 }, (_, index) =>
      egress.call(get(`http://silent${index}.example.com/`, { timeoutMs: 1000 })),
    );
    const healthy = Array.from({ length: 50 }, async (_, index) => {
      const url = `http://h${index}.example.com:${target.port}/`;
      assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
    });
    await Promise.all(healthy);
    await inPhase(timers, 'looking up the name', silent.length);
    timers.pass(1000);
    for (const result of await Promise.all(silent)) {
      assert.match(failureOf(result).detail, /looking up the name/);
    }
  },
  'A ok, AAAA SERVFAIL': async (t) => {
    const { resolve } = await setup(t, () => ({ a: ['93.184.216.34'], aaaa: 'SERVFAIL' }));
    assert.deepEqual(await judged(resolve, 'http://example.com/'), {
      allowed: ['93.184.216.34'],
    });
  },
  'A public, AAAA private': async (t) => {
    const { resolve } = await setup(t, () => ({ a: ['93.184.216.34'], aaaa: ['::1'] }));
    const result = await judged(resolve, 'http://example.com/');
    assert.ok('failure' in result && result.failure.reason === 'blocked_address');
  },
  'DNS64 network': async (t) => {
    const { resolve } = await setup(t, () => ({ aaaa: ['64:ff9b::5db8:d822'] }));
    const result = await judged(resolve, 'http://example.com/');
    assert.ok('failure' in result && /NAT64/.test(result.failure.detail));
  },
  'rebind between retry attempts': async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('', '503 Busy')));
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve: Resolve = () => ({ kind: 'addresses', addresses: [answers.shift() ?? ''] });
    const egress = startEgress(t, { resolve });
    const url = `http://rebinding.example.com:${target.port}/`;
    assert.equal(responseOf(await egress.call(get(url))).httpStatus, 503);
    assert.equal(failureOf(await egress.call(get(url))).reason, 'blocked_address');
    assert.equal(target.requests.length, 1);
  },
  'rebind between create and run': async (t) => {
    const { resolve } = await setup(t, () => ({ a: ['169.254.169.254'] }));
    const url = 'http://rebinding.example.com/';
    assert.equal(judgeUrl(url, []).hostname, 'rebinding.example.com');
    const result = failureOf(await startEgress(t, { resolve, allowTargets: [] }).call(get(url)));
    assert.equal(result.reason, 'blocked_metadata');
  },
  'second answer after connect error': async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')));
    const { resolve } = await setup(t, () => ({ a: ['127.0.0.2', '127.0.0.1'] }));
    const egress = startEgress(t, { resolve, allowTargets: parseAllowTargets(['127.0.0.0/8:*']) });
    const url = `http://two.example.com:${target.port}/`;
    assert.equal(responseOf(await egress.call(get(url))).body, 'ok');
    assert.equal(target.requests.length, 1);
  },
  'hosts file': async (t) => {
    const hostsPath = hostsFile(t, '127.0.0.1 evil.example.net\n');
    const { dns, resolve } = await setup(t, () => ({ a: ['93.184.216.34'] }), { hostsPath });
    const result = await judged(resolve, 'http://evil.example.net/');
    assert.ok('failure' in result && result.failure.reason === 'blocked_address');
    assert.deepEqual(dns.questions, []);
  },
};

for (const { name } of vectors.dnsSequences) {
  test(`DNS sequence: ${name}`, async (t) => {
    const sequence = sequences[name];
    assert.ok(sequence, 'every sequence has its test');
    await sequence(t);
  });
}

function hostsFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'jobd-hosts-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'hosts');
  writeFileSync(path, text);
  return path;
}

test('the hosts file is read again after a change', async (t) => {
  const path = hostsFile(t, '# ours\n127.0.0.7\tbox BOX.example.com # and so on\n::1 box\n');
  const { resolve } = await setup(t, () => ({}), { hostsPath: path });
  assert.deepEqual(await resolve('box'), { kind: 'addresses', addresses: ['127.0.0.7', '::1'] });
  assert.deepEqual(await resolve('box.example.com'), {
    kind: 'addresses',
    addresses: ['127.0.0.7'],
  });
  writeFileSync(path, '127.0.0.8 newcomer.example.com\n');
  assert.deepEqual(await resolve('newcomer.example.com'), {
    kind: 'addresses',
    addresses: ['127.0.0.8'],
  });
});

test('localhost needs neither a hosts file nor DNS', async (t) => {
  const { dns, resolve } = await setup(t, () => ({ a: ['93.184.216.34'] }));
  const both = { kind: 'addresses', addresses: ['127.0.0.1', '::1'] };
  assert.deepEqual(await resolve('localhost'), both);
  assert.deepEqual(await resolve('app.localhost'), both);
  assert.deepEqual(dns.questions, []);
});

test('a name without an address is a permanent failure, a failing DNS server a temporary one', async (t) => {
  const zones: Record<string, Zone> = {
    'gone.example.com': { a: 'NXDOMAIN', aaaa: 'NXDOMAIN' },
    'empty.example.com': {},
    'half.example.com': { a: 'SERVFAIL', aaaa: [] },
    'sick.example.com': { a: 'SERVFAIL', aaaa: 'SERVFAIL' },
  };
  const { resolve } = await setup(t, (name) => zones[name] ?? {});
  for (const [name, temporary] of [
    ['gone.example.com', false],
    ['empty.example.com', false],
    ['half.example.com', true],
    ['sick.example.com', true],
  ] as const) {
    const answers = await resolve(name);
    assert.equal(answers.kind, 'failure', name);
    assert.equal(answers.kind === 'failure' && answers.temporary, temporary, name);
  }
});

test('concurrent calls share one lookup, and both families are queried', async (t) => {
  const { dns, resolve } = await setup(t, () => ({ a: ['127.0.0.1'], aaaa: ['::1'] }));
  const all = await Promise.all(
    Array.from({ length: 500 }, async () => resolve('busy.example.com')),
  );
  await resolve('busy.example.com');
  assert.ok(all.every((answers) => answers === all[0]));
  assert.deepEqual(dns.questions.toSorted(), ['A busy.example.com', 'AAAA busy.example.com']);
});

test('IPv4 addresses come first, in the order of the answer', async (t) => {
  const { resolve } = await setup(t, () => ({ a: ['127.0.0.5'], aaaa: ['::1', '::2'] }));
  assert.deepEqual(await resolve('both.example.com'), {
    kind: 'addresses',
    addresses: ['127.0.0.5', '::1', '::2'],
  });
});

for (const [ttl, ttlOfIpv6] of [
  [60, 1],
  [1, 60],
] as const) {
  test(`answers with TTLs of ${ttl} s (IPv4) and ${ttlOfIpv6} s (IPv6) are kept for a second`, async (t) => {
    const zone = { a: ['127.0.0.1'], aaaa: ['::1'], ttl, ttlOfIpv6 };
    const { dns, resolve } = await setup(t, () => zone);
    let now = performance.now();
    t.mock.method(performance, 'now', () => now);
    await resolve('brief.example.com');
    now += 900;
    await resolve('brief.example.com');
    assert.equal(dns.questions.length, 2);
    now += 101;
    await resolve('brief.example.com');
    assert.equal(dns.questions.length, 4);
  });
}
