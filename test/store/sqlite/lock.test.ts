import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockDataDir } from '../../../src/store/sqlite/lock.ts';
import { temporaryDirectory } from '../../support/directory.ts';

test('a data directory can be locked once, names its holder, and is free again after', (t) => {
  const dataDir = temporaryDirectory(t);
  for (let round = 0; round < 2; round += 1) {
    using held = lockDataDir(dataDir);
    assert.ok(held);
    assert.throws(() => lockDataDir(dataDir), {
      code: 'conflict',
      message: `another jobd (process ${process.pid}) already serves ${dataDir}, stop it first`,
    });
    assert.equal(readFileSync(join(dataDir, 'serve.pid'), 'utf8'), `${process.pid}\n`);
    const { mode, size } = statSync(join(dataDir, 'serve.lock'));
    assert.deepEqual([mode & 0o777, size], [0o600, 0]);
    const files = readdirSync(dataDir).toSorted();
    assert.deepEqual(
      files,
      ['serve.lock', 'serve.pid'],
      'no file that a full disk has no space for',
    );
  }
});

test('the holder is written into a separate file, replacing any other file of that name', (t) => {
  const dataDir = temporaryDirectory(t);
  const other = join(temporaryDirectory(t), 'other');
  writeFileSync(other, 'something of mine');
  symlinkSync(other, join(dataDir, 'serve.pid'));
  using held = lockDataDir(dataDir);
  assert.ok(held);
  assert.equal(readFileSync(join(dataDir, 'serve.pid'), 'utf8'), `${process.pid}\n`);
  assert.equal(readFileSync(other, 'utf8'), 'something of mine');
});
