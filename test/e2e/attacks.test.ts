/**
 * Attacks on the packaged executable: each test is bounded in time, and others must hardly notice
 * the attack.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { notPackaged } from '../support/running/executable.ts';
import { longestHealthMs, startVictim } from '../support/running/under-attack.ts';

test(
  'without an attack, health checks and due jobs are served at once',
  { skip: notPackaged },
  async (t) => {
    const victim = await startVictim(t);
    const toll = await victim.watch(() => setTimeout(6_000));
    t.diagnostic(JSON.stringify(toll));
    assert.ok(toll.due >= 2);
    assert.ok(toll.healthMs < longestHealthMs);
    assert.ok(toll.latestCallMs < 5_000);
  },
);
