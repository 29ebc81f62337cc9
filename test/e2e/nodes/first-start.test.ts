/** Two first starts at once on an empty database: they make one store, and serve it together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { startServe } from '../../support/running/executable.ts';
import { testSecretKey } from '../../support/running/local.ts';
import { skip } from '../postgres/service.ts';

const rounds = 2;
const nodeCount = 3;

test('several first starts at once make one store', { skip }, async (t) => {
  await using server = await startPostgres();
  for (let round = 0; round < rounds; round += 1) {
    const database = await makeEmptyDatabase(server.url);
    const env = { JOBD_DATABASE_URL: database, JOBD_SECRET_KEY: testSecretKey };
    const nodes = Array.from({ length: nodeCount }, () =>
      startServe(t, [], { cwd: temporaryDirectory(t), env }),
    );
    await Promise.all(nodes.map(({ listening }) => listening));
    const count = `select (select count(*)::int from workspaces) as workspaces,
      (select count(*)::int from accounts) as accounts, (select count(*)::int from instance) as instances,
      (select count(*)::int from master_keys) as "masterKeys",
      (select count(*)::int from signing_keys) as "signingKeys", (select count(*)::int from nodes) as nodes`;
    assert.deepEqual(await onServer(database, count), [
      {
        workspaces: 1,
        accounts: 1,
        instances: 1,
        masterKeys: 1,
        signingKeys: 1,
        nodes: nodeCount,
      },
    ]);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.log());
  }
});
