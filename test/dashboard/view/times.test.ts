/** Times as the pages write them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayAndTime, timeOfDay } from '../../../src/dashboard/view/times.ts';

test('a time names its day and its zone', () => {
  const iso = '2026-11-29T23:08:02.000Z';
  assert.equal(dayAndTime(iso, 'UTC'), 'Sunday, 29 November 2026 at 23:08 UTC');
  assert.equal(dayAndTime(iso, 'Europe/Paris'), 'Monday, 30 November 2026 at 00:08 CET');
  assert.equal(timeOfDay(iso, 'Asia/Kolkata'), '04:38:02');
});
