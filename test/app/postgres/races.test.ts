/** Changes that people make at the same time through several nodes, and what an engine does meanwhile. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { setPlan, showAccount, subscribe } from '../../../src/app/accounts/accounts.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace, deleteWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { actOnJobs } from '../../../src/app/jobs/actions.ts';
import { createMonitor } from '../../../src/app/monitors/monitors.ts';
import type { Action } from '../../../src/domain/fields.ts';
import { claimDueJobs } from '../../../src/engine/runs/due.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { findJobsOfWorkspace, setDueTimes } from '../../../src/store/jobs/planned.ts';
import { listSpans } from '../../../src/store/jobs/listed-spans.ts';
import { findSealed, replaceSealed } from '../../../src/store/secrets/sealed.ts';
import { each } from '../../support/each.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { racesIn } from '../../support/postgres/races.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { dueAt, dueOnce } from '../../support/running/engine.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();
const hour = 3_600_000;

async function setup(t: TestContext) {
  const database = await newDatabase();
  const testStore = await openTestStore(t, database);
  const { store, workspaceId } = testStore;
  const clock = fakeClock(dueAt);
  const app = quietApp({ store, clock });
  const principal = writerIn(workspaceId);
  return { ...testStore, db: store.db, clock, app, principal, ...racesIn(store, database) };
}

/** Claims what is due. */
async function claim(tx: Db): Promise<void> {
  const bounds = { limit: 10, exceptHosts: [], exceptJobs: [] };
  const slots = { bounds: () => bounds, take: () => true };
  await claimDueJobs(tx, slots, { now: dueAt, servingSince: 0, nodeId: null });
}

describe('changes of an account', { skip }, () => {
  test('are all kept', async (t) => {
    const { app, workspaceId, race } = await setup(t);
    const until = dueAt + hour;
    await race(
      // Its entry in the audit trail waits.
      (tx) => sql`select from workspaces where id = ${workspaceId} for update`.execute(tx),
      () => subscribe(app, 'default', until),
      () => setPlan(app, 'default', 'pro'),
    );
    const { account } = await showAccount(app, 'default');
    assert.deepEqual([account.plan, account.expiresAt], ['pro', until]);
  });
});

describe('a deleted workspace', { skip }, () => {
  test('gets no monitor any more', async (t) => {
    const { app, db, race } = await setup(t);
    const { id } = await createWorkspace(app, { name: 'doomed', account: 'default' });
    await createKey(app, { workspace: 'doomed', permission: 'write', name: '' });
    const input = { name: 'late', scheduleType: 'period', periodSeconds: 60 } as const;
    await race(
      // Its deletion waits half done.
      (tx) => sql`select from keys where workspace_id = ${id} for update`.execute(tx),
      () => deleteWorkspace(app, 'doomed'),
      () => assert.rejects(createMonitor(app, writerIn(id), input), { code: 'unauthenticated' }),
    );
    const left = db.selectFrom('monitors').select('id').where('deleted_at', 'is', null);
    assert.deepEqual(await left.execute(), []);
  });
});

async function act(t: TestContext, action: Action | 'delete') {
  const { app, principal, db, addJob, race } = await setup(t);
  const { id } = await addJob(dueOnce);
  let acted: Awaited<ReturnType<typeof actOnJobs>> = [];
  await race(claim, async () => {
    acted = await actOnJobs(app, principal, { action, ids: [id] });
  });
  return {
    refusal: acted[0]?.refusal ?? null,
    spans:
      (await listSpans(db, [id], { after: 0, until: Number.MAX_SAFE_INTEGER, limit: 100 })).get(
        id,
      ) ?? [],
  };
}

describe('an action on many jobs', { skip }, () => {
  test('pauses a job after the due time that is claimed meanwhile', async (t) => {
    const { refusal, spans } = await act(t, 'pause');
    assert.equal(refusal, null);
    assert.deepEqual(each(spans, 'nextDueAt'), [dueAt + hour]);
  });

  test('deletes no job that is claimed meanwhile', async (t) => {
    const { refusal } = await act(t, 'delete');
    assert.equal(refusal?.code, 'conflict');
  });
});

describe('schedules of a renewed account', { skip }, () => {
  test('continue, but not that of a job that is paused meanwhile', async (t) => {
    const { store, db, app, principal, workspaceId, addJob, begin } = await setup(t);
    const { id } = await addJob(dueOnce);
    await subscribe(app, 'default', dueAt - 1);
    await store.write(claim);
    await subscribe(app, 'default', null);
    const { ended } = await store.write(async (tx) => {
      const jobs = await findJobsOfWorkspace(tx, workspaceId, { afterId: '', limit: 5 });
      const pausing = await begin(() => actOnJobs(app, principal, { action: 'pause', ids: [id] }));
      const planned = jobs.map((job) => ({ ...job, nextRunAt: dueAt + hour }));
      await setDueTimes(tx, planned, dueAt);
      return pausing;
    });
    await ended;
    const job = await db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([job.paused, job.next_run_at], [1, null]);
  });
});

describe('a rotation of the master key', { skip }, () => {
  test('leaves a value that is set meanwhile', async (t) => {
    const { store, db, addJob } = await setup(t);
    const { id } = await addJob({ method: 'POST', body: 'old' });
    await store.write(async (tx) => {
      const [before] = await findSealed(tx, 'jobs', { afterId: '', limit: 1 });
      assert.ok(before);
      await db.updateTable('jobs').set({ sealed: 'set meanwhile' }).where('id', '=', id).execute();
      assert.equal(await replaceSealed(tx, 'jobs', before, 'sealed again'), false);
    });
    const { sealed } = await db.selectFrom('jobs').select('sealed').executeTakeFirstOrThrow();
    assert.equal(sealed, 'set meanwhile');
  });
});
