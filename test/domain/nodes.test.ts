/** What is said of nodes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossText } from '../../src/domain/nodes.ts';

test('a loss says what is known of it, and not where the node runs', () => {
  const loss = { host: 'db-host', pid: 7, at: Date.parse('2026-11-24T03:00:00Z') };
  const found =
    'at 2026-11-24T03:00:00.000Z a node found that the database had lost what it had confirmed';
  assert.equal(
    lossText({ ...loss, calls: 20, outcomes: 1 }),
    `${found}: at least 20 calls and 1 outcome of that node are among it`,
  );
  assert.equal(
    lossText({ ...loss, calls: 0, outcomes: 0 }),
    `${found}: no call of that node is among it`,
  );
});
