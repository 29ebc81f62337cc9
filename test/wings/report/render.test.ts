/** Reports as texts: names of strangers add nothing to them (docs/behavior.md#month-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { readMonth } from '../../../src/wings/report/month.ts';
import { renderReport, type Report } from '../../../src/wings/report/render.ts';

const proof = { directory: "o'brien\n# x", url: 'https://jobs.example.com' };
const now = Date.parse('2026-12-02T08:00:00Z');

function reportOf(name: string, change: Partial<Report['jobs'][number]> = {}): Report {
  const job = {
    id: '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90',
    name,
    due: 30,
    success: 28,
    failed: 1,
    interrupted: 0,
    missed: 1,
    held: 0,
    unaccounted: 0,
    others: 0,
    receipts: { success: 28, failed: 0 },
    longestTrouble: { from: '2026-11-03T01:00:00.000Z', until: '2026-11-05T01:00:00.000Z' },
    countedFrom: null,
    ...change,
  };
  const monitor = { id: job.id, name, success: 3, failed: 1, countedFrom: null };
  const month = readMonth('2026-11', 'Europe/Berlin', now);
  return { ...month, selector: 'client=acme', now, jobs: [job], monitors: [monitor], ...proof };
}

/** A line of a table, as its cells. */
const cellsOf = (line = ''): string[] => line.split(/(?<!\\)\|/).slice(1, -1);

test('a report has the numbers of each job and of all, what counts, how to recount it and what receipts cannot show', () => {
  const text = renderReport(reportOf('backup', { held: 2 }), 'md');
  const lines = text.split('\n');
  assert.equal(lines[0], '# Report 2026-11, client=acme');
  assert.match(text, /Sun 1 Nov 2026 00:00 \+01:00 to Tue 1 Dec 2026 00:00/);
  const row = cellsOf(lines.find((line) => line.startsWith('| backup')));
  assert.deepEqual(
    row.map((cell) => cell.trim().replaceAll('\\', '')),
    [
      'backup',
      '30',
      '28',
      '1',
      '0',
      '1',
      '2',
      '0',
      '93.33 %',
      '28',
      '2 d from Tue 3 Nov 2026 02:00 +01:00',
      '–',
    ],
  );
  assert.match(text, /^\| All \| 30 \| 28 \| 1 \| 0 \| 1 \| 2 \|/m);
  assert.match(text, /Not in it: .*due times that a window held \(Held\)/);
  assert.match(text, /28 receipts \(28 success, 0 failed\) of one job/);
  const [fetched, verified] = text.match(/^ {4}.*$/gm) ?? [];
  assert.equal(
    fetched?.trim(),
    "curl -fsS 'https://jobs.example.com/api/v1/receipts/keys' -o keys.json",
  );
  assert.equal(verified?.trim(), String.raw`jobd verify 'o'\''brien # x' keys.json`);
  assert.match(text, /cannot show .* outages of jobd itself/);
  assert.doesNotMatch(text, /of the runs kept|no trace|not over: this/);
});

test('a report says that a part is not kept, has no trace, or is not over', () => {
  const cut = reportOf('a', { countedFrom: '2026-11-10T00:00:00.000Z', unaccounted: 2 });
  const text = renderReport(cut, 'md');
  assert.match(text, /of the runs kept/);
  assert.match(text, /2 due times left no trace/);
  const early = {
    ...reportOf('a', { longestTrouble: { from: '2026-11-03T01:00:00.000Z', until: null } }),
  };
  early.now = Date.parse('2026-11-03T03:00:00Z');
  assert.match(
    renderReport(early, 'html'),
    /The month is not over: .*2 h from .*, no success followed/s,
  );
});

const odd = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...Array.from('|`*_[](){}<>!#~&@:$=+-"\',;\\\n\r\t\u0000\u202e%\uff1d\uff0b\uff0d\uff20'),
      'www.',
      'http://',
      '//host',
      '<script>',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  ),
  minLength: 1,
  maxLength: 30,
});

test('no name adds a line, a cell, markup or a link to Markdown', () => {
  const plain = renderReport(reportOf('x'), 'md').split('\n').length;
  fc.assert(
    fc.property(odd, (name) => {
      const lines = renderReport(reportOf(name), 'md').split('\n');
      assert.equal(lines.length, plain);
      const [, , row = ''] = lines.filter((line) => line.startsWith('|'));
      const cells = cellsOf(row.replaceAll('\\\\', ''));
      assert.equal(cells.length, 12, row);
      const bare = (cells[0] ?? '').replaceAll(/\\[^]/g, ' ');
      assert.doesNotMatch(bare, /[`*_{}[\]<>#!|~&@$]|:[a-z/+-]|\/\/|www\./i);
    }),
  );
});

const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

test('no name adds an element to HTML, or a row or a formula to CSV', () => {
  const page = renderReport(reportOf('x'), 'html');
  const rows = renderReport(reportOf('x'), 'csv').split('\n').length;
  fc.assert(
    fc.property(odd, (name) => {
      const found = renderReport(reportOf(name), 'html');
      assert.equal(count(found, /</g), count(page, /</g));
      assert.equal(count(found, /"/g), count(page, /"/g));
      const lines = renderReport(reportOf(name), 'csv').split('\n');
      assert.equal(lines.length, rows);
      assert.doesNotMatch(lines[1] ?? '', /^"?[=+\-@|%\t\uff1d\uff0b\uff0d\uff20]/);
      const quoted = (lines[1] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '');
      assert.equal(quoted.split(',').length, 12, lines[1]);
    }),
  );
});
