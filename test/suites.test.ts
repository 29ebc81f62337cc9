/** Every test runs somewhere (test/support/suite/suites.ts). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, suites, testFiles, type Batch } from './support/suite/suites.ts';

const filesOf = (batches: readonly Batch[]): string[] => batches.flatMap(({ files }) => files);
const quick = filesOf(suites.quick());
const long = suites.long('postgres://server');

test('every test file belongs to one suite, and runs once in it', () => {
  const endToEnd = filesOf(long.filter(({ part }) => part === 'end to end'));
  assert.deepEqual([...quick, ...endToEnd].toSorted(), testFiles());
});

test('what runs again on PostgreSQL, or fuzzes longer, runs in npm test too', () => {
  const again = filesOf(long.filter(({ part }) => part !== 'end to end'));
  assert.ok(again.length > 100);
  for (const file of again) assert.ok(quick.includes(file), file);
});

test('npm test starts no PostgreSQL server', () => {
  for (const file of quick) {
    const text = readFileSync(join(root, file), 'utf8');
    assert.ok(
      !/support\/postgres\/(server|pgbouncer)/.test(text),
      `${file} belongs to a folder "postgres"`,
    );
  }
});

test('the unit tests are some of those of npm test', () => {
  const unit = filesOf(suites.unit());
  assert.ok(unit.length > 100);
  for (const file of unit) assert.ok(quick.includes(file), file);
});
