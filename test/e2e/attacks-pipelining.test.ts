/** Clients that pipeline without end and never read an answer cost little memory and time. */

import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { assertHarmless, startVictim, withstand } from '../support/running/under-attack.ts';

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
      const args = [victim.url, String(connections), ...requests];
      const toll = await withstand(t, victim, 'pipelining.ts', ...args);
      t.diagnostic(JSON.stringify(toll));
      assertHarmless(toll);
    },
  );
}
