/** The times that people ask about: instants, and what the clocks of a zone showed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '../../../src/domain/clock.ts';
import { readAskedTime } from '../../../src/wings/explain/asked-time.ts';

const now = Date.parse('2026-11-24T02:00:00Z');
const paris = 'Europe/Paris';

const cases: [text: string | null, zone: string, at: string, clocks?: string][] = [
  [null, paris, '2026-11-24T02:00:00.000Z'],
  ['2026-11-24T01:30:00Z', paris, '2026-11-24T01:30:00.000Z'],
  ['2026-11-24 02:30+01:00', paris, '2026-11-24T01:30:00.000Z'],
  ['2026-11-24 02:30', paris, '2026-11-24T01:30:00.000Z'],
  ['2026-11-24T02:30:15', paris, '2026-11-24T01:30:15.000Z'],
  ['2026-07-01 02:30', paris, '2026-07-01T00:30:00.000Z'],
  ['02:30', paris, '2026-11-24T01:30:00.000Z'],
  // Later today: it is yesterday's.
  ['03:01', paris, '2026-11-23T02:01:00.000Z'],
  ['23:59', 'America/Los_Angeles', '2026-11-23T07:59:00.000Z'],
  ['2026-03-29 02:30', paris, '2026-03-29T01:00:00.000Z', 'skipped'],
  ['2026-10-25 02:30', paris, '2026-10-25T00:30:00.000Z', 'repeated'],
  ['2026-10-25 03:00', paris, '2026-10-25T02:00:00.000Z'],
  ['2026-10-25 01:59', paris, '2026-10-24T23:59:00.000Z'],
  // Half an hour, and a whole day.
  ['2026-04-05 01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z', 'repeated'],
  ['2011-12-30 12:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', 'skipped'],
  ['2011-12-31 00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
];

test('an instant, a local time and a time of day are the instants that they say', () => {
  for (const [text, zone, at, clocks = 'once'] of cases) {
    const asked = readAskedTime('at', text, { zone, now });
    assert.deepEqual([isoTime(asked.at), asked.clocks], [at, clocks], `${text} in ${zone}`);
  }
});

test('a repeated time has its second instant too', () => {
  const asked = readAskedTime('at', '2026-10-25 02:30', { zone: paris, now });
  assert.equal(isoTime(asked.again ?? 0), '2026-10-25T01:30:00.000Z');
});

test('any other text is refused with what was given', () => {
  const bad = [
    '',
    'now',
    '2026-02-30 02:30',
    '24:00',
    '2026-11-24',
    '2026-11-24 02:30 CET',
    '9'.repeat(40),
  ];
  for (const text of bad) {
    assert.throws(
      () => readAskedTime('at', text, { zone: paris, now }),
      /^JobdError: at must be /,
      text,
    );
  }
  for (const text of ['1969-12-31T23:59:59Z', '3000-01-01 12:00']) {
    assert.throws(
      () => readAskedTime('at', text, { zone: paris, now }),
      /the years 1970 to 2999/,
      text,
    );
  }
});
