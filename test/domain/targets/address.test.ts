import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import {
  judgeAddress,
  parseAddress,
  parseBlock,
  sameAddress,
} from '../../../src/domain/targets/address.ts';

/** The registries as plain blocks, for a second opinion by Node's BlockList. */
const specialBlocks = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
  ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20`
  .trim()
  .split(/\s+/);

/** One list per family: in a common one, `::/3` would also hold every IPv4 address, as mapped. */
const oracles = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const block of specialBlocks) {
  const [address = '', prefix] = block.split('/');
  const family = block.includes(':') ? 'ipv6' : 'ipv4';
  oracles[family].addSubnet(address, Number(prefix), family);
}

/** Numbers near the limits of blocks, for off-by-one errors, and random ones. */
const octet = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 11, 63, 64, 100, 126, 127, 128, 169, 172, 192, 198, 203, 223, 255),
  fc.nat(255),
);
const group = fc.oneof(
  fc.constantFrom(0, 1, 0x64, 0x1fff, 0x2000, 0x2001, 0x2002, 0x2003, 0x3ffe, 0x3fff, 0x4000),
  fc.constantFrom(0xdb8, 0x200, 0x1ff, 0x2620, 0x4f, 0x8000, 0xfff, 0x1000, 0xff9b, 0xffff, 0xfe80),
  fc.nat(0xffff),
);

test('an IPv4 address is public exactly if no registry reserves it', () => {
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
      const text = octets.join('.');
      assert.equal(judgeAddress(text).public, !oracles.ipv4.check(text, 'ipv4'), text);
    }),
    { numRuns: 5000 },
  );
});

test('an IPv6 address is public exactly if it is global unicast and no registry reserves it', () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const text = groups.map((value) => value.toString(16)).join(':');
      assert.equal(judgeAddress(text).public, !oracles.ipv6.check(text, 'ipv6'), text);
    }),
    { numRuns: 5000 },
  );
});

test('a refusal names the most specific block and its source', () => {
  const rows = [
    ['127.0.0.1', 'loopback (127.0.0.0/8, RFC 1122)'],
    ['192.0.0.9', 'port control protocol anycast (192.0.0.9/32, RFC 7723)'],
    ['192.0.0.200', 'IETF protocol assignments (192.0.0.0/24, RFC 6890)'],
    ['168.63.129.16', "Azure's platform, cloud metadata (168.63.129.16/32, Azure documentation)"],
    ['::ffff:8.8.8.8', 'IPv4-mapped (::ffff:0:0/96, RFC 4291)'],
    ['64:ff9b::8.8.8.8', 'NAT64 (64:ff9b::/96, RFC 6052)'],
    ['2002:808:808::', '6to4 (2002::/16, RFC 3056)'],
    ['2001::1', 'Teredo (2001::/32, RFC 4380)'],
    ['2001:1::1', 'port control protocol anycast (2001:1::1/128, RFC 7723)'],
    ['4000::1', 'outside 2000::/3 (RFC 4291)'],
  ] as const;
  for (const [address, reason] of rows) {
    const verdict = judgeAddress(address);
    assert.ok(!verdict.public, address);
    assert.ok(verdict.reason.endsWith(reason), `${address}: ${verdict.reason}`);
  }
});

test('text that is not an address is never public', () => {
  for (const text of ['', 'not-an-ip', '8.8.8', '8.8.8.8.', '08.8.8.8', '0x8.8.8.8', '8.8.8.256']) {
    assert.equal(judgeAddress(text).public, false, text);
  }
  for (const text of ['2606::1%eth0', '[2606::1]', '2606:::1', '2606::1::', '2606:1', ' 2606::1']) {
    assert.equal(judgeAddress(text).public, false, text);
  }
});

test('exactly the addresses that Node accepts are accepted', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789.'.split('')), maxLength: 16 }),
    fc.string({ unit: fc.constantFrom(...'012fF:.'.split('')), maxLength: 24 }),
    fc.ipV4(),
    fc.ipV6(),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      assert.equal(parseAddress(candidate)?.family ?? 0, isIP(candidate), candidate);
    }),
    { numRuns: 5000 },
  );
});

test('two spellings of one address are the same address', () => {
  assert.ok(sameAddress('2001:db8:0:0::1', '2001:DB8::0001'));
  assert.ok(sameAddress('::ffff:127.0.0.1', '::ffff:7f00:1'));
  assert.ok(!sameAddress('127.0.0.1', '::ffff:127.0.0.1'));
  assert.ok(!sameAddress('nobody', 'nobody'));
});

test('a block with host bits set, or with an invalid prefix length, is refused', () => {
  assert.equal(parseBlock('10.0.0.0/8')?.last, 0x0affffffn);
  assert.equal(parseBlock('::/0')?.last, (1n << 128n) - 1n);
  assert.equal(parseBlock('10.0.0.1')?.prefix, 32);
  for (const text of [
    '10.0.0.1/8',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '/8',
    '',
  ]) {
    assert.equal(parseBlock(text), null, text);
  }
});
