/** The list of mutants fits the code; `npm run test:mutants` tries them. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mutants, mutated, root } from './mutants.ts';

test('the text of each mutant is in its file once, and its tests exist', () => {
  for (const mutant of mutants) {
    const source = readFileSync(join(root, 'src', mutant.file), 'utf8');
    assert.notEqual(mutated(mutant, source), source, mutant.breaks);
    assert.ok(mutant.tests.length > 0, mutant.breaks);
    for (const file of mutant.tests) assert.ok(existsSync(join(root, 'test', file)), file);
  }
});

test('each mutant breaks something of its own', () => {
  assert.equal(new Set(mutants.map(({ breaks }) => breaks)).size, mutants.length);
});

test('at most a tenth of the mutants is accepted', () => {
  const accepted = mutants.filter((mutant) => mutant.accepted !== undefined);
  assert.ok(accepted.length * 10 <= mutants.length);
});
