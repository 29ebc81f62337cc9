import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeIn, isCutOff } from '../../../src/dashboard/view/sign-in-code.ts';

test('a code is read from a link, and from nothing else', () => {
  const rows: [fragment: string, code: string | null][] = [
    ['#code=ABCD-EFGH', 'ABCD-EFGH'],
    ['code=abc', 'abc'],
    ['#code=', ''],
    ['', null],
    ['#', null],
    ['#ABCD', null],
    ['#key=cp_1', null],
    ['#code=a&code=b', 'a'],
    ['#code=%', '%'],
  ];
  for (const [fragment, code] of rows) assert.equal(codeIn(fragment), code, fragment);
});

test('a code whose end is missing is known', () => {
  const code = '0123456789abcdef'.repeat(2);
  assert.ok(!isCutOff(code));
  for (const part of [code.slice(0, -1), code.slice(0, 1), '']) assert.ok(isCutOff(part), part);
});
