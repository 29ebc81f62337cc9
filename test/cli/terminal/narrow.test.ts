/** What a narrow terminal shows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TroubleRow } from '../../../src/api/overview/contract.ts';
import { trouble } from '../../../src/api/overview/examples.ts';
import { cutTo, widthOf } from '../../../src/cli/terminal/text.ts';
import { printRows, type Output } from '../../../src/cli/terminal/output.ts';
import { troubleColumns } from '../../../src/cli/trouble.ts';
import * as fc from '../../support/fast-check.ts';

function terminal(width: number): Output & { lines: string[] } {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  return { isTerminal: true, width, hasColour: false, lines, data: add, styled: add, say: add };
}

const pieces = [
  'a',
  'bc 1',
  '–',
  '…',
  'é',
  'e\u0301',
  'ж',
  '日本',
  '𠮷',
  'ｱ',
  '👨‍👩‍👧',
  '🇩🇪',
  '✈\ufe0f',
];

test('a cut text is never wider than its limit, whatever its characters take', () => {
  assert.equal(cutTo('05:28–07:28', 10), '05:28–07:…');
  assert.equal(cutTo('–––––abcdefghij', 8), '–––––ab…');
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, limit) => {
      const cut = cutTo(text, limit);
      assert.ok(widthOf(cut) <= limit, cut);
      assert.ok(widthOf(text) > limit || cut === text);
    }),
  );
});

test('rows of a table are fields where its first column would lose what tells them apart', () => {
  const jobs = ['Lyon', 'Paris'].map((town) => ({ name: `Stock of ${town}`, status: 'up' }));
  const print = (width: number): string[] => {
    const output = terminal(width);
    printRows(output, jobs, { name: ({ name }) => name, status: ({ status }) => status });
    return output.lines;
  };
  assert.deepEqual(print(22), [
    'NAME            STATUS',
    'Stock of Lyon   up',
    'Stock of Paris  up',
  ]);
  assert.deepEqual(print(21).slice(0, 3), ['name    Stock of Lyon', 'status  up', '']);
});

test('when something went wrong is never cut', () => {
  const now = Date.UTC(2026, 10, 24, 12);
  const times = { from: '2026-11-22T08:00:00Z', until: '2026-11-22T09:30:00Z' };
  const row = { ...trouble, ...times } as TroubleRow;
  for (const width of [40, 60, 80]) {
    const output = terminal(width);
    printRows(output, [row], troubleColumns(output, now), { wrapsLast: true });
    const [day = ''] = output.lines.filter((line) => line.includes('2026-11-22'));
    assert.match(day, /2026-11-22 \d\d:00–\d\d:30(?:$| {2})/, `${width}`);
    assert.equal(output.lines[0]?.startsWith('WHEN'), width > 40);
    assert.ok(output.lines.every((line) => width === 40 || widthOf(line) <= width));
  }
});
