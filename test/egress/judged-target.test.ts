import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTargetJudge } from '../../src/egress/judged-target.ts';
import type { Answers } from '../../src/egress/resolve.ts';

const hosts: Readonly<Record<string, Answers>> = {
  'public.example.com': { kind: 'addresses', addresses: ['93.184.216.34'] },
  'inside.example.com': { kind: 'addresses', addresses: ['93.184.216.34', '10.0.0.5'] },
  'gone.example.com': {
    kind: 'failure',
    detail: 'gone.example.com has no address',
    temporary: false,
  },
};

const judge = createTargetJudge([], (host) => hosts[host] ?? new Promise<Answers>(() => {}));

test('a public address may be called', async () => {
  assert.deepEqual(await judge('https://public.example.com/x'), { kind: 'allowed' });
  assert.deepEqual(await judge('https://93.184.216.34/'), { kind: 'allowed' });
});

test('one private address of a name refuses it, in the words of a run', async () => {
  const verdict = await judge('https://inside.example.com/');
  assert.equal(verdict?.kind === 'refused' && verdict.reason, 'blocked_address');
  assert.match(verdict?.kind === 'refused' ? verdict.detail : '', /^10\.0\.0\.5 is not public/);
});

test('a URL and a port that the rule refuses are not looked up', async () => {
  for (const url of ['http://127.0.0.1/', 'https://public.example.com:8080/', 'http://[::1]/']) {
    const verdict = await judge(url);
    assert.equal(verdict?.kind === 'refused' && verdict.reason, 'blocked_address', url);
  }
});

test('a name without an address is a failure of DNS', async () => {
  const verdict = await judge('https://gone.example.com/');
  assert.deepEqual(verdict, {
    kind: 'refused',
    reason: 'dns',
    detail: 'gone.example.com has no address',
  });
});

test('a look-up that takes too long has no verdict', async () => {
  assert.equal(await judge('https://silent.example.com/'), null);
});
