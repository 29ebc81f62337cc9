/** Clients that pipeline without end and never read an answer cost little memory and time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { longestHealthMs, runAttack, startVictim } from '../support/running/under-attack.ts';

const attacks: [connections: number, requests: string[]][] = [
  [300, ['GET /docs', 'GET /']],
  [100, ['GET /docs', 'GET /api/v1/openapi.json', 'GET /healthz', 'GET /ping/unknown', 'POST /']],
];

for (const [connections, requests] of attacks) {
  test(
    `${connections} connections pipeline ${requests.join(', ')} and read nothing`,
    { skip: notPackaged },
    async (t) => {
      const victim = await startVictim(t);
      const args = [victim.url, String(connections), '8', ...requests];
      const toll = await victim.watch(() => runAttack(t, 'pipelining.ts', args));
      t.diagnostic(JSON.stringify(toll));
      assert.equal(toll.healthFailed, 0);
      assert.ok(toll.healthMs < longestHealthMs);
      assert.ok(toll.latestCallMs < 5_000);
      assert.ok(toll.grownMiB <= 100);
    },
  );
}
