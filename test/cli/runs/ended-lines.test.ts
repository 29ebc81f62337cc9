import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRun } from '../../../src/api/runs/contract.ts';
import { createEndedLines } from '../../../src/cli/runs/ended-lines.ts';

/** A local time in January: the days are those of the reader. */
const at = (...time: [day: number, hour: number]): string =>
  new Date(2026, 0, ...time).toISOString();
const lineAt = (clock: string): string => `${clock}:00:00  success      backup  7 ms`;

test('a run on another day than the one before it comes after a line with its date', () => {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  const output = {
    isTerminal: true,
    width: 80,
    hasColour: false,
    data: add,
    styled: add,
    say: add,
  };
  const print = createEndedLines(output, Date.parse(at(3, 12)));
  const job = { id: 'j', name: 'backup' };
  const run = { job, status: 'success', scheduledFor: at(4, 8), durationMs: 7, error: null };
  const ended = (finishedAt: string | null) => ({ ...run, finishedAt }) as ListedRun;
  for (const time of [at(1, 23), at(2, 1), at(2, 5), at(3, 0), null]) print(ended(time));
  assert.deepEqual(lines, [
    '2026-01-01',
    lineAt('23'),
    '2026-01-02',
    lineAt('01'),
    lineAt('05'),
    '2026-01-03',
    lineAt('00'),
    '2026-01-04',
    lineAt('08'),
  ]);
  lines.length = 0;
  createEndedLines(output, Date.parse(at(3, 12)))(ended(at(3, 13)));
  assert.deepEqual(lines, [lineAt('13')], 'not for today');
});
