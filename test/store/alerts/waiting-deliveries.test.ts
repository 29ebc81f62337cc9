/** Deliveries that wait behind an unanswered one, as shown to users. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChannel } from '../../../src/store/alerts/channels.ts';
import { longestWaiting } from '../../../src/store/database/inspect.ts';
import { addChannel } from '../../support/records/channel.ts';
import { openTestStore } from '../../support/running/store.ts';

test('the newest tried delivery is shown; waiting ones are counted', async (t) => {
  const setup = await openTestStore(t);
  const { db } = setup.store;
  const { id, workspaceId } = await addChannel(setup, 'http://127.0.0.1:1/', { name: 'ops' });
  const insert = async (number: number, attempts: number): Promise<void> => {
    const state = { attempts, status: 'pending', next_attempt_at: null } as const;
    const about = { channel_id: id, event: 'job.failed', subject_id: 'job', queue: 0 } as const;
    const row = { id: `${number}`, ...about, ...state, payload: '{}', created_at: number };
    await db.insertInto('deliveries').values(row).execute();
  };
  const shown = async () => (await findChannel(db, workspaceId, id))?.lastDelivery?.id;
  assert.equal(await longestWaiting(db, 'alerts', 10), undefined);
  await insert(2, 0);
  assert.equal(await shown(), '2');
  await insert(1, 1);
  await insert(3, 0);
  assert.equal(await shown(), '1');
  assert.deepEqual(await longestWaiting(db, 'alerts', 10), { name: 'ops', count: 3, since: 1 });
  assert.equal(await longestWaiting(db, 'alerts', 1), undefined);
});
