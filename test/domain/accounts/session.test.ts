/** When a session is over (docs/behavior.md#session-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnded } from '../../../src/domain/accounts/session.ts';
import { msPerDay } from '../../../src/domain/clock.ts';

test('a session ends when it expires or is not used, whichever is first', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  const rows: [isOwner: boolean, unusedMs: number, leftMs: number, expected: boolean][] = [
    [false, 0, 1, false],
    [false, 0, 0, true],
    [false, 7 * msPerDay - 1, msPerDay, false],
    [false, 7 * msPerDay, msPerDay, true],
    [true, msPerDay - 1, msPerDay, false],
    [true, msPerDay, msPerDay, true],
    // The clock was set back.
    [true, -msPerDay, msPerDay, false],
  ];
  for (const [isOwner, unusedMs, leftMs, expected] of rows) {
    const session = { isOwner, lastSeenAt: now - unusedMs, expiresAt: now + leftMs };
    assert.equal(hasEnded(session, now), expected, JSON.stringify(session));
  }
});
