import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOldRows, removeOldRows } from '../../../src/store/database/old-rows.ts';
import { openTestStore } from '../../support/running/store.ts';

test('the oldest rows go first, and no more than asked for', async (t) => {
  const { store } = await openTestStore(t);
  for (const at of [3, 1, 2, 4]) {
    const node = { host: 'h', pid: at, version: '', slots: 1, settings: '{}', master_keys: '[]' };
    const times = {
      started_at: 0,
      serving_since: 0,
      expires_at: 0,
      ended_at: at,
      end_reason: 'stopped',
    } as const;
    await store.db
      .insertInto('nodes')
      .values({ id: `n${at}`, ...node, ...times })
      .execute();
  }
  assert.equal(await removeOldRows(store.db, 'nodes', 4, 2), 2);
  assert.deepEqual(await hasOldRows(store.db, 'nodes', 4), true);
  assert.equal(await removeOldRows(store.db, 'nodes', 4, 2), 1);
  const left = await store.db.selectFrom('nodes').select('id').execute();
  assert.deepEqual(left, [{ id: 'n4' }]);
});
