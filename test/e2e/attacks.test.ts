/** Attacks on the packaged executable: while each goes on, others are served. */

import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { assertHarmless, startVictim } from '../support/running/under-attack.ts';

test(
  'without an attack, health checks and due jobs are served',
  { skip: notPackaged },
  async (t) => {
    const victim = await startVictim(t);
    const toll = await victim.watch((untilServed) => untilServed());
    t.diagnostic(JSON.stringify(toll));
    assertHarmless(toll);
  },
);
