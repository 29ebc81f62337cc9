import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from '../../src/egress/pace.ts';
import { createResolver } from '../../src/egress/resolve.ts';
import { patienceMs, startDnsServer } from './dns-server.ts';
import { eventually } from './support.ts';

test('calls up to the limit begin at once, the others in order as those end', async () => {
  const pace = createPace(3, 60_000);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 8 }, (_, index) =>
    pace(() => {
      begun.push(index);
      return new Promise<void>((end) => ends.push(end));
    }),
  );
  await eventually(() => begun.length === 3);
  for (let ended = 0; ended < 8; ended++) {
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7].slice(0, Math.min(ended + 3, 8)));
    ends[ended]?.();
    await all[ended];
    await eventually(() => begun.length === Math.min(ended + 4, 8));
  }
});

test('a failed call frees its place, and fails only for its caller', async () => {
  const pace = createPace(1, 60_000);
  const failing = pace(() => Promise.reject(new Error('no')));
  const next = pace(() => Promise.resolve('yes'));
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

test('a slow call frees its place too, and still returns its result', async () => {
  const pace = createPace(2, 20);
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = Array.from({ length: 10 }, () => pace(() => promise));
  assert.equal(await pace(() => Promise.resolve('quick')), 'quick');
  resolve('slow');
  assert.deepEqual(
    await Promise.all(slow),
    Array.from({ length: 10 }, () => 'slow'),
  );
});

test('a thousand names at once are looked up once each, and no answer is lost', async (t) => {
  const dns = await startDnsServer(t, () => ({ a: ['93.184.216.34'], aaaa: ['2606:2800::1'] }));
  const resolve = createResolver({ servers: [dns.address], patienceMs, hostsPath: '/nonexistent' });
  const names = Array.from({ length: 1000 }, (_, index) => `n${index}.example.com`);
  const answers = await Promise.all(names.map(async (name) => resolve(name)));
  assert.ok(answers.every(({ kind }) => kind === 'addresses'));
  assert.equal(dns.questions.length, 2000);
});
