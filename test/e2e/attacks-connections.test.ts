/** Clients that hold as many connections as they can do not lock out others. */

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { assertHarmless, startAttack, startVictim } from '../support/running/under-attack.ts';

test(
  'one address holds 2,500 connections: keys, pings and health checks are served, kept-alive connections stay',
  { skip: notPackaged },
  async (t) => {
    const victim = await startVictim(t);
    const ask = (agent: Agent | false, path: string): Promise<number> =>
      new Promise((resolve) => {
        const headers = { authorization: `Bearer ${victim.key}` };
        const asked = request(`${victim.url}${path}`, { agent, headers, timeout: 30_000 });
        asked.once('timeout', () => asked.destroy());
        asked.once('error', () => resolve(0));
        asked.once('response', (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        });
        asked.end();
      });
    const keeping = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => keeping.destroy());
    assert.equal(await ask(keeping, '/api/v1/jobs?limit=1'), 200);
    const kept = Object.values(keeping.freeSockets)[0]?.[0];

    const statuses: number[] = [];
    const toll = await victim.watch(async (untilServed) => {
      const attack = startAttack(t, 'connections.ts', victim.url, '2500', '33');
      await attack.hasBegun();
      for (let round = 0; round < 5; round += 1) {
        statuses.push(await ask(false, '/api/v1/jobs?limit=1'), await ask(false, '/readyz'));
      }
      await untilServed();
      return await attack.end();
    });
    t.diagnostic(JSON.stringify(toll));
    assert.deepEqual(statuses, Array(10).fill(200));
    assert.equal(await ask(keeping, '/api/v1/jobs?limit=1'), 200);
    assert.equal(Object.values(keeping.freeSockets)[0]?.[0], kept, 'on the connection it had');
    assertHarmless(toll);
  },
);
