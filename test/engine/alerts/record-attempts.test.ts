import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { createRecording } from '../../../src/engine/alerts/record-attempts.ts';
import type { Attempted } from '../../../src/store/alerts/attempts.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { addChannel, deliveriesOf, expandAll } from '../../support/records/channel.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { openTestStore } from '../../support/running/store.ts';

const at = 1_000_000;

test('attempts that end together are kept together, and one by one if the store refuses one', async (t) => {
  const setup = await openTestStore(t);
  const { store, workspaceId } = setup;
  const channel = await addChannel(setup, 'http://127.0.0.1:1/');
  for (let made = 0; made < 20; made += 1) {
    const { id: subjectId } = await setup.addJob();
    const change = { id: newId(at), type: 'job.failed', workspaceId, subjectId } as const;
    await insertHealthChanges(store.db, [{ ...change, runId: null, failures: 1, data: {}, at }]);
  }
  await expandAll(setup, at);
  let writes = 0;
  let failing = 1;
  const write: Store['write'] = async (work, how) => {
    writes += 1;
    if (failing-- > 0)
      throw Object.assign(new Error('refused'), { code: 'SQLITE_CONSTRAINT_CHECK' });
    return await store.write(work, how);
  };
  const keep = createRecording({ ...store, write });
  const attemptsOf = async (): Promise<Attempted[]> =>
    (await deliveriesOf(setup, channel)).map((delivery) => {
      const ended = { startedAt: at, durationMs: 1, httpStatus: 500, error: 'http: 500' };
      return { delivery, at, ...ended, nextAttemptAt: at + 60_000, backOff: null };
    });
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
