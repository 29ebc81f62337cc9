import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../src/domain/nearest.ts';

test('a word is meant by one with an edit or two, a short one by one with one edit', () => {
  const known = ['name', 'limit', 'cronExpr', 'an', 'a'];
  const rows: [word: string, meant: string | undefined][] = [
    ['nmae', 'name'],
    ['nam', 'name'],
    ['page', undefined],
    ['limt', 'limit'],
    ['lmiit', 'limit'],
    ['ilmti', 'limit'],
    ['time', undefined],
    ['CRNOEXRP', 'cronExpr'],
    ['cornEprx', undefined],
    ['at', 'an'],
    ['x', undefined],
    ['', undefined],
  ];
  for (const [word, meant] of rows) assert.equal(nearest(word, known), meant, word);
});
