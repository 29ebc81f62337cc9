/** Clients that hold as many connections as they can do not lock out others. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { notPackaged } from '../support/running/executable.ts';
import { openSocket, parseAnswers, receiveAll } from '../support/hostile/raw.ts';
import { assertHarmless, startAttack, startVictim } from '../support/running/under-attack.ts';
import type { Victim } from '../support/running/under-attack.ts';

const noAddresses =
  process.platform === 'linux' ? false : 'only Linux has all of 127.0.0.0/8 as addresses';

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

const prlimit = '/usr/bin/prlimit';
const wrapper = [prlimit, '--nofile=1024:1024'];
const skip = notPackaged || noAddresses || (existsSync(prlimit) ? false : 'there is no prlimit');

/** With the small file limit there are at most 234 connections. */
const modes: [what: string, mode: string][] = [
  ['ping a monitor with a body that never comes', 'slow'],
  ['ping a monitor once and stay', 'idle'],
];
const connections = 300;
const rounds = 8;

for (const [what, mode] of modes) {
  test(
    `${connections} connections ${what}: keys and health checks of others are served`,
    { skip },
    async (t) => {
      const victim = await startVictim(t, { wrapper });
      const headers = { authorization: `Bearer ${victim.key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'a' });
      const made = await fetch(`${victim.url}/api/v1/monitors`, { method: 'POST', headers, body });
      const { pingUrl } = ((await made.json()) as { monitor: { pingUrl: string } }).monitor;
      const statuses: number[] = [];
      const toll = await victim.watch(async (untilServed) => {
        const args = [pingUrl, mode, String(connections)];
        const attack = startAttack(t, 'held-connections.ts', ...args);
        await attack.hasBegun();
        for (let round = 0; round < rounds; round += 1) {
          statuses.push(await askAfterAWhile(victim));
        }
        await untilServed();
        return await attack.end();
      });
      t.diagnostic(JSON.stringify(toll));
      assert.deepEqual(statuses, Array(rounds).fill(200));
      assertHarmless(toll);
    },
  );
}

/**
 * The status of a request with a valid key, sent a round trip after connecting, as over a network.
 */
async function askAfterAWhile({ url, key }: Victim): Promise<number> {
  const socket = await openSocket(url);
  await setTimeout(100);
  socket.write(
    `GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  );
  const received = await receiveAll(socket);
  return received.length === 0 ? 0 : (parseAnswers(received)[0]?.status ?? 0);
}
