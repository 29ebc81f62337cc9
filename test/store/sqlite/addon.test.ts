import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { whyNotLoaded } from '../../../src/store/sqlite/addon.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const folder = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
const prebuilt = globSync(`prebuilds/linux-${process.arch}.node`, { cwd: folder })[0];

/** The hash of a version name in ELF files (System V ABI, symbol versioning). */
function elfHash(name: string): number {
  let hash = 0;
  for (const byte of Buffer.from(name)) {
    hash = (hash * 16 + byte) >>> 0;
    const high = hash & 0xf000_0000;
    hash = (hash ^ (high >>> 24)) & ~high;
  }
  return hash >>> 0;
}

function hashInFile(name: string): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(elfHash(name));
  return buffer;
}

test(
  'a glibc that is too old is named, with the required version',
  { skip: prebuilt === undefined && 'there is no prebuilt library for Linux here' },
  (t) => {
    const bytes = readFileSync(join(folder, prebuilt ?? ''));
    const replace = (from: Buffer, to: Buffer): void => {
      const at = bytes.indexOf(from);
      assert.notEqual(at, -1);
      to.copy(bytes, at);
    };
    // It then needs a version that does not exist yet.
    replace(Buffer.from('GLIBC_2.34\0'), Buffer.from('GLIBC_9.34\0'));
    replace(hashInFile('GLIBC_2.34'), hashInFile('GLIBC_9.34'));
    const path = join(temporaryDirectory(t), 'future.node');
    writeFileSync(path, bytes, { mode: 0o500 });
    let failure: unknown;
    try {
      process.dlopen({ exports: {} }, path);
    } catch (error) {
      failure = error;
    }
    assert.match(whyNotLoaded(failure), /^it needs glibc 9\.34 or newer, this system has 2\.\d+$/);
  },
);

test('an unknown failure is reported in its own words', () => {
  assert.equal(whyNotLoaded(new Error('out of luck')), 'out of luck');
});
