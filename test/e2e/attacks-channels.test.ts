/** Attacks on alerts: a tenant can neither delay the alerts of others nor flood anyone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { startSink } from '../support/fakes/sink.ts';
import { longestHealthMs, runAttack, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { addWorkspace } from '../support/records/workspace.ts';

interface Tenant {
  /** Creates a channel with this URL. */
  addChannel(url: string): Promise<void>;
  /** Creates a job that calls this URL. Returns a function that runs it. */
  addJob(url: string): Promise<() => Promise<void>>;
  /** Returns the ping URL. */
  addMonitor(): Promise<string>;
}

/** The API calls of a key holder. */
function tenant(site: string, key: string): Tenant {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read it as a client would
  const post = async (path: string, body?: object): Promise<any> => {
    const response = await fetch(`${site}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    async addChannel(url) {
      await post('/channels', { name: 'channel', type: 'webhook', config: { url } });
    },
    async addJob(url) {
      const { job } = await post('/jobs', { name: 'job', url, cronExpr: '0 0 29 2 *' });
      return async () => void (await post(`/jobs/${job.id}/run`));
    },
    async addMonitor() {
      return (await post('/monitors', { name: 'monitor' })).monitor.pingUrl;
    },
  };
}

/** A victim, and two tenants with an account each. */
async function setup(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  const others = [await addWorkspace(dataDir), await addWorkspace(dataDir)];
  const keys = await Promise.all(others.map(({ newKey }) => newKey('write')));
  const victim = await startVictim(t, { dataDir });
  const [attacker, neighbour] = keys.map((key) => tenant(victim.url, key));
  assert.ok(attacker && neighbour);
  return { victim, attacker, neighbour };
}

test(
  'a hundred channels that never answer delay no alert of another account',
  { skip: notPackaged },
  async (t) => {
    const { victim, attacker, neighbour } = await setup(t);
    const target = await startSink(t, (response) => response.writeHead(500).end());
    const silent = await startSink(t, () => {});
    const receiver = await startSink(t);
    for (let made = 0; made < 100; made += 1) await attacker.addChannel(silent.url);
    const runs: (() => Promise<void>)[] = [];
    for (let made = 0; made < 6; made += 1) runs.push(await attacker.addJob(target.url));
    await neighbour.addChannel(receiver.url);
    const runOfNeighbour = await neighbour.addJob(target.url);
    const toll = await victim.watch(async () => {
      for (const run of runs) await run();
      await until('the silent one to be asked', () => silent.received.length >= 30);
      // Claims everything that may be claimed.
      await setTimeout(500);
      const began = performance.now();
      await runOfNeighbour();
      await until('the alert', () => receiver.received.length > 0, { timeoutMs: 130_000 });
      return { alertMs: performance.now() - began, held: silent.received.length };
    });
    t.diagnostic(JSON.stringify(toll));
    assert.ok(toll.result.alertMs < 5_000, `${toll.result.alertMs} ms`);
    assert.ok(toll.healthMs < longestHealthMs);
    assert.ok(toll.latestCallMs < 5_000);
  },
);

test(
  'three hundred alternating failure and success pings raise one alert',
  { skip: notPackaged },
  async (t) => {
    const { victim, attacker } = await setup(t);
    const receiver = await startSink(t);
    await attacker.addChannel(receiver.url);
    const pingUrl = await attacker.addMonitor();
    const toll = await victim.watch(async () => {
      const sent = await runAttack(t, 'alternating-pings.ts', [pingUrl, '300']);
      await until('an alert', () => receiver.received.length > 0);
      await setTimeout(10_000);
      return { sent, alerts: receiver.received.length };
    });
    t.diagnostic(JSON.stringify(toll));
    assert.equal((toll.result.sent as { answered: number }).answered, 300);
    assert.equal(toll.result.alerts, 1);
    assert.ok(toll.healthMs < longestHealthMs);
    assert.ok(toll.latestCallMs < 5_000);
  },
);
