/** However much there is, a request reads a bounded number of rows in a few statements, and its cursor continues. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Kysely, sql } from 'kysely';
import type { Principal } from '../../../src/app/app.ts';
import { withWindows } from '../../../src/app/accounts/windows.ts';
import { getJob, listJobs as listAllJobs } from '../../../src/app/jobs/jobs.ts';
import { createOverview } from '../../../src/app/overview/counts.ts';
import { listJobs, type JobListRequest } from '../../../src/app/overview/jobs.ts';
import { createLabelOverview } from '../../../src/app/overview/labels.ts';
import { listMonitors } from '../../../src/app/overview/monitors.ts';
import { listTrouble } from '../../../src/app/overview/trouble.ts';
import { listAllRuns } from '../../../src/app/runs/all-runs.ts';
import { monitorSummary } from '../../../src/api/overview/shape.ts';
import { badRunStatuses } from '../../../src/domain/runs/run.ts';
import { jobFilters, jobOrders } from '../../../src/domain/jobs/listed-job.ts';
import { readSelector } from '../../../src/domain/labels.ts';
import { searchFor } from '../../../src/domain/search.ts';
import { keepWindows } from '../../../src/store/accounts/windows.ts';
import { dialectOn } from '../../../src/store/sqlite/connection.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import { openDatabase } from '../../../src/store/sqlite/file.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { copyJob } from '../../support/records/many-jobs.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { missedRun } from '../../support/records/run.ts';
import { windowOf } from '../../support/records/window.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

const dayMs = 86_400_000;
const trouble = { statuses: badRunStatuses, since: null, until: null };

/** A store with an app that counts its statements. */
async function setup(t: TestContext) {
  const stored = await openTestStore(t);
  const clock = fakeClock();
  let statements = 0;
  const db = new Kysely<Schema>({
    dialect: dialectOn(openDatabase(join(stored.dataDir, 'jobd.db'))),
    log: () => void (statements += 1),
  });
  t.after(() => db.destroy());
  const app = quietApp({ store: { ...stored.store, db }, clock });
  const principal = { workspaceId: stored.workspaceId, accountExpiresAt: null } as Principal;
  const list = (request: Partial<JobListRequest>) => {
    const defaults = {
      filter: null,
      search: null,
      order: 'newest',
      limit: 100,
      cursor: null,
    } as const;
    return listJobs(app, principal, { ...defaults, ...request });
  };
  const counted = async (ask: () => Promise<unknown>): Promise<number> => {
    statements = 0;
    await ask();
    return statements;
  };
  /** Pages until the end: the items found, how many pages were partial, and the most statements of one. */
  const walk = async (request: Partial<JobListRequest>) => {
    const ids: string[] = [];
    let [partial, most] = [0, 0];
    let cursor: string | null = null;
    do {
      statements = 0;
      const page: Awaited<ReturnType<typeof list>> = await list({ ...request, cursor });
      most = Math.max(most, statements);
      assert.ok(!page.isPartial || (page.nextCursor !== null && page.items.length < 100));
      ids.push(...page.items.map(({ id }) => id));
      partial += Number(page.isPartial);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { ids, partial, most };
  };
  return { ...stored, app, principal, clock, list, walk, counted };
}

const set = (columns: string, where: string) =>
  sql`update jobs set ${sql.raw(columns)} where ${sql.raw(where)}`;

test('a search continues behind its bound, and finds each job once', async (t) => {
  const { store, addJob, walk } = await setup(t);
  const job = await addJob({ name: 'first' });
  const copies = await copyJob(store, job.id, 12_000);
  const [wanted = ''] = copies;
  await set("name = 'Needle'", `id = '${wanted}'`).execute(store.db);
  await set("health = 'up'", `id in ('${wanted}', '${copies.at(-1)}')`).execute(store.db);
  await set('next_run_at = null, paused = 1', `id = '${copies.at(-2)}'`).execute(store.db);

  const newest = await walk({ search: searchFor('needle') });
  assert.deepEqual([newest.ids, newest.partial], [[wanted], 3]);
  const up = await walk({ filter: 'up' });
  assert.deepEqual([up.ids, up.partial], [[copies.at(-1), wanted], 2]);
  const byName = await walk({ search: searchFor('needle'), order: 'name' });
  assert.deepEqual([byName.ids, byName.partial], [[wanted], 12]);
  const due = await walk({ search: searchFor('needle'), order: 'due' });
  assert.deepEqual([due.ids, due.partial], [[wanted], 6], 'of jobs due at one moment');
  const indexed = await walk({ filter: 'paused', search: searchFor('needle') });
  assert.deepEqual([indexed.ids, indexed.partial], [[], 0], 'only paused jobs are searched');
});

test('the jobs of a workspace that has few are found at once, whatever others have', async (t) => {
  const { store, addJob, walk, workspaceId } = await setup(t);
  const job = await addJob({ name: 'first' });
  await copyJob(store, job.id, 3_999);
  const other = '01a00000-0000-7000-8000-000000000000';
  await sql`insert into workspaces (id, name, account_id, created_at)
    select ${other}, 'other', account_id, 0 from workspaces`.execute(store.db);
  const first = await walk({ order: 'due', search: searchFor('first') });
  assert.deepEqual([first.ids, first.partial], [[job.id], 0]);
  const byName = await walk({ order: 'name', search: searchFor('first') });
  assert.deepEqual([byName.ids, byName.partial], [[job.id], 0]);
  await sql`update jobs set workspace_id = ${other}, next_run_at = 1 where id <> ${job.id}`.execute(
    store.db,
  );
  const alone = await walk({ order: 'due' });
  assert.deepEqual([alone.ids, alone.partial, workspaceId === other], [[job.id], 0, false]);
});

test('jobs that were missed are all found, however many runs were no success', async (t) => {
  const { store, addJob, walk, app, principal, clock } = await setup(t);
  const job = await addJob();
  const ids = await copyJob(store, job.id, 6_000);
  await store.write((tx) =>
    insertScheduledRuns(
      tx,
      ids.map((id) => missedRun(id, clock.now() - 1_000)),
    ),
  );
  const found = await walk({ filter: 'missed' });
  assert.deepEqual(found.ids.toSorted(), ids.toSorted());
  const none = await walk({ filter: 'missed', search: searchFor('nothing has it') });
  assert.ok(none.partial >= 6_000 / 500 - 1, `${none.partial} partial pages`);
  assert.deepEqual(none.ids, []);
  const { lastDay } = await createOverview(app)(principal);
  assert.deepEqual(lastDay, { failed: 0, interrupted: 0, missed: 6_000, isPartial: false });
  clock.advance(dayMs);
  assert.deepEqual((await walk({ filter: 'missed' })).ids, []);
});

test('more than 10,000 runs that were no success in a day are said to be only counted in part', async (t) => {
  const { store, addJob, app, principal, clock } = await setup(t);
  const job = await addJob();
  const runs = Array.from({ length: 10_050 }, (_, index) => missedRun(job.id, clock.now() - index));
  await store.write((tx) => insertScheduledRuns(tx, runs));
  const { lastDay } = await createOverview(app)(principal);
  assert.deepEqual(lastDay, { failed: 0, interrupted: 0, missed: 10_000, isPartial: true });
});

test('the trouble of a deleted job is passed over in bounded steps until it is removed', async (t) => {
  const { store, addJob, app, principal, clock } = await setup(t);
  const [kept, deleted] = [await addJob(), await addJob()];
  const oldest = missedRun(kept.id, clock.now() - dayMs);
  const runs = Array.from({ length: 12_500 }, (_, index) =>
    missedRun(deleted.id, clock.now() - index),
  );
  await store.write((tx) => insertScheduledRuns(tx, [oldest, ...runs]));
  await markJobDeleted(store.db, deleted.id, clock.now());
  const partial: boolean[] = [];
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAllRuns>> = await listAllRuns(app, principal, {
      ...trouble,
      limit: 50,
      cursor,
    });
    partial.push(page.isPartial);
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual([partial, found], [[true, false], [oldest.id]]);
});

test('trouble reads a bounded number of runs, and continues behind them', async (t) => {
  const { store, addJob, app, principal, clock, counted } = await setup(t);
  const job = await addJob();
  const runs = Array.from({ length: 12_500 }, (_, index) => missedRun(job.id, clock.now() - index));
  await store.write((tx) => insertScheduledRuns(tx, runs));
  const asked = { kind: null, since: null, until: null, limit: 50 };
  const pages = (cursor: string | null) => listTrouble(app, principal, { ...asked, cursor });
  assert.ok((await counted(() => pages(null))) <= 70);
  const first = await pages(null);
  assert.deepEqual([first.items.map(({ missed }) => missed), first.isPartial], [[10_000], true]);
  const last = await pages(first.nextCursor);
  assert.deepEqual(
    [last.items.map(({ missed }) => missed), last.nextCursor, last.isPartial],
    [[2_500], null, false],
  );
});

test('trouble reads no more runs if only some jobs fit, or some are deleted', async (t) => {
  const { store, addJob, app, principal, clock, counted } = await setup(t);
  const [job, other] = [await addJob(), await addJob()];
  await set(`labels = '{"client":"acme"}'`, `id = '${job.id}'`).execute(store.db);
  const runs = Array.from({ length: 12_500 }, (_, index) =>
    missedRun(index % 5 === 0 ? job.id : other.id, clock.now() - index),
  );
  await store.write((tx) => insertScheduledRuns(tx, runs));
  const asked = { kind: null, since: null, until: null, limit: 50, cursor: null };
  const missedOf = async (selector: string | null) => {
    const wanted = { ...asked, selector: selector === null ? null : readSelector(selector) };
    const { items, isPartial } = await listTrouble(app, principal, wanted);
    return [items.map(({ missed }) => missed), isPartial];
  };
  assert.deepEqual(await missedOf('client=acme'), [[2_000], true]);
  assert.deepEqual(await missedOf('client=nobody'), [[], true]);
  const nobody = { ...trouble, limit: 50, cursor: null, selector: readSelector('client=nobody') };
  const statements = await counted(() => listAllRuns(app, principal, nobody));
  assert.equal(statements, 200, '10,000 runs, 100 a step');
  await markJobDeleted(store.db, other.id, clock.now());
  assert.deepEqual(await missedOf(null), [[2_000], true]);
});

test('a bounded number of labels is counted, in bounded steps', async (t) => {
  const { store, addJob, app, principal, counted } = await setup(t);
  const oldest = await addJob();
  await copyJob(store, oldest.id, 5_999);
  await set(`labels = '{"all":"x","own":"' || id || '"}'`, 'true').execute(store.db);
  await set(`labels = '{"all":"x","a":"late"}'`, `id = '${oldest.id}'`).execute(store.db);
  const getLabels = createLabelOverview(app);
  assert.equal(await counted(() => getLabels(principal)), 6_000 / 100 + 1 + 1);
  const { labels, isPartial } = await getLabels(principal);
  assert.deepEqual([labels.length, isPartial], [1_000, true]);
  const [first] = labels;
  assert.deepEqual([first?.key, first?.jobs], ['all', 6_000], 'known ones are counted further');
});

test('runs that do not fit are passed over in bounded steps', async (t) => {
  const { store, addJob, app, principal, clock, counted } = await setup(t);
  const job = await addJob();
  const runs = Array.from({ length: 12_500 }, (_, index) => missedRun(job.id, clock.now() - index));
  await store.write((tx) => insertScheduledRuns(tx, runs));
  const asked = { ...trouble, statuses: ['success'], limit: 50 } as const;
  const pages = (cursor: string | null) => listAllRuns(app, principal, { ...asked, cursor });
  assert.ok((await counted(() => pages(null))) <= 20);
  const first = await pages(null);
  assert.deepEqual([first.items, first.isPartial], [[], true]);
  const last = await pages(first.nextCursor);
  assert.deepEqual(last, { items: [], nextCursor: null, isPartial: false });
});

test('a list says nothing of other workspaces, however much they have', async (t) => {
  const { store, addJob, app, principal, clock, list, workspaceId } = await setup(t);
  const theirs = await addJob({ name: 'theirs' });
  await copyJob(store, theirs.id, 9_000);
  const other = '01a00000-0000-7000-8000-000000000000';
  await sql`insert into workspaces (id, name, account_id, created_at)
    select ${other}, 'other', account_id, 0 from workspaces`.execute(store.db);
  await set(`workspace_id = '${other}', next_run_at = 1`, 'true').execute(store.db);
  const runs = Array.from({ length: 12_500 }, (_, at) => missedRun(theirs.id, clock.now() - at));
  await store.write((tx) => insertScheduledRuns(tx, runs));
  await sql`update runs set status = 'success', reason = null, started_at = 1, finished_at = 2,
    http_status = 200 where scheduled_for % 2 = 0`.execute(store.db);
  const nothing = { items: [], nextCursor: null, isPartial: false };
  for (const statuses of [null, ['success'], badRunStatuses] as const) {
    for (const until of [null, clock.now() - 5_000]) {
      const asked = { statuses, since: null, until, limit: 50, cursor: null };
      assert.deepEqual(await listAllRuns(app, principal, asked), nothing);
    }
  }

  const ownIds = async () => {
    const rows = store.db.selectFrom('jobs').select('id').where('workspace_id', '=', workspaceId);
    return (await rows.execute()).map(({ id }) => id);
  };
  const own = await addJob({ name: 'own' });
  await sql`update jobs set next_run_at = 2 where id = ${own.id}`.execute(store.db);
  await sql`update jobs set workspace_id = ${workspaceId}, next_run_at = 3
    where name like 'copy %' and id <= '02000000-0000-7000-8000-0000000015e0'`.execute(store.db);
  const ids = new Set(await ownIds());
  assert.ok(ids.size > 5_000, 'more than are sorted, behind those of the other workspace');
  let cursor: string | null = null;
  const found: string[] = [];
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ order: 'due', cursor });
    cursor = page.nextCursor;
    if (cursor !== null)
      assert.deepEqual(
        idsIn(cursor).filter((id) => !ids.has(id)),
        [],
      );
    found.push(...page.items.map(({ id }) => id));
  } while (cursor !== null);
  assert.deepEqual([found.length, new Set(found)], [ids.size, ids]);
});

