/** A data directory of an earlier jobd: what it holds is there afterwards, and works. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { createAuthenticate } from '../../../src/app/accounts/keys.ts';
import { createMe } from '../../../src/app/accounts/me.ts';
import { openLocal } from '../../../src/local-store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { sqliteDialect } from '../../../src/store/database/sqlite.ts';
import * as first from '../../../src/store/database/migrations/0001_first.ts';

/** `cp_` and 64 zeros. */
const secret = `cp_${'0'.repeat(64)}`;
const sha256 = '9cd5a23f24e361cf0c5f6423f5234dfff063e1b03c44848972a646279576b9fe';

/** A store as the first jobd left it: two workspaces, a key and a job. */
async function makeFirstStore(dataDir: string): Promise<void> {
  const db = new Kysely<unknown>({ dialect: sqliteDialect(join(dataDir, 'jobd.db')) });
  await first.up(db);
  const statements = [
    `create table migrations (version bigint not null primary key,
       applied_at text not null default current_timestamp)`,
    `insert into migrations (version) values (1)`,
    `insert into workspaces values ('w1', 'default', 5), ('w2', 'second', 6)`,
    `insert into keys values ('k', 'w2', 'old', 'write', '${sha256}', 7, null)`,
    `insert into jobs (id, workspace_id, name, url, host, method, headers, schedule_type, cron_expr,
       timezone, anchor_at, timeout_seconds, retries, notes, paused, health, created_at, total_success)
     values ('j', 'w2', 'job', 'https://example.com/', 'example.com', 'GET', '{}', 'cron', '* * * * *',
       'UTC', 0, 30, 0, '', 0, 'up', 8, 42)`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  await db.destroy();
}

test('the workspaces of an earlier jobd belong to the default account, which may do all it could', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeFirstStore(dataDir);
  const clock = fakeClock();
  for (let opened = 0; opened < 2; opened += 1) {
    await using local = await openLocal(dataDir, clock);
    const { db } = local.store;
    const accounts = await db.selectFrom('accounts').selectAll().execute();
    const [{ id, ...account } = { id: '' }, ...more] = accounts;
    assert.deepEqual(more, []);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      { ...account, created_at: 0 },
      {
        name: 'default',
        plan: 'self-hosted',
        expires_at: null,
        on_trial: 0,
        schedules: 'on',
        renewed_at: null,
        created_at: 0,
      },
    );
    const workspaces = await db.selectFrom('workspaces').selectAll().orderBy('id').execute();
    assert.deepEqual(workspaces, [
      { id: 'w1', name: 'default', created_at: 5, account_id: id, deleted_at: null },
      { id: 'w2', name: 'second', created_at: 6, account_id: id, deleted_at: null },
    ]);
    const principal = await createAuthenticate(local)(secret);
    assert.deepEqual(principal, {
      keyId: 'k',
      workspaceId: 'w2',
      permission: 'write',
      accountExpiresAt: null,
    });
    const me = await createMe(local)(principal ?? assert.fail());
    assert.deepEqual(me.usage, { jobs: 1, monitors: 0, results: 42 });
    const intact = await sql`pragma foreign_key_check`.execute(db);
    assert.deepEqual(intact.rows, []);
  }
});
