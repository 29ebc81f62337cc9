/** Receipts of files (docs/behavior.md#receipt-4). */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { judgePaths } from '../../src/receipt/files.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { key, receipt } from '../support/hostile/receipt-mutations.ts';

const blankLines = 20_000;

/** Judges the text of a file; says what of each line, and how many parts of the file were made to find out. */
async function judged(t: TestContext, text: string) {
  const at = (name: string): string => join(directory, name);
  const directory = temporaryDirectory(t);
  writeFileSync(at('all.ndjson'), text);
  writeFileSync(at('key.json'), key);
  const parts = t.mock.method(Buffer.prototype, 'subarray');
  const { receipts } = await judgePaths(at('all.ndjson'), at('key.json'));
  const made = parts.mock.callCount();
  parts.mock.restore();
  const seen = receipts.map(({ source, verdict }) => [source.replace(/^.*\//, ''), verdict]);
  return { seen, made };
}

test('nothing is made of blank lines, which count in the numbers of lines', async (t) => {
  const line = JSON.stringify(receipt);
  const blank = '\n'.repeat(blankLines);
  const { seen, made } = await judged(t, `${blank} \r\n${line}\n${blank}${line.slice(1)}`);
  assert.deepEqual(seen, [
    [`all.ndjson, line ${blankLines + 2}`, 'valid'],
    [`all.ndjson, line ${2 * blankLines + 3}`, 'unreadable'],
  ]);
  assert.ok(made < 1_000, `${made} parts were made`);
  const none = await judged(t, blank);
  assert.deepEqual(none.seen, [['all.ndjson', 'unreadable']]);
  assert.ok(none.made < 1_000, `${none.made} parts were made`);
});

test('a file whose first line is no receipt is one document, however many lines follow', async (t) => {
  const { seen, made } = await judged(t, '{\n'.repeat(blankLines));
  assert.deepEqual(seen, [['all.ndjson', 'unreadable']]);
  assert.ok(made < 1_000, `${made} parts were made`);
});

test('a line keeps the blanks before it: a control character is no blank of JSON', async (t) => {
  const line = JSON.stringify(receipt);
  const { seen } = await judged(t, ` \t${line}\n\u000b${line}\n`);
  assert.deepEqual(seen, [
    ['all.ndjson, line 1', 'valid'],
    ['all.ndjson, line 2', 'unreadable'],
  ]);
});

test('a file of more lines than real receipts fit in is refused before they are judged', async (t) => {
  await assert.rejects(judged(t, '{}\n'.repeat(100_001)), /has more than 100000 lines: split it/);
});
