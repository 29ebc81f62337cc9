/** The copy that is kept before a newer jobd changes the tables, and what refuses a database of another version. */

import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { JobdError } from '../../../src/domain/errors.ts';
import { countContents } from '../../../src/store/database/contents.ts';
import { migrate, newestVersion, schemaVersion } from '../../../src/store/database/migrate.ts';
import { openStore } from '../../../src/store/open.ts';
import { createCopyBeforeUpgrade, findCopies } from '../../../src/store/sqlite/before-upgrade.ts';
import { openReader } from '../../../src/store/sqlite/reader.ts';
import { openTestStore } from '../../support/running/store.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

const at = (time: string): number => Date.parse(time);

async function keep(t: TestContext) {
  const { store, dataDir, addJob } = await openTestStore(t);
  await addJob();
  const begun: (string | null)[] = [];
  const copyFor = (version: string, now: number) =>
    createCopyBeforeUpgrade(dataDir, {
      version,
      now,
      keepsCopy: true,
      onBegin: (kept) => void begun.push(kept),
    });
  return { store, dataDir, copyFor, begun };
}

sqliteTest('the copy holds everything, and only its owner can read it', async (t) => {
  const { store, dataDir, copyFor, begun } = await keep(t);
  await copyFor('0.2.0', at('2026-11-24T08:09:10.123Z')).make(store.db);
  const path = join(dataDir, 'jobd-before-0.2.0-20261124T080910Z.db');
  assert.deepEqual(begun, [path]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await using copy = await openReader(path);
  assert.equal(await schemaVersion(copy.db), newestVersion);
  assert.deepEqual(await countContents(copy.db), await countContents(store.db));
});

sqliteTest('one copy for each version is kept, of the three newest versions', async (t) => {
  const { store, dataDir, copyFor } = await keep(t);
  const other = 'jobd-before-20260101T000000Z.db';
  writeFileSync(join(dataDir, other), 'kept by a restore');
  for (const [day, version] of ['0.2.0', '0.3.0', '0.3.0', '0.4.0-rc.1', '0.5.0'].entries()) {
    await copyFor(version, at('2026-11-01T00:00:00Z') + day * 86_400_000).make(store.db);
  }
  const kept = findCopies(dataDir).map(({ before, madeAt }) => `${before} ${madeAt.slice(6, 8)}`);
  assert.deepEqual(kept, ['0.5.0 05', '0.4.0-rc.1 04', '0.3.0 03']);
  assert.ok(readdirSync(dataDir).includes(other), 'what a restore kept is not its own');
});

sqliteTest('a copy is removed again if the tables did not change', async (t) => {
  const { store, dataDir, copyFor } = await keep(t);
  const copy = copyFor('0.2.0', 0);
  await copy.make(store.db);
  copy.remove();
  assert.deepEqual(findCopies(dataDir), []);
});

sqliteTest('a copy that cannot be made refuses the upgrade, and nothing is left', async (t) => {
  const { store, dataDir } = await keep(t);
  // The name of a directory that is not there.
  const version = 'none/0.2.0';
  const copy = createCopyBeforeUpgrade(dataDir, {
    version,
    now: 0,
    keepsCopy: true,
    onBegin: () => assert.fail(),
  });
  await assert.rejects(copy.make(store.db), JobdError);
  assert.equal(copy.wasRefused, true);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('before')),
    [],
  );
});

sqliteTest('a database of a newer jobd is refused in words, and not changed', async (t) => {
  const { store, dataDir } = await keep(t);
  const next = newestVersion + 1;
  await sql`insert into schema_migrations (version, sha256) values (${next}, ${'0'.repeat(64)})`.execute(
    store.db,
  );
  const upgrade = { version: '0.2.0', now: 0, keepsCopy: true, onBegin: () => assert.fail() };
  await assert.rejects(openStore(dataDir, { upgrade }), (error) => {
    assert.ok(error instanceof JobdError);
    assert.equal(
      error.message,
      `the database has schema ${next}, this jobd knows up to ${newestVersion}: it was written by a newer jobd, ` +
        'so update this executable to that version, or restore a backup',
    );
    return true;
  });
  assert.deepEqual(findCopies(dataDir), []);
});

sqliteTest('an older database is only changed by who may upgrade it', async (t) => {
  const { store } = await keep(t);
  // As an earlier jobd leaves it, whose migrations are fewer.
  await sql`delete from schema_migrations where version = ${newestVersion}`.execute(store.db);
  await sql`insert into schema_migrations (version, sha256) values (0.5, 'earlier')`.execute(
    store.db,
  );
  await assert.rejects(migrate(store), (error) => {
    assert.ok(error instanceof JobdError);
    assert.equal(error.code, 'conflict');
    assert.match(
      error.message,
      /^the database has schema 0\.5, this jobd needs \d+: start \(or restart\) jobd serve/,
    );
    return true;
  });
});
