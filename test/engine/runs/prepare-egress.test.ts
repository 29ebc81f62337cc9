/** Egress is prepared before a job is due, and not while none is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Egress } from '../../../src/egress/egress.ts';
import { each } from '../../support/each.ts';
import { detailsOf, dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

/** Its loops run at least once a second each: by then the claiming one has. */
const manyLooks = 30;

test('egress is prepared before the first call, and not while nothing is due for long', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const events: string[] = [];
  const egress: Egress = {
    async call() {
      events.push('call');
      return { kind: 'failure', failure: { reason: 'timeout', detail: 'by the test' } };
    },
    useCallKeys() {},
    prepare() {
      if (!events.includes('prepare')) events.push('prepare');
    },
    async [Symbol.asyncDispose]() {},
  };
  const job = await addJob(dueOnce);
  clock.set(dueAt - 60_000);
  let polls = 0;
  const counting = { ...clock, now: () => (polls++, clock.now()) };
  const engine = await start({ egress, clock: counting });
  await until('the engine has looked', () => polls > manyLooks || null);
  assert.deepEqual(events, []);
  clock.set(dueAt - 2_000);
  engine.wake();
  await until('it is ready', () => events.length > 0);
  assert.deepEqual(events, ['prepare']);
  clock.set(dueAt);
  engine.wake();
  await endedRuns(job, 1);
  assert.deepEqual(events, ['prepare', 'call']);
});

test('while egress cannot be prepared, a manual run waits, and the reason is logged', async (t) => {
  const { start, addJob, ask, runsOf, endedRuns } = await setupEngine(t);
  let isThere = false;
  const egress: Egress = {
    async call() {
      return { kind: 'failure', failure: { reason: 'timeout', detail: 'by the test' } };
    },
    useCallKeys() {},
    prepare() {
      if (!isThere) throw new Error('there is no memory for a thread');
    },
    async [Symbol.asyncDispose]() {},
  };
  const job = await addJob(dueOnce);
  await ask(job);
  const engine = await start({ egress });
  await until('the reported trouble', () =>
    detailsOf(engine).some((text) => text.includes('no memory')),
  );
  assert.deepEqual(each(await runsOf(job), 'status'), ['queued']);
  isThere = true;
  await endedRuns(job, 1);
  assert.deepEqual(detailsOf(engine), []);
});
