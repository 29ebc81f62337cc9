/** What is old is found by its time, and goes before what is younger. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasAged, removeAged } from '../../../src/store/database/aged.ts';
import type { AgedTable } from '../../../src/store/database/aged.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';
import { openTestStore } from '../../support/running/store.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

const indexes: Record<AgedTable, string> = {
  deliveries: 'deliveries_ended_by_age',
  audit_entries: 'audit_by_time',
  made_once: 'made_once_by_time',
  sessions: 'sessions_by_expiry',
  sign_in_codes: 'sign_in_codes_by_expiry',
  nodes: 'nodes_by_end',
  schedule_spans: 'schedule_spans_ended',
};

sqliteTest('it is found by an index, however many rows are younger', async (t) => {
  for (const [table, index] of Object.entries(indexes) as [AgedTable, string][]) {
    const search = new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(\\w+<\\?\\)$`);
    assertPlan(await planOf(t, (db) => hasAged(db, table, 1)), [search]);
  }
});

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
  assert.equal(await removeAged(store.db, 'nodes', 4, 2), 2);
  assert.deepEqual(await hasAged(store.db, 'nodes', 4), true);
  assert.equal(await removeAged(store.db, 'nodes', 4, 2), 1);
  const left = await store.db.selectFrom('nodes').select('id').execute();
  assert.deepEqual(left, [{ id: 'n4' }]);
});
