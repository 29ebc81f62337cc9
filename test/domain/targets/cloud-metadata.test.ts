/** The metadata services of clouds are known by their addresses, in the same list everywhere (docs/security.md#--allow-target). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { judgeAddress } from '../../../src/domain/targets/address.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const isMetadata = (address: string): boolean => {
  const verdict = judgeAddress(address);
  return !verdict.public && verdict.isMetadata;
};

test('what install.sh denies to the service and the documentation lists is known as metadata', () => {
  const denied = /^ {2}for address in (.*); do$/m.exec(read('install.sh'))?.[1]?.split(' ') ?? [];
  const [, listed = ''] = /^- Cloud metadata \((.*)\)/m.exec(read('docs/security.md')) ?? [];
  assert.ok(denied.length >= 6, denied.join());
  assert.deepEqual(
    Array.from(listed.matchAll(/`([^`]+)`/g), ([, address = '']) => address).toSorted(),
    denied.toSorted(),
  );
  for (const address of denied) assert.ok(isMetadata(address), address);
  assert.ok(isMetadata('169.254.170.2'), 'others of the link are taken for metadata too');
});

test('the addresses beside them are those of a private network', () => {
  for (const address of ['100.100.100.201', '192.0.0.193', 'fd00:ec2::253', 'fd20:ce::1']) {
    const verdict = judgeAddress(address);
    assert.ok(!verdict.public && !verdict.isMetadata, address);
  }
});
