import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found } from '../../src/domain/findings.ts';

test('a finding has its facts as fields, and a sentence that needs no place', () => {
  const facts = { at: '2026-11-24T03:00:00.000Z', calls: 20, outcomes: 1 };
  assert.deepEqual(found('commits-lost', facts, ['process 7 on db-host']), {
    code: 'commits-lost',
    result: 'warn',
    facts,
    detail:
      'at 2026-11-24T03:00:00.000Z a node found that the database had lost what it had confirmed, 20 calls and 1 outcome of that node among it: look at what ran in the moments before',
    notes: ['process 7 on db-host'],
  });
});

test('loops that fail for one reason are one sentence', () => {
  const [one, two] = [['claim'], ['claim', 'own runs']].map((loops) =>
    found('loop-fails', { loops, reason: 'no', count: loops.length }),
  );
  assert.equal(one?.detail, 'no (claim fails)');
  assert.equal(two?.detail, 'no (claim, own runs fail)');
});

test('space that is short says why, and what becomes of history', () => {
  const why = 'the database nears its limit and the disk is nearly full';
  assert.equal(
    found('space-short', { causes: ['limit', 'disk'], freeBytes: 1 }).detail,
    `${why}: the oldest history is removed before its time; free space, or raise the limit`,
  );
  assert.equal(
    found('space-exhausted', { causes: ['limit', 'disk'], freeBytes: 1 }).detail,
    `${why}: no history is left to remove, free space`,
  );
  assert.equal(
    found('space-exhausted', { causes: ['disk'], freeBytes: 0 }).detail,
    'the disk is full: no history is left to remove, free space',
  );
});