/** The ids that a cursor contains. */
function idsIn(cursor: string): string[] {
  return (
    Buffer.from(cursor, 'base64url')
      .toString()
      .match(/[0-9a-f]{8}-[-0-9a-f]{27}/g) ?? []
  );
}

test('a list takes five statements at most, and a search two more for each step', async (t) => {
  const setUp = await setup(t);
  const { store, addJob, app, principal, clock, list, counted } = setUp;
  const monitors = storedMonitors(setUp, clock);
  for (let count = 0; count < 3; count += 1) await monitors.ping(await monitors.add());
  const job = await addJob();
  await copyJob(store, job.id, 5_100);
  await insertScheduledRuns(store.db, [missedRun(job.id, clock.now())]);
  for (const filter of [null, ...jobFilters]) {
    for (const order of jobOrders) {
      if (order !== 'newest' && (filter === 'running' || filter === 'missed' || filter === 'held'))
        continue;
      for (const text of [null, 'copy', 'nothing has it']) {
        const count = await counted(() => list({ filter, order, search: searchFor(text ?? '') }));
        // By due time a place is looked for that is an own job's.
        const each = order === 'due' ? 3 : 2;
        const most = each + 3 + (text === null ? 0 : each * (4_000 / 250));
        assert.ok(count > 0 && count <= most, `${filter} ${order} ${text}: ${count} statements`);
      }
    }
  }
  const page = { limit: 100, cursor: null };
  const ofMonitors = { ...page, status: 'up', search: searchFor('a'), now: clock.now() } as const;
  assert.equal(await counted(() => listMonitors(app, principal, ofMonitors)), 3);
  assert.equal(await counted(() => listAllRuns(app, principal, { ...trouble, ...page })), 2);
});

