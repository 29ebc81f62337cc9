/** Commits whose answers never come: what people asked for is looked up, and repeated without being done twice. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { createChannel, listChannels, updateChannel } from '../../../src/app/alerts/channels.ts';
import { testChannel } from '../../../src/app/alerts/deliveries.ts';
import { createEvents } from '../../../src/app/events.ts';
import { createJob, deleteJob, listJobs, updateJob } from '../../../src/app/jobs/jobs.ts';
import { createMonitor, listMonitors, listPings } from '../../../src/app/monitors/monitors.ts';
import { createPingKeeper } from '../../../src/app/monitors/pings.ts';
import { runJob } from '../../../src/app/runs/runs.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import type { JobdError } from '../../../src/domain/errors.ts';
import { each } from '../../support/each.ts';
import { makeDatabase } from '../../support/postgres/database.ts';
import { startProxy, type Fate } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { loopback, openTestStore } from '../../support/running/store.ts';

const { skip, started } = postgresOfFile();

const url = 'http://127.0.0.1:1/';
const page = { limit: 100, cursor: null, name: null, idPrefix: null };
const commits = 40;

async function setup(t: TestContext) {
  const { url: serverUrl, port } = await started();
  const proxy = await startProxy(t, port);
  const { store, workspaceId } = await openTestStore(t, proxy.urlOf(await makeDatabase(serverUrl)));
  const clock = systemClock;
  const app = quietApp({ store, clock, allowTargets: loopback });
  /** This happens to the next commit, and to what is asked after it. */
  const strike = (fate: Fate, then: readonly Fate[] = []): void => {
    const rest = [...then];
    proxy.decide = ({ text }) => {
      if (text !== 'commit') return 'passes';
      proxy.decide = () => rest.shift() ?? 'passes';
      return fate;
    };
  };
  return { store, clock, app, principal: writerIn(workspaceId), proxy, strike, workspaceId };
}

const lost = 'is done, its answer is lost';

describe('a commit whose answer is lost', { skip }, () => {
  test('is answered as what it is, for all that people change', async (t) => {
    const { app, principal, strike, workspaceId, store, clock } = await setup(t);
    const struck = async <T>(work: () => Promise<T>): Promise<T> => {
      strike(lost);
      return await work();
    };
    const job = await struck(() => createJob(app, principal, { name: 'job', url }));
    const changed = await struck(() => updateJob(app, principal, job.id, { name: 'other' }));
    assert.equal(changed.name, 'other');
    const run = await struck(() => runJob(app, principal, job.id, null));
    assert.equal(run.status, 'queued');
    const second = await struck(() => createJob(app, principal, { name: 'second', url }));
    await struck(() => deleteJob(app, principal, second.id));
    const { channel, generated } = await struck(() =>
      createChannel(app, principal, { name: 'a', type: 'webhook', config: { url } }),
    );
    assert.match(generated['secret'] ?? '', /^whsec_/);
    await struck(() => updateChannel(app, principal, channel.id, { name: 'b' }));
    await struck(() => testChannel(app, principal, channel.id));
    const monitor = await struck(() =>
      createMonitor(app, principal, { name: 'm', scheduleType: 'period', periodSeconds: 60 }),
    );
    const events = createEvents({ clock, version: '', mostStreams: 0 });
    const keep = createPingKeeper({ store, clock, events }, () => {});
    const ping = { monitorId: monitor.id, kind: 'success', exitCode: null } as const;
    const isKept = await struck(() =>
      keep({ ...ping, method: 'GET', body: null, truncated: false }),
    );
    assert.equal(isKept, true);
    await struck(() => createKey(app, { workspace: 'default', permission: 'write', name: 'k' }));
    assert.deepEqual(each((await listJobs(app, principal, page)).items, 'name'), ['other']);
    assert.equal((await listChannels(app, principal, page)).items.length, 1);
    assert.equal((await listPings(app, principal, monitor.id, page)).items.length, 1);
    const keys = store.db.selectFrom('keys').select('id').where('workspace_id', '=', workspaceId);
    assert.equal((await keys.execute()).length, 1);
  });

  test('makes nothing twice when it is repeated with its Idempotency-Key', async (t) => {
    const { app, principal, strike } = await setup(t);
    const made: string[] = [];
    for (let number = 0; number < commits; number += 1) {
      const name = `job-${number}`;
      const repeatable = { key: name, request: name };
      const create = () => createJob(app, principal, { name, url }, repeatable);
      strike(lost, number % 2 === 0 ? [] : ['is lost']);
      const first = await create();
      assert.equal((await create()).id, first.id);
      made.push(first.id);
    }
    const { items } = await listJobs(app, principal, page);
    assert.deepEqual(each(items, 'id'), made.toReversed());
  });
});

describe('a commit that is lost', { skip }, () => {
  test('is said not to be kept', async (t) => {
    const { app, principal, strike } = await setup(t);
    strike('is lost');
    const input = { name: 'm', scheduleType: 'period', periodSeconds: 60 } as const;
    await assert.rejects(createMonitor(app, principal, input), (error: JobdError) => {
      assert.deepEqual([error.code, error.isInDoubt], ['unavailable', false]);
      assert.match(error.message, /^the database cannot be used now: /);
      return true;
    });
    assert.deepEqual((await listMonitors(app, principal, page)).items, []);
  });
});

describe('a commit of which nothing can be found out', { skip }, () => {
  test('is said to be in doubt, and what to do', async (t) => {
    const { app, principal, proxy } = await setup(t);
    proxy.decide = ({ text }) => {
      if (text !== 'commit') return 'passes';
      proxy.decide = () => 'is lost';
      return lost;
    };
    const repeatable = { key: 'k', request: 'r' };
    const create = () => createJob(app, principal, { name: 'job', url }, repeatable);
    await assert.rejects(create(), (error: JobdError) => {
      assert.deepEqual([error.code, error.isInDoubt], ['unavailable', true]);
      assert.match(error.message, /^it is not known whether this was done.*Idempotency-Key/);
      return true;
    });
    proxy.decide = () => 'passes';
    const { id } = await create();
    assert.deepEqual(
      (await listJobs(app, principal, page)).items.map((job) => job.id),
      [id],
    );
  });
});
