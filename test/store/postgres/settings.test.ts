/** Settings of a database or role change no answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import { makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';

const { skip, started } = postgresOfFile();

for (const format of ['hex', 'escape']) {
  test(`bytes are read as they are with bytea_output = ${format}`, { skip }, async () => {
    const url = await makeEmptyDatabase((await started()).url);
    const name = new URL(url).pathname.slice(1);
    await onServer(url, `alter database ${name} set bytea_output = ${format}`);
    await using store = await openStore(url);
    const body = 'ok\n\0\\x41 \\101 é';
    const { rows } = await sql<{ body: string }>`
      select decode(${Buffer.from(body).toString('base64')}, 'base64') as body`.execute(store.db);
    assert.deepEqual(rows, [{ body }]);
  });
}