test('windows cost whoever looks at jobs one statement, and none where there are no windows', async (t) => {
  const setUp = await setup(t);
  const { addJob, app, principal, counted, clock } = setUp;
  await storedMonitors(setUp, clock).add();
  const { id } = await addJob({ labels: { client: 'acme' } });
  const page = { limit: 100, cursor: null, name: null, idPrefix: null };
  const monitors = { limit: 100, cursor: null, search: null, status: null, now: clock.now() };
  const look = async (hasWindows: boolean) => {
    const asker = { ...principal, hasWindows };
    const shown = async () => {
      const { items } = await listMonitors(app, asker, monitors);
      const summaries = items.map((one) => monitorSummary(one, clock.now()));
      await withWindows(app, asker, summaries);
    };
    return [
      await counted(() => getJob(app, asker, id)),
      await counted(() => listAllJobs(app, asker, page)),
      await counted(shown),
    ];
  };
  const without = await look(false);
  assert.equal(without[0], 1);
  const window = windowOf('hold', clock.now(), clock.now() + 1_000, { selector: 'client=acme' });
  const { workspaceId } = principal;
  await app.store.write((tx) => keepWindows(tx, workspaceId, [window], clock.now()));
  const one = without.map((statements) => statements + 1);
  assert.deepEqual(await look(true), one);
});

