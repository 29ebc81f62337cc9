/** Deleting a workspace deletes its keys, its jobs and their history. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { createKey, listKeys } from '../../../src/app/accounts/keys.ts';
import {
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
} from '../../../src/app/accounts/workspaces.ts';
import { openTestLocal } from '../../support/running/local.ts';
import type { Local } from '../../../src/serve/local-store.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { until } from '../../support/until.ts';

const given = { permission: 'write', name: '' } as const;

/** The number of rows in each table that belong to the workspace. */
async function rowsOf({ store }: Local): Promise<Record<string, number>> {
  const tables = ['workspaces', 'keys', 'jobs', 'runs', 'receipts'] as const;
  const counts = tables.map(async (table) => {
    const counted = sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`;
    return [table, (await counted.execute(store.db)).rows[0]?.rows ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

test('deleting a workspace revokes its keys at once; its data is removed after its last call ends', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startHeldSink(t);
  await using local = await openTestLocal(daemon.dataDir, clock);
  const before = await rowsOf(local);
  const { id: workspaceId } = await createWorkspace(local, { name: 'doomed', account: 'default' });
  const keys = [
    await createKey(local, { workspace: 'doomed', ...given }),
    await createKey(local, { workspace: 'doomed', ...given }),
  ];
  const [{ secret } = { secret: '' }] = keys;
  const ask = (method: string, path: string, body?: object) =>
    daemon.ask(method, path, body, secret);
  const make = async (input: object): Promise<string> => {
    const made = await ask('POST', '/jobs', { name: 'a', url: sink.url, ...input });
    assert.equal(made.status, 201, made.body.error);
    return made.body.job.id;
  };
  const done = await make({ paused: true });
  await ask('POST', `/jobs/${done}/run`);
  await sink.waitFor(1);
  sink.release();
  await until('a receipt', async () => (await rowsOf(local))['receipts'] === 1);
  const executing = await make({ cronExpr: '* * * * *', reportWithinSeconds: 86_400 });
  await ask('POST', `/jobs/${executing}/run`);
  await sink.waitFor(1);
  await make({ cronExpr: '* * * * *' });
  // Requested while another run executes, so that it is still queued.
  await sql`insert into runs (id, job_id, workspace_id, source, status, scheduled_for)
    values ('waits', ${executing}, (select workspace_id from jobs where id = ${executing}), 'manual', 'queued', ${clock.now() + 1})`.execute(
    local.store.db,
  );

  await deleteWorkspace(local, 'doomed');
  for (const key of keys) {
    const answer = await daemon.ask('GET', '/jobs', undefined, key.secret);
    assertRefused(answer, 401, /a valid key is needed/, 'its keys');
  }
  const names = (await listWorkspaces(local)).map(({ name }) => name);
  assert.deepEqual(names, ['default']);
  assert.equal((await listKeys(local)).length, 1);
  const again = await createWorkspace(local, { name: 'doomed', account: 'default' });
  assert.notEqual(again.id, workspaceId, 'the name is free again');

  const left = await until('all but what executes to be gone', async () => {
    const rows = await rowsOf(local);
    return rows['jobs'] === 1 ? rows : null;
  });
  assert.deepEqual([left['runs'], left['workspaces']], [1, 3], 'the call in flight continues');
  // Neither due nor queued runs are called any more.
  clock.advance(60_000);
  // Nobody waits for the report that this answer announces.
  sink.release(1, 202);
  const rest = { ...before, workspaces: 2 };
  await until('the rest to be gone', async () => isDeepStrictEqual(await rowsOf(local), rest));
  assert.equal(sink.received.length, 2);
});

test('an unknown workspace and the default workspace cannot be deleted', async (t) => {
  const { dataDir, ask } = await startTestDaemon(t);
  await using local = await openTestLocal(dataDir);
  await assert.rejects(deleteWorkspace(local, 'nowhere'), {
    code: 'not_found',
    message: 'there is no workspace named nowhere',
  });
  await assert.rejects(deleteWorkspace(local, 'default'), {
    code: 'conflict',
    message: 'the default workspace cannot be deleted',
  });
  assert.equal((await ask('GET', '/jobs')).status, 200);
});
