/** Days of a zone's calendar: none is lost or doubled when clocks change, and none is made up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import {
  dayReader,
  isoDay,
  lastDays,
  startOfDay,
} from '../../../src/domain/schedule/local-days.ts';

const msPerHour = 3_600_000;

function daysBefore(timezone: string, until: string, count: number): string[] {
  return lastDays(timezone, Date.parse(until), count).map(isoDay);
}

/** Hours of the first of these days that its zone has. */
function hoursOf(timezone: string, date: string): number {
  const day = Date.parse(date) / 86_400_000;
  return (startOfDay(timezone, day + 1) - startOfDay(timezone, day)) / msPerHour;
}

test('the last days end with that of the moment in its zone', () => {
  assert.deepEqual(daysBefore('Pacific/Kiritimati', '2026-03-01T10:00:00Z', 2), [
    '2026-03-01',
    '2026-03-02',
  ]);
  assert.deepEqual(daysBefore('Pacific/Pago_Pago', '2026-03-01T10:00:00Z', 2), [
    '2026-02-27',
    '2026-02-28',
  ]);
  assert.equal(daysBefore('Europe/Paris', '2026-03-01T10:00:00Z', 366).length, 366);
});

test('a day has 23 or 25 hours where clocks change', () => {
  assert.equal(hoursOf('Europe/Paris', '2026-03-29'), 23);
  assert.equal(hoursOf('Europe/Paris', '2026-10-25'), 25);
  assert.equal(hoursOf('Europe/Paris', '2026-10-26'), 24);
  assert.equal(hoursOf('Australia/Lord_Howe', '2026-04-05'), 24.5);
});

test('a day that the calendar of a zone left out is none of its days', () => {
  assert.deepEqual(daysBefore('Pacific/Apia', '2011-12-31T12:00:00Z', 4), [
    '2011-12-28',
    '2011-12-29',
    '2011-12-31',
    '2012-01-01',
  ]);
});

test('a midnight that clocks skip or repeat neither loses nor doubles a day', () => {
  // Clocks in Santiago go forward at midnight; those in Toronto went back from 00:01 to 23:01 in 2006.
  const skipped = daysBefore('America/Santiago', '2026-09-07T12:00:00Z', 3);
  assert.deepEqual(skipped, ['2026-09-05', '2026-09-06', '2026-09-07']);
  assert.equal(hoursOf('America/Santiago', '2026-09-06'), 23);
  const repeated = daysBefore('America/St_Johns', '2006-10-30T12:00:00Z', 3);
  assert.deepEqual(repeated, ['2006-10-28', '2006-10-29', '2006-10-30']);
  const day = Date.parse('2006-10-29') / 86_400_000;
  const first = startOfDay('America/St_Johns', day);
  assert.equal(new Date(first).toISOString(), '2006-10-29T02:30:00.000Z', 'its first pass');
});

const zones = fc.constantFrom(
  'UTC',
  'Europe/Paris',
  'Pacific/Apia',
  'America/Santiago',
  'America/St_Johns',
  'Asia/Kolkata',
  'Pacific/Kwajalein',
  'Africa/Casablanca',
  'Asia/Manila',
  'Asia/Gaza',
);

test('days are those that the zone shows, whatever the order of the moments', () => {
  const moments = fc.array(fc.integer({ min: 0, max: Date.UTC(2030, 0) }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(zones, moments, (timezone, list) => {
      const dayOf = dayReader(timezone);
      const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
      for (const at of list) {
        const day = dayOf(at);
        assert.equal(isoDay(day), format.format(at), `${timezone} ${at}`);
        assert.equal(lastDays(timezone, at, 1)[0], day);
        const start = startOfDay(timezone, day);
        assert.ok(start <= at, 'a day begins before all its moments');
        assert.equal(dayOf(start), day);
        assert.notEqual(dayOf(start - 60_000), day, 'and not later than its first one');
      }
    }),
    { numRuns: 300 },
  );
});
