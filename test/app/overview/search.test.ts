/** What a search finds and holds up does not depend on how long and alike its text and the URLs are. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Principal } from '../../../src/app/app.ts';
import { listJobs as listNamedJobs } from '../../../src/app/jobs/jobs.ts';
import { listJobs, type JobListRequest } from '../../../src/app/overview/jobs.ts';
import { listMonitors } from '../../../src/app/overview/monitors.ts';
import { searchFor } from '../../../src/domain/search.ts';
import { leastCpuMs } from '../../support/cpu.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { copyJob } from '../../support/records/many-jobs.ts';
import { storedMonitors } from '../../support/records/monitor.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

const longUrl = 'https://example.com/'.padEnd(2_048, 'a');
/** It nearly occurs at each place of the URL. */
const hostile = `${'a'.repeat(1_000)}b`;

/** A store with `count` jobs that have URLs of full length. */
async function setup(t: TestContext, count: number) {
  const stored = await openTestStore(t);
  const { store, addJob, workspaceId } = stored;
  const ids = await copyJob(store, (await addJob()).id, count - 1);
  const setUrl = async (url: string, id: string | null = null): Promise<void> => {
    const all = store.db.updateTable('jobs').set({ url });
    await (id === null ? all : all.where('id', '=', id)).execute();
  };
  await setUrl(longUrl);
  const clock = fakeClock();
  const app = quietApp({ store, clock });
  const principal = { workspaceId, accountExpiresAt: null } as Principal;
  const find = async (text: string, request: Partial<JobListRequest> = {}): Promise<string[]> => {
    const page = { filter: null, order: 'newest', limit: 100, cursor: null, ...request } as const;
    const { items, nextCursor } = await listJobs(app, principal, {
      ...page,
      search: searchFor(text),
    });
    assert.equal(nextCursor, null);
    return items.map(({ id }) => id);
  };
  return { ...stored, ids, setUrl, find, app, principal, clock };
}

/** How often the event loop turns until the end of some work. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const pending = { isOver: false };
  const working = work().finally(() => (pending.isOver = true));
  while (!pending.isOver) {
    await setImmediate();
    turns += 1;
  }
  await working;
  return turns;
}

test('a text that nearly occurs everywhere is searched for as any other text', async (t) => {
  const { find } = await setup(t, 500);
  await find(hostile);
  const [costMs = NaN, otherMs = NaN] = await leastCpuMs([
    () => find(hostile),
    () => find('b'.repeat(hostile.length)),
  ]);
  // About twice as much. If each place of a URL were compared to its end, it would be a hundred times.
  assert.ok(costMs < 20 * otherMs, `${costMs} and ${otherMs} ms`);
});

test('a search finds its jobs among URLs of full length, in every order', async (t) => {
  const { ids, setUrl, find } = await setup(t, 600);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const wanted = `${longUrl.slice(0, -1)}B`;
  await setUrl(wanted, first);
  await setUrl(wanted, last);
  const text = `${'A'.repeat(199)}b`;
  assert.deepEqual(await find(text), [last, first]);
  assert.deepEqual(await find(hostile, { order: 'due' }), [first, last]);
  assert.deepEqual(await find(text, { order: 'name' }), [first, last], 'copy 1, copy 599');
  assert.deepEqual(await find(text, { filter: 'new' }), [last, first]);
  assert.deepEqual(await find(text, { filter: 'up' }), []);
  assert.deepEqual(await find(`b${text}`), []);
});

test('others have their turn between the steps of a search', async (t) => {
  const setUp = await setup(t, 3_000);
  const { find, app, principal, clock, store } = setUp;
  const page = { limit: 100, cursor: null };
  const labelled = searchFor('', 'client=nobody');
  for (const order of ['newest', 'name', 'due'] as const) {
    const turns = await turnsOf(() => find('nothing has it', { order }));
    assert.ok(turns >= 11, `${order}: ${turns} turns`);
    const request = { ...page, filter: null, order, search: labelled };
    const turnsForLabels = await turnsOf(() => listJobs(app, principal, request));
    assert.ok(turnsForLabels >= 29, `${order} by labels: ${turnsForLabels} turns`);
  }
  const ofJobs = { ...page, name: null, idPrefix: null, selector: labelled?.selector ?? null };
  const turnsOfJobs = await turnsOf(() => listNamedJobs(app, principal, ofJobs));
  assert.ok(turnsOfJobs >= 29, `jobs by labels: ${turnsOfJobs} turns`);
  const { id } = await storedMonitors(setUp, clock).add();
  const monitors = store.db.selectFrom('monitors').selectAll().where('id', '=', id);
  const row = await monitors.executeTakeFirstOrThrow();
  for (let from = 0; from < 3_500; from += 500) {
    const copies = Array.from({ length: 500 }, (_, index) => `copy ${from + index}`);
    const rows = copies.map((copy) => ({ ...row, id: copy, ping_id: copy }));
    await store.db.insertInto('monitors').values(rows).execute();
  }
  for (const search of [searchFor('nothing has it'), labelled]) {
    const request = { ...page, status: null, search, now: 0 };
    const turns = await turnsOf(() => listMonitors(app, principal, request));
    assert.ok(turns >= 35, `monitors: ${turns} turns`);
  }
});
