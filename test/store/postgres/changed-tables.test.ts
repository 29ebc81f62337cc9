/** A newer jobd changes the tables while this one serves: its prepared statements go on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDueJobs } from '../../../src/store/runs/claims.ts';
import { onServer } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();

test('a prepared statement outlives a change of the tables', { skip }, async (t) => {
  const database = await newDatabase();
  const { store, addJob } = await openTestStore(t, database);
  await addJob();
  const bounds = { limit: 10, exceptHosts: [], exceptJobs: [] };
  const asked = [
    () => findDueJobs(store.db, Number.MAX_SAFE_INTEGER, bounds),
    () => store.write((tx) => findDueJobs(tx, Number.MAX_SAFE_INTEGER, bounds)),
  ];
  for (const ask of asked) assert.equal((await ask()).length, 1);
  await onServer(database, 'alter table jobs alter column timezone type varchar(100)');
  for (const ask of asked) assert.equal((await ask()).length, 1);
});
