/** A database is opened only by a build that knows its schema: two builds may have given one number to different schemas. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { JobdError } from '../../../src/domain/errors.ts';
import { openStore } from '../../../src/store/open.ts';
import { databaseFor } from '../../support/running/local.ts';
import { temporaryDirectory } from '../../support/directory.ts';

test('a database of another build is refused in a sentence, and opened again by its own', async (t) => {
  const dataDir = temporaryDirectory(t);
  const place = (await databaseFor(dataDir)) ?? dataDir;
  const store = await openStore(place);
  const written = await sql<{ sha256: string }>`select sha256 from schema_migrations`.execute(
    store.db,
  );
  const sha256 = written.rows[0]?.sha256 ?? '';
  assert.match(sha256, /^[0-9a-f]{64}$/);
  await sql`update schema_migrations set sha256 = ${'0'.repeat(64)}`.execute(store.db);
  await assert.rejects(openStore(place), (error) => {
    assert.ok(error instanceof JobdError);
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /cannot be opened: another build of jobd made it/);
    return true;
  });
  await sql`update schema_migrations set sha256 = ${sha256}`.execute(store.db);
  await store[Symbol.asyncDispose]();
  await using again = await openStore(place);
  assert.ok(again);
});
