/** Workspaces share the slots, and those of each host: whatever one of them calls, the others find some. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { defineJob, type JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { insertWorkspace, listWorkspaces } from '../../../src/store/accounts/workspaces.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { sealed } from '../../support/fakes/vault.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { loopback } from '../../support/running/store.ts';
import { testWriter } from '../../support/running/writer.ts';

const minute = 60_000;
const slots = 8;

/** An engine, and another workspace beside its own. */
async function setup(t: TestContext) {
  const engine = await setupEngine(t);
  const { store, clock } = engine;
  const [{ accountId } = { accountId: '' }] = await listWorkspaces(store.db);
  const workspaceId = newId(0);
  await insertWorkspace(store.db, { id: workspaceId, name: 'other', accountId, createdAt: 0 });
  const addOther = async (input: Partial<JobInput>): Promise<Job> => {
    const [now, given] = [clock.now(), { name: 'other', url: 'http://127.0.0.1:1/', ...input }];
    const job = defineJob(given, { id: newId(now), workspaceId, now, allowTargets: loopback });
    await insertJob(store.db, await sealed(job));
    return job;
  };
  const add = async (count: number, input: Partial<JobInput>): Promise<Job[]> =>
    await Promise.all(Array.from({ length: count }, () => engine.addJob(input)));
  return { ...engine, addOther, add };
}

for (const [what, limits] of [
  ['slots', { slots }],
  ['slots of its host', { slots: slots + 2, slotsPerHost: slots }],
] as const) {
  test(`a workspace that waits for ${what} leaves the next one to another, before runs by hand of its own`, async (t) => {
    const { start, add, addOther, ask, clock, endedRuns } = await setup(t);
    const slow = await startHeldSink(t);
    const its = await startHeldSink(t);
    const asked = await add(12, { cronExpr: '0 0 1 1 *', url: slow.url });
    const due = await add(12, { ...dueOnce, url: slow.url });
    for (const job of asked) await ask(job);
    const others = [await addOther({ ...dueOnce, url: its.url })];
    others.push(await addOther({ cronExpr: '12 * * * *', url: its.url }));
    clock.set(dueAt);
    const engine = await start(limits);
    await its.waitFor(1);
    await slow.waitFor(slots - 1);
    assert.equal(slow.waiting, slots - 1, 'one was left for it');
    clock.set(dueAt + minute);
    engine.wake();
    slow.release(1);
    await its.waitFor(2);
    assert.equal(slow.waiting, slots - 2, 'the next free slot is not for a run by hand');
    its.release();
    for (const job of others) await endedRuns(job, 1);
    for (let answered = 1; answered < 24; answered += 1) {
      await slow.waitFor(1);
      slow.release(1);
    }
    for (const job of [...asked, ...due]) await endedRuns(job, 1);
    assert.equal(slow.mostWaiting, slots - 1);
  });
}

test('the only workspace has all slots', async (t) => {
  const { start, addJob, clock } = await setupEngine(t);
  const slow = await startHeldSink(t);
  for (let count = 0; count < slots; count += 1) await addJob({ ...dueOnce, url: slow.url });
  clock.set(dueAt);
  await start({ slots });
  await slow.waitFor(slots);
  slow.release();
});

for (const [isKept, what] of [
  [false, 'is not on the disk'],
  [true, 'is on the disk all the same'],
] as const) {
  test(`slots are counted by workspace after a claim whose commit failed and that ${what}`, async (t) => {
    const { store, clock, add, addOther } = await setup(t);
    let isBroken = true;
    const failing: Store = {
      ...store,
      async write(work) {
        if (!isBroken) return await store.write(work);
        isBroken = false;
        const failed = new Error('the commit failed');
        await store.write(async (tx) => {
          await work(tx);
          if (!isKept) throw failed;
        });
        throw failed;
      },
    };
    const writer = testWriter(failing, clock, slots);
    const own = await add(12, dueOnce);
    for (let count = 0; count < 2; count += 1) await addOther(dueOnce);
    clock.set(dueAt);
    await assert.rejects(writer.claim(), /the commit failed/);
    const held = await writer.settle();
    assert.equal(held.length, isKept ? slots - 1 : 0);
    for (let more = true; more;) {
      const claim = await writer.claim();
      held.push(...claim.executions);
      ({ more } = claim);
    }
    const others = held.filter(({ workspaceId }) => workspaceId !== own[0]?.workspaceId);
    assert.deepEqual([held.length, others.length], [slots, 1]);
  });
}
