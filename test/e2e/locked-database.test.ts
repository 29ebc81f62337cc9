/** Another process that holds the store for seconds holds up writing, and nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { heldLock } from './faults/outages.ts';

/** How long the lock is held, and the longest that a question without writing may wait meanwhile. */
const heldMs = 5_000;
const longestWaitMs = 1_000;

test(
  'while another process holds the write lock the event loop lives; afterwards what was due is called',
  { skip: notPackaged },
  async (t) => {
    const service = await heldLock.prepare(t, { due: 3_500 });
    const daemon = await service.start();
    const outage = await heldLock.begin(t, service, daemon.pid);
    const from = performance.now();
    const writes: Promise<{ status: number }>[] = [];
    const waits: number[] = [];
    await until(
      'the lock to be held for long enough',
      async () => {
        const job = { name: 'refused', url: `${service.witness.url}/refused` };
        if (waits.length % 10 === 0) writes.push(service.ask('POST', '/jobs', job));
        const asked = performance.now();
        assert.equal((await service.askSite('/healthz')).status, 200);
        waits.push(performance.now() - asked);
        return performance.now() - from > heldMs;
      },
      { everyMs: 50 },
    );
    assert.deepEqual(service.witness.arrivals, []);
    const longest = Math.max(...waits);
    t.diagnostic(`${waits.length} questions, the longest wait ${Math.round(longest)} ms`);
    assert.ok(longest < longestWaitMs, `a question waited ${longest} ms`);
    await outage.end();
    const answers = await Promise.all(writes);
    assert.ok(
      answers.some(({ status }) => status === 503),
      'who waited too long was refused',
    );
    await service.untilRun('due', 'success');
    const kept = (await service.ask('GET', '/jobs')).body.jobs as object[];
    const taken = answers.filter(({ status }) => status === 201);
    assert.equal(kept.length, 1 + taken.length, 'refused requests stored nothing');
    assert.equal(await daemon.stop(), 0, daemon.log());
    assert.equal(service.witness.arrivals.length, 1);
    assert.deepEqual(service.audit(), []);
  },
);
