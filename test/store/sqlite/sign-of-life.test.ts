/** Until when a data directory was served, as the next start knows it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { leaveSigns } from '../../../src/engine/upkeep/signs.ts';
import { lastSign, leaveSign } from '../../../src/store/sqlite/sign-of-life.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { until } from '../../support/until.ts';

test('a new sign follows every 10 s, and at the end', async (t) => {
  const dataDir = temporaryDirectory(t);
  assert.equal(lastSign(dataDir), null);
  leaveSign(join(dataDir, 'absent'), 1);
  const clock = fakeClock('2026-03-02T10:00:00.123Z', { timers: 'fake' });
  const begun = clock.now();
  const log = pino({ enabled: false });
  {
    await using _ = leaveSigns({ dataDir, clock, log });
    await until('its rest', () => clock.leftMs()[0] === 10_000);
    assert.equal(lastSign(dataDir), begun);
    clock.advanceBoth(9_999);
    assert.equal(lastSign(dataDir), begun);
    clock.advanceBoth(1);
    await until('the second one', () => lastSign(dataDir) === begun + 10_000);
    clock.advanceBoth(3_000);
  }
  assert.equal(lastSign(dataDir), begun + 13_000);
});
