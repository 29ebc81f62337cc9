/** Whom a request counts for behind a proxy (docs/behavior.md#limit-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardedClient, isIn, isLoopback } from '../../src/domain/client-address.ts';
import { trustedProxies } from '../../src/settings/setting.ts';
import * as fc from '../support/fast-check.ts';

const proxies = trustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], '--trusted-proxy');

test('the client is the last address that is no trusted proxy, whatever is written before it', () => {
  const rows: [header: string, client: string | null][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9,10.1.2.3 , fd00::1', '203.0.113.9'],
    ['2001:db8::1, ::ffff:10.0.0.1', '2001:db8::1'],
    ['10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['garbage, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, garbage', null],
    ['garbage, 10.0.0.1', null],
    ['', null],
    [',', null],
    ['203.0.113.9,', null],
    ['203.0.113.9:80', null],
    ['[2001:db8::1]', null],
    ['unknown', null],
    ['fe80::1%eth0', null],
    ['203.0.113.9%<b>', null],
  ];
  for (const [header, client] of rows)
    assert.equal(forwardedClient(header, proxies), client, header);
});

test('nobody chooses an address by what the proxy got already', () => {
  const written = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.1, 127.0.0.1'));
  fc.assert(
    fc.property(written, (text) => {
      assert.equal(forwardedClient(`${text}, 203.0.113.9, 10.0.0.4`, proxies), '203.0.113.9');
    }),
  );
});

test('an address of IPv4 that is written as IPv6 is the same one', () => {
  assert.ok(isIn(proxies, '::ffff:127.0.0.1'));
  assert.ok(isIn(proxies, 'fd00::1%eth0'));
  assert.ok(!isIn(proxies, '::1'));
  assert.ok(!isIn([], '127.0.0.1'));
  assert.deepEqual(
    ['127.0.0.9', '::1', '::ffff:127.0.0.1', '10.0.0.1', 'x', ''].filter(isLoopback),
    ['127.0.0.9', '::1', '::ffff:127.0.0.1'],
  );
});
