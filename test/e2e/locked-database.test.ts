/** Another process that holds the store for seconds holds up writing, and nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { heldLock } from './faults/outages.ts';

/** Questions without writing that are answered while a write waits: an event loop that waits too answers none. */
const enoughAnswers = 5;

test(
  'while another process holds the write lock the event loop lives; afterwards what was due is called',
  { skip: notPackaged },
  async (t) => {
    const service = await heldLock.prepare(t, ['due']);
    const { witness, ask, askSite } = service;
    const daemon = await service.start();
    const thaw = await service.freezeWithDue(daemon, 'due');
    const outage = await heldLock.begin(t, service, daemon.pid);
    thaw();
    const job = { name: 'refused', url: `${witness.url}/refused` };
    let refusals = 0;
    const writes = Array.from({ length: 10 }, async () => {
      const { status } = await ask('POST', '/jobs', job);
      refusals += Number(status === 503);
      return status;
    });
    let answers = 0;
    await until('who waited too long to be refused', async () => {
      assert.equal((await askSite('/healthz')).status, 200);
      answers += Number(refusals === 0);
      return refusals > 0;
    });
    assert.deepEqual(witness.arrivals, []);
    assert.ok(answers >= enoughAnswers, `${answers} questions were answered`);
    await outage.end();
    const statuses = await Promise.all(writes);
    await service.untilRun('due', 'success');
    const kept = (await ask('GET', '/jobs')).body.jobs as object[];
    const taken = statuses.filter((status) => status === 201);
    assert.equal(kept.length, 1 + taken.length, 'refused requests stored nothing');
    assert.equal(await daemon.stop(), 0, daemon.log());
    assert.equal(witness.arrivals.length, 1);
    assert.deepEqual(service.audit(), []);
  },
);
