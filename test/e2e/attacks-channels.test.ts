/** Attacks on alerts: a tenant cannot delay the alerts of others. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { startSink } from '../support/fakes/sink.ts';
import { assertHarmless, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { addWorkspace } from '../support/records/workspace.ts';

interface Tenant {
  /** Creates a channel with this URL. */
  addChannel(url: string): Promise<void>;
  /** Creates a job that calls this URL. Returns a function that runs it. */
  addJob(url: string): Promise<() => Promise<void>>;
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

const channels = 100;

test(
  'a hundred channels that never answer delay no alert of another account',
  { skip: notPackaged },
  async (t) => {
    const { victim, attacker, neighbour } = await setup(t);
    const target = await startSink(t, (response) => response.writeHead(500).end());
    const silent = await startSink(t, () => {});
    const receiver = await startSink(t);
    for (let made = 0; made < channels; made += 1) await attacker.addChannel(silent.url);
    const runs: (() => Promise<void>)[] = [];
    for (let made = 0; made < 6; made += 1) runs.push(await attacker.addJob(target.url));
    await neighbour.addChannel(receiver.url);
    const runOfNeighbour = await neighbour.addJob(target.url);
    const toll = await victim.watch(async (untilServed) => {
      for (const run of runs) await run();
      await until('the silent one to be asked', () => silent.received.length >= 30);
      await runOfNeighbour();
      await until('the alert', () => receiver.received.length > 0);
      const tried = silent.received.length;
      await untilServed();
      return tried;
    });
    t.diagnostic(JSON.stringify(toll));
    assert.ok(toll.result < channels, 'the alert waits for few of the others');
    assertHarmless(toll);
  },
);
