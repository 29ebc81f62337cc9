import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, parseIsoTime } from '../../src/domain/clock.ts';

test('a date and time with Z or an offset is read', () => {
  const rows: [written: string, means: string][] = [
    ['2026-03-28T12:00:00.000Z', '2026-03-28T12:00:00.000Z'],
    ['2026-03-28T12:00Z', '2026-03-28T12:00:00.000Z'],
    ['2026-03-28T12:00:07+02:00', '2026-03-28T10:00:07.000Z'],
    ['2026-03-28T00:00-05:45', '2026-03-28T05:45:00.000Z'],
    ['2026-03-28T12:00:00.1Z', '2026-03-28T12:00:00.100Z'],
    ['2026-03-28T12:00:00.123999999Z', '2026-03-28T12:00:00.123Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['2000-02-29T00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ];
  for (const [written, means] of rows) {
    assert.equal(isoTime(parseIsoTime(written) ?? assert.fail(written)), means, written);
  }
});

test('a moment without a zone, outside the calendar or in another format is refused', () => {
  const rows = `2026-03-28 2026-03-28T12:00 2026-03-28T12:00:00 2026-03-28T12Z 2026-03-28T24:00Z
    2026-03-28T12:60Z 2026-03-28T12:00:60Z 2026-03-28T12:00:00,5Z 2026-03-28T12:00:00.Z
    2026-02-29T00:00Z 2100-02-29T00:00Z 2026-04-31T00:00Z 2026-00-01T00:00Z 2026-13-01T00:00Z
    2026-01-00T00:00Z 2026-01-32T00:00Z 2026-03-28T12:00+24:00 2026-03-28T12:00+02:60
    2026-03-28T12:00+0200 2026-03-28T12:00+02 2026-03-28t12:00z 2026-W13-6T12:00Z 2026-087T12:00Z
    20260328T120000Z +002026-03-28T12:00Z 26-03-28T12:00Z T12:00Z 1774699200000 now`;
  for (const text of ['', ' 2026-03-28T12:00Z', '2026-03-28T12:00Z\n', '2026-03-28 12:00Z']) {
    assert.equal(parseIsoTime(text), null, JSON.stringify(text));
  }
  for (const text of rows.trim().split(/\s+/)) assert.equal(parseIsoTime(text), null, text);
});
