/** The keys of definitions: found by an index, unique among what is not deleted. */

import assert from 'node:assert/strict';
import {
  findManagedId,
  findManagedIds,
  listManagedKeys,
  managedKeyOf,
} from '../../../src/store/database/managed-keys.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

sqliteTest(
  'jobs, monitors and channels are found by their keys without reading others',
  async (t) => {
    for (const table of ['jobs', 'monitors', 'channels'] as const) {
      const byKey = await planOf(t, (db) =>
        findManagedId(db, table, { workspaceId: 'w', key: 'k' }),
      );
      assertPlan(byKey, [
        new RegExp(
          `^SEARCH ${table} USING (COVERING )?INDEX ${table}_by_key \\(workspace_id=\\? AND managed_key=\\?\\)$`,
        ),
      ]);
      assertPlan(await planOf(t, (db) => managedKeyOf(db, table, 'i')), [
        new RegExp(`^SEARCH ${table} USING INDEX sqlite_autoindex_${table}_1 \\(id=\\?\\)$`),
      ]);
      const several = { workspaceId: 'w', keys: ['k', 'l'] };
      assertPlan(await planOf(t, (db) => findManagedIds(db, table, several)), [
        new RegExp(
          `^SEARCH ${table} USING (COVERING )?INDEX ${table}_by_key \\(workspace_id=\\? AND managed_key=\\?\\)$`,
        ),
      ]);
      const page = { limit: 10, before: 'i', isKeyNeeded: true };
      const [listed = ''] = await planOf(t, (db) => listManagedKeys(db, table, 'w', page));
      assert.match(
        listed,
        new RegExp(`^SEARCH ${table} USING .*INDEX .*\\(workspace_id=\\? AND id<\\?\\)$`),
      );
    }
  },
);
