/** Attacks on alerts: those of one tenant hold up nobody else's, and nobody is flooded with them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { startSink } from '../support/fakes/sink.ts';
import { runAttack, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { addWorkspace } from '../support/records/workspace.ts';

interface Tenant {
  /** Makes a channel to this URL. */
  addChannel(url: string): Promise<void>;
  /** Makes a job that calls this URL when it is asked to run. Returns what asks. */
  addJob(url: string): Promise<() => Promise<void>>;
  /** Returns the URL that is pinged. */
  addMonitor(): Promise<string>;
}

/** What the holder of a key does over the API. */
function tenant(site: string, key: string): Tenant {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as a client would
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

/** A victim with two tenants that each have an account. */
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
  'a hundred channels that never answer hold up no alert of another account',
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
      // So that all that may be taken is taken.
      await setTimeout(500);
      const began = performance.now();
      await runOfNeighbour();
      await until('the alert', () => receiver.received.length > 0, { timeoutMs: 130_000 });
      return { alertMs: performance.now() - began, held: silent.received.length };
    });
    t.diagnostic(JSON.stringify(toll));
    assert.ok(toll.result.alertMs < 5_000, `${toll.result.alertMs} ms`);
    assert.ok(toll.healthMs < 1_000);
    assert.ok(toll.latestCallMs < 5_000);
  },
);

test(
  'three hundred pings that say failure and success in turn are alerted of once',
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
    assert.ok(toll.healthMs < 1_000);
    assert.ok(toll.latestCallMs < 5_000);
  },
);
