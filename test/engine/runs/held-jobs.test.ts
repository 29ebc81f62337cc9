/** Jobs held by an API request: not claimed, but never so long that a due time is missed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeldJobs } from '../../../src/app/jobs/held-jobs.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';

test('a held job is not called, others are, and its manual run waits too', async (t) => {
  const { start, addJob, ask, clock, endedRuns, runsOf } = await setupEngine(t);
  const sink = await startSink(t);
  const due = await addJob({ ...dueOnce, url: sink.url });
  const byHand = await addJob({ ...dueOnce, url: sink.url });
  const other = await addJob({ ...dueOnce, url: sink.url });
  const heldJobs = createHeldJobs(() => engine.wake());
  const holds = [due, due, byHand].map(({ id }) => heldJobs.hold(id));
  await ask(byHand);
  const engine = await start({ heldJobs: heldJobs.ids, slots: 1 });
  clock.set(dueAt);
  engine.wake();
  await endedRuns(other, 1);
  assert.deepEqual([await runsOf(due), sink.received.length], [[], 1]);
  assert.equal((await runsOf(byHand))[0]?.status, 'queued');
  holds[0]?.[Symbol.dispose]();
  assert.equal(heldJobs.ids().length, 2, 'another one holds it still');
  for (const hold of holds.slice(1)) hold[Symbol.dispose]();
  assert.deepEqual(heldJobs.ids(), []);
  assert.equal((await endedRuns(due, 1))[0]?.status, 'success');
  assert.equal((await endedRuns(byHand, 2))[0]?.status, 'success');
});

test('a job that is held for a minute is still called in time', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const other = await addJob({ cronExpr: '11,12 * * * *', url: sink.url });
  const engine = await start({ heldJobs: () => [job.id] });
  clock.set(dueAt + 57_999);
  engine.wake();
  await endedRuns(other, 1);
  assert.equal(sink.received.length, 1);
  clock.advance(1);
  engine.wake();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.scheduledFor], ['success', dueAt]);
});