test('very many jobs are counted in steps, exactly, once a minute; few of them each second', async (t) => {
  const { store, addJob, app, principal, clock, counted } = await setup(t);
  const job = await addJob();
  const ids = await copyJob(store, job.id, 20_500);
  const getOverview = createOverview(app);
  const { jobs } = await getOverview(principal);
  assert.deepEqual([jobs.total, jobs.new, jobs.up], [20_501, 20_501, 0]);
  assert.equal(await counted(() => getOverview(principal)), 0, 'nothing is counted twice a second');
  await set("health = 'down'", `id = '${ids[0]}'`).execute(store.db);
  clock.pass(1_001);
  const [second, third] = await Promise.all([getOverview(principal), getOverview(principal)]);
  assert.equal(second, third, 'two viewers share a count');
  assert.deepEqual([second.jobs.down, second.jobs.new], [1, 20_501]);
  clock.pass(60_001);
  const { jobs: later } = await getOverview(principal);
  assert.deepEqual([later.down, later.new, later.total], [1, 20_500, 20_501]);
});

test('a count that failed is tried again by whoever asks next', async (t) => {
  const { store, clock, principal } = await setup(t);
  let isBroken = true;
  const broken = new Proxy(store, {
    get: (whole, name) => {
      if (name === 'db' && isBroken) throw new Error('the store is broken');
      return Reflect.get(whole, name) as unknown;
    },
  });
  const getOverview = createOverview({ store: broken, clock });
  await assert.rejects(getOverview(principal), /broken/);
  isBroken = false;
  assert.equal((await getOverview(principal)).jobs.total, 0);
});
