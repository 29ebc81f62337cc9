import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSize, sizeText } from '../../src/domain/sizes.ts';

test('a size is read in any usual spelling', () => {
  const mib = 1024 ** 2;
  for (const [text, bytes] of [
    ['4096', 4_096],
    ['4096 bytes', 4_096],
    ['512MiB', 512 * mib],
    ['512 mib', 512 * mib],
    ['512M', 512 * mib],
    ['512MB', 512e6],
    ['1.5G', 1_536 * mib],
    ['2TiB', 2 * mib ** 2],
  ] as const) {
    assert.equal(parseSize(text), bytes, text);
  }
  for (const text of ['', 'much', '-1G', '1e9', 'G', '1 000', '10%', '1GiBs', '99999999999999T']) {
    assert.equal(parseSize(text), null, text);
  }
});

test('what a size is shown as can be read again', () => {
  for (const bytes of [0, 1, 1_023, 1_024, 40 * 1024 ** 2, 3 * 1024 ** 3]) {
    assert.equal(parseSize(sizeText(bytes)), bytes, sizeText(bytes));
  }
});
