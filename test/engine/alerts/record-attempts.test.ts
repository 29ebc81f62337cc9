import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { createRecording } from '../../../src/engine/alerts/record-attempts.ts';
import type { Attempted } from '../../../src/store/alerts/attempts.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { openTestStore } from '../../support/running/store.ts';

const at = 1_000_000;

/** Attempts that failed, of deliveries of one channel. */
async function setupAttempts(t: TestContext, count: number) {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  for (let made = 0; made < count; made += 1) {
    const { id: subjectId } = await setup.addJob();
    const change = { id: newId(at), type: 'job.failed', workspaceId, subjectId } as const;
    await insertHealthChanges(store.db, [{ ...change, runId: null, failures: 1, data: {}, at }]);
  }
  await expandAll(setup, at);
  const attemptsOf = async (): Promise<Attempted[]> =>
    (await deliveriesOf(setup, channel)).map((one) => {
      const delivery = { ...one, payload: '{}' };
      const ended = { startedAt: at, durationMs: 1, httpStatus: 500, error: 'http: 500' };
      return { delivery, at, ...ended, nextAttemptAt: at + 60_000, backOff: null };
    });
  return { store, attemptsOf };
}

test('attempts that end together are kept together, and one by one if the store refuses one', async (t) => {
  const { store, attemptsOf } = await setupAttempts(t, 20);
  let writes = 0;
  let failing = 1;
  const write: Store['write'] = async (work, how) => {
    writes += 1;
    if (failing-- > 0)
      throw Object.assign(new Error('refused'), { code: 'SQLITE_CONSTRAINT_CHECK' });
    return await store.write(work, how);
  };
  const keep = createRecording({ ...store, write }, fakeClock(), 1);
  const first = await attemptsOf();
  assert.equal(first.length, 20);
  assert.deepEqual(await Promise.all(first.map(keep)), Array(20).fill(true));
  assert.equal(writes, 21, 'together, and then each alone');
  assert.deepEqual(await Promise.all(first.map(keep)), Array(20).fill(false), 'they are known');
  assert.equal(writes, 22, 'together');
  const [one] = await attemptsOf();
  assert.ok(one);
  failing = 1;
  await assert.rejects(keep(one), /refused/);
  assert.equal(await keep(one), true);
});

test('recording rests as often as it is to; what ends meanwhile is kept together', async (t) => {
  const { store, attemptsOf } = await setupAttempts(t, 3);
  const clock = fakeClock(at, { timers: 'fake' });
  let writes = 0;
  const write: Store['write'] = async (work, how) => {
    writes += 1;
    clock.pass(10);
    return await store.write(work, how);
  };
  const keep = createRecording({ ...store, write }, clock, 7);
  const [first = assert.fail(), ...others] = await attemptsOf();
  assert.equal(await keep(first), true);
  const kept = Promise.all(others.map(keep));
  assert.deepEqual(clock.leftMs(), [70]);
  clock.pass(69);
  assert.equal(writes, 1);
  clock.pass(1);
  assert.deepEqual(await kept, [true, true]);
  assert.equal(writes, 2, 'together');
});
