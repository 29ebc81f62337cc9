/** What keys of requests made is found by its key. */

import { findMadeOnce, forgetOldest } from '../../../src/store/accounts/made-once.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

sqliteTest(
  'what a key made is found, replaced and forgotten without reading other keys',
  async (t) => {
    const row = {
      workspace_id: 'w',
      key_sha256: 'k',
      request_mac: '',
      subject_id: 's',
      made_at: 1,
    };
    assertPlan(await planOf(t, (db) => findMadeOnce(db, row)), [
      /^SEARCH made_once USING INDEX sqlite_autoindex_made_once_1 \(workspace_id=\? AND key_sha256=\?\)$/,
    ]);
    assertPlan(await planOf(t, (db) => forgetOldest(db, 'w', 5)), [
      /^SEARCH made_once USING (COVERING )?INDEX made_once_of_workspace \(workspace_id=\?( AND made_at<\?)?\)$/,
      /^SCALAR SUBQUERY/,
    ]);
  },
);
