import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailLimit, mailsPerHour } from '../../../src/domain/alerts/mail-limit.ts';

const minuteMs = 60_000;

test('an account may send its mails of an hour at once, and gets them back evenly', () => {
  const limit = createMailLimit();
  for (let sent = 0; sent < mailsPerHour; sent += 50) assert.equal(limit.take('a', 50, 0), 0);
  assert.equal(limit.take('a', 50, 0), 3 * minuteMs, 'a twentieth of an hour');
  assert.equal(limit.waitMs('a', 1, 0), 3_600);
  assert.equal(limit.take('b', 50, 0), 0, 'another account');
  assert.equal(limit.take('a', 50, 3 * minuteMs), 0);
  assert.ok(limit.take('a', 1, 3 * minuteMs) > 0);
  assert.equal(limit.take('a', mailsPerHour, 63 * minuteMs), 0);
});

test('asking counts nothing', () => {
  const limit = createMailLimit();
  for (let asked = 0; asked < 3; asked += 1) {
    assert.equal(limit.waitMs('a', mailsPerHour, 0), 0);
  }
});
