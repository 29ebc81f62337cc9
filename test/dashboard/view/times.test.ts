import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  absolute,
  browserZone,
  clock,
  dateIn,
  dayIn,
  sameZone,
  timeIn,
} from '../../../src/dashboard/view/times.ts';

const iso = '2026-11-29T23:08:02.003Z';
const now = Date.parse('2026-11-22T06:41:12.000Z');

test('a short time has a year only if that is not this one, in the zone itself', () => {
  assert.equal(timeIn(iso, now, 'Europe/Paris'), 'Mon 30 Nov 00:08');
  assert.equal(dayIn(iso, now, 'UTC'), 'Sun 29 Nov');
  const newYear = '2026-12-31T23:30:00.000Z';
  assert.equal(timeIn(newYear, now, 'UTC'), 'Thu 31 Dec 23:30');
  assert.equal(timeIn(newYear, now, 'Europe/Paris'), 'Fri 1 Jan 2027 00:30');
});

test('a clock has 24 hours, and as many digits as are asked for', () => {
  assert.equal(clock(iso, 'Europe/Paris'), '00:08');
  assert.equal(clock(iso, 'Europe/Paris', { withSeconds: true }), '00:08:02');
  assert.equal(clock(iso, 'America/New_York', { withMs: true }), '18:08:02.003');
});

test('the full text has the zone twice: as it is called, and by name', () => {
  assert.equal(
    absolute(iso, 'Europe/Paris'),
    'Monday, 30 November 2026 at 00:08:02 CET (Europe/Paris)',
  );
  assert.equal(absolute(iso, 'UTC'), 'Sunday, 29 November 2026 at 23:08:02 UTC');
});

test('the date is that of the zone', () => {
  assert.equal(dateIn(Date.parse(iso), 'UTC'), '2026-11-29');
  assert.equal(dateIn(Date.parse(iso), 'Europe/Paris'), '2026-11-30');
});

test('a zone that the browser lacks is shown in UTC and says so', () => {
  assert.equal(clock(iso, 'Mars/Olympus'), '23:08 UTC');
  assert.equal(timeIn(iso, now, 'Mars/Olympus'), 'Sun 29 Nov 23:08 UTC');
});

test('two names of one zone are the same zone', () => {
  assert.ok(sameZone('Asia/Kolkata', 'Asia/Calcutta'));
  assert.ok(sameZone('Mars/Olympus', 'Mars/Olympus'));
  assert.ok(!sameZone('Europe/Paris', 'Europe/Berlin'));
  assert.ok(!sameZone('Mars/Olympus', 'UTC'));
  assert.ok(sameZone(browserZone(), Intl.DateTimeFormat().resolvedOptions().timeZone));
});

test('a format is made once', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  for (let times = 0; times < 3; times += 1) clock(iso, 'Africa/Lagos');
  assert.equal(made.mock.callCount(), 1);
});
