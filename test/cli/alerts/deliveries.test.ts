import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedDelivery } from '../../../src/api/alerts/contract.ts';
import { printDeliveries } from '../../../src/cli/alerts/deliveries.ts';
import { widthOf } from '../../../src/cli/terminal/text.ts';
import { isoTime } from '../../../src/domain/clock.ts';

const delivery: ListedDelivery = {
  id: '019a9b1c-0000-7000-8000-000000000000',
  event: 'job.recovered',
  subject: { type: 'job', id: '019a9b1c-0000-7000-8000-000000000001', name: 'statements of a day' },
  status: 'delivered',
  attempts: 3,
  lastAttemptAt: isoTime(Date.now() - 3_000),
  lastError: 'http: 503, { "error": "maintenance until noon" }',
  createdAt: isoTime(Date.now() - 60 * 60_000),
  channel: { id: '019a9b1c-0000-7000-8000-000000000002', name: 'operators' },
};

/** The titles of the columns that a terminal shows. */
const shown = (width: number, hasChannels: boolean): string => {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  const output = { isTerminal: true, width, hasColour: false, data: add, styled: add, say: add };
  printDeliveries(output, [delivery], { hasChannels, isWide: false });
  assert.equal(lines.length, 2, 'a title and a row');
  for (const line of lines) assert.ok(widthOf(line) <= width, line);
  assert.match(lines[1] ?? '', /\bjob\.recovered {2}/);
  return (lines[0] ?? '').split(/ {2,}/).join(', ');
};

test('a narrow terminal shows the event whole, and hides the last attempt first', () => {
  assert.equal(shown(80, false), 'EVENT, ABOUT, STATUS, CREATED, ERROR, ID');
  assert.equal(shown(80, true), 'CHANNEL, EVENT, ABOUT, STATUS, CREATED, ERROR');
  assert.equal(shown(100, false), 'EVENT, ABOUT, STATUS, ATTEMPTS, CREATED, ERROR, ID');
  assert.equal(
    shown(140, true),
    'CHANNEL, EVENT, ABOUT, STATUS, ATTEMPTS, CREATED, LAST ATTEMPT, ERROR, ID',
  );
});
