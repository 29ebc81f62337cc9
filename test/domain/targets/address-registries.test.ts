/** The address table against its sources: the IANA registries, row by row, and a library's opinion. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import ipaddr from 'ipaddr.js';
import { judgeAddress, parseBlock } from '../../../src/domain/targets/address.ts';

/** The IPv4 and IPv6 Special-Purpose Address Registries: each block, and the RFC its row names. */
const registries = `
  0.0.0.0/8 791 | 0.0.0.0/32 1122 | 10.0.0.0/8 1918 | 100.64.0.0/10 6598 | 127.0.0.0/8 1122
  169.254.0.0/16 3927 | 172.16.0.0/12 1918 | 192.0.0.0/24 6890 | 192.0.0.0/29 7335
  192.0.0.8/32 7600 | 192.0.0.9/32 7723 | 192.0.0.10/32 8155 | 192.0.0.170/32 8880
  192.0.0.171/32 8880 | 192.0.2.0/24 5737 | 192.31.196.0/24 7535 | 192.52.193.0/24 7450
  192.88.99.0/24 7526 | 192.88.99.2/32 6751 | 192.168.0.0/16 1918 | 192.175.48.0/24 7534
  198.18.0.0/15 2544 | 198.51.100.0/24 5737 | 203.0.113.0/24 5737 | 240.0.0.0/4 1112
  255.255.255.255/32 919
  ::1/128 4291 | ::/128 4291 | ::ffff:0:0/96 4291 | 64:ff9b::/96 6052 | 64:ff9b:1::/48 8215
  100::/64 6666 | 100:0:0:1::/64 9780 | 2001::/23 2928 | 2001::/32 4380 | 2001:1::1/128 7723
  2001:1::2/128 8155 | 2001:1::3/128 9665 | 2001:2::/48 5180 | 2001:3::/32 7450
  2001:4:112::/48 7535 | 2001:10::/28 4843 | 2001:20::/28 7343 | 2001:30::/28 9374
  2001:db8::/32 3849 | 2002::/16 3056 | 2620:4f:8000::/48 7534 | 3fff::/20 9637 | 5f00::/16 9602
  fc00::/7 4193 | fe80::/10 4291`
  .trim()
  .split(/\s*[|\n]\s*/)
  .map((row) => row.split(' '));

/** The first and last address of a block, and its neighbours on both sides. */
function edgesOf(text: string): { inside: string[]; outside: string[] } {
  const block = parseBlock(text);
  assert.ok(block, text);
  const { family, first, last } = block;
  const end = family === 4 ? 2n ** 32n : 2n ** 128n;
  const written = (value: bigint): string => addressText(family, value);
  const around = [first - 1n, last + 1n].filter((value) => value >= 0n && value < end);
  return { inside: [written(first), written(last)], outside: around.map(written) };
}

function addressText(family: 4 | 6, value: bigint): string {
  const [parts, bits, base, separator] =
    family === 4 ? ([4, 8n, 10, '.'] as const) : ([8, 16n, 16, ':'] as const);
  return Array.from({ length: parts }, (_, index) =>
    BigInt.asUintN(Number(bits), value >> (bits * BigInt(parts - 1 - index))).toString(base),
  ).join(separator);
}

test('every block of both registries is refused, first address to last, with its RFC', () => {
  assert.equal(registries.length, 51);
  for (const [block = '', rfc = ''] of registries) {
    const reasons = edgesOf(block).inside.map((address) => {
      const verdict = judgeAddress(address);
      assert.ok(!verdict.public, address);
      return verdict.reason;
    });
    const isNamed = reasons.some((reason) => reason.endsWith(`(${block}, RFC ${rfc})`));
    assert.ok(isNamed, `${block}: ${reasons.join()}`);
  }
});

/**
 * Addresses that ipaddr.js calls unicast and jobd refuses, with the reason. The library knows
 * little more than the registries; jobd only allows space that is allocated for use.
 */
const refusedBeyondLibrary = new Map([
  ['2000::/3', 'nothing outside of it is handed out, so nothing there can be public'],
  ['::/96', 'deprecated IPv4-compatible addresses carry an IPv4 address'],
  ['100:0:0:1::/64', 'the registry gained this row in 2025'],
  ['168.63.129.16/32', 'a public address by the registries, but of the platform below the machine'],
  ['3ffe::/16', 'returned by the 6bone and not reassigned'],
]);

/** Compares both; returns the block of a known difference. */
function compare(text: string): string | null {
  const ours = judgeAddress(text);
  const theirs = ipaddr.parse(text).range();
  if (ours.public) {
    assert.equal(theirs, 'unicast', `${text} is public here, ${theirs} there`);
    return null;
  }
  if (theirs !== 'unicast') return null;
  const block = /\((\S+\/\d+), /.exec(ours.reason)?.[1] ?? '2000::/3';
  assert.ok(refusedBeyondLibrary.has(block), `unicast there: ${ours.reason}`);
  return block;
}

const octet = fc.oneof(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203), fc.nat(255));
const group = fc.oneof(
  fc.constantFrom(0, 1, 0x64, 0x2000, 0x2001, 0x2002, 0x2620, 0x3ffe, 0x3fff, 0x5f00, 0xff9b),
  fc.nat(0xffff),
);

test('a library agrees on public addresses, except for known, stricter differences', () => {
  const seen = new Set<string | null>();
  for (const [block = ''] of [
    ...registries,
    ['168.63.129.16/32'],
    ['2000::/3'],
    ['3ffe::/16'],
    ['::/96'],
    ['ff00::/8'],
  ]) {
    const { inside, outside } = edgesOf(block);
    for (const address of [...inside, ...outside]) seen.add(compare(address));
  }
  const four = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
  const six = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((value) => value.toString(16)).join(':'));
  fc.assert(
    fc.property(fc.oneof(four, six), (address) => void compare(address)),
    { numRuns: 10_000 },
  );
  for (const block of refusedBeyondLibrary.keys()) assert.ok(seen.has(block), `${block}: no more`);
});
