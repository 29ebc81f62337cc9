/** Lists come in pages (docs/behavior.md#api-5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run } from '../../../src/api/runs/contract.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { each } from '../../support/each.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

async function addJobs({ ask }: TestDaemon, count: number): Promise<Job[]> {
  const made: Job[] = [];
  for (let number = 1; number <= count; number += 1) {
    const input = { name: `job ${number}`, url: 'http://127.0.0.1:1/' };
    made.push((await ask('POST', '/jobs', input)).body.job);
  }
  return made;
}

/** Reads page after page; `count` bounds the number of pages. */
async function walk<T>(
  { ask }: TestDaemon,
  path: string,
  itemsOf: (body: { jobs: T[]; runs: T[] }) => T[],
  count: number,
): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await ask('GET', cursor === null ? path : `${path}&cursor=${cursor}`);
    assert.equal(status, 200, body.error);
    pages.push(itemsOf(body));
    cursor = body.nextCursor;
  } while (cursor !== null && pages.length <= count);
  return pages;
}

test('a page holds 50 jobs unless a limit from 1 to 100 is given', async (t) => {
  const daemon = await startTestDaemon(t);
  const made = await addJobs(daemon, 51);
  const newestFirst = made.toReversed();
  for (const [query, size] of [
    ['', 50],
    ['?limit=1', 1],
    ['?limit=50', 50],
    ['?limit=51', 51],
    ['?limit=100', 51],
  ] as const) {
    const { body } = await daemon.ask('GET', `/jobs${query}`);
    assert.deepEqual(Object.keys(body), ['jobs', 'nextCursor']);
    assert.deepEqual(body.jobs, newestFirst.slice(0, size), query);
    assert.equal(body.nextCursor === null, size === 51, query);
  }
});

test('paging returns each job once, newest first, even while jobs are added', async (t) => {
  const daemon = await startTestDaemon(t);
  const made = await addJobs(daemon, 7);
  const newestFirst = made.toReversed();
  const pages = await walk<Job>(daemon, '/jobs?limit=3', ({ jobs }) => jobs, made.length);
  assert.deepEqual(
    pages.map((page) => page.length),
    [3, 3, 1],
  );
  assert.deepEqual(pages.flat(), newestFirst);

  const exact = await walk<Job>(daemon, '/jobs?limit=7', ({ jobs }) => jobs, made.length);
  assert.deepEqual(exact, [newestFirst], 'no empty page follows a full last one');

  const first = (await daemon.ask('GET', '/jobs?limit=3')).body;
  await addJobs(daemon, 2);
  const second = (await daemon.ask('GET', `/jobs?limit=3&cursor=${first.nextCursor}`)).body;
  assert.deepEqual(second.jobs, newestFirst.slice(3, 6));
});

test('a job without runs has an empty page and a total for every state', async (t) => {
  const daemon = await startTestDaemon(t);
  const [job] = await addJobs(daemon, 1);
  assert.deepEqual((await daemon.ask('GET', `/jobs/${job!.id}/runs`)).body, {
    runs: [],
    nextCursor: null,
    totals: { queued: 0, running: 0, success: 0, failed: 0, interrupted: 0, missed: 0 },
  });
});

test('paging returns each run once, newest first, with totals over all', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const input = { name: 'a', url: sink.url, paused: true };
  const { job } = (await daemon.ask('POST', '/jobs', input)).body;
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) {
    const { run } = (await daemon.ask('POST', `/jobs/${job.id}/run`)).body;
    ids.unshift(run.id);
    await until('the end of the run', async () => {
      const { body } = await daemon.ask('GET', `/jobs/${job.id}/runs/${run.id}`);
      return body.run.status === 'success';
    });
    clock.advance(60_000);
  }
  const path = `/jobs/${job.id}/runs`;
  const pages = await walk<Run>(daemon, `${path}?limit=2`, ({ runs }) => runs, ids.length);
  assert.deepEqual(
    pages.map((page) => page.length),
    [2, 2, 1],
  );
  assert.deepEqual(each(pages.flat(), 'id'), ids);
  const { totals, nextCursor } = (await daemon.ask('GET', `${path}?limit=1`)).body;
  assert.deepEqual(totals, {
    queued: 0,
    running: 0,
    success: 5,
    failed: 0,
    interrupted: 0,
    missed: 0,
  });

  const [other] = await addJobs(daemon, 1);
  const elsewhere = await daemon.ask('GET', `/jobs/${other!.id}/runs?cursor=${nextCursor}`);
  assertRefused(elsewhere, 400, /^cursor must be a nextCursor of this list/, 'of another job');
  const crossed = await daemon.ask('GET', `/jobs?cursor=${nextCursor}`);
  assertRefused(crossed, 400, /^cursor must be a nextCursor of this list/, 'runs to jobs');
});

test('an invalid limit or cursor is refused, on every list', async (t) => {
  const daemon = await startTestDaemon(t);
  const [job] = await addJobs(daemon, 2);
  const { nextCursor } = (await daemon.ask('GET', '/jobs?limit=1')).body;
  const rows: [query: string, words: RegExp][] = [
    ['limit=0', /^limit must be between 1 and 100, got 0/],
    ['limit=101', /^limit must be between 1 and 100, got 101/],
    ['limit=-1', /^limit must be between 1 and 100, got -1/],
    ['limit=1.5', /^limit must be an integer, got "1\.5"/],
    ['limit=ten', /^limit must be an integer, got "ten"/],
    ['limit=', /^limit must be an integer, got ""/],
    ['limit=1&limit=2', /^limit must be an integer, got an array/],
    ['cursor=', /^cursor must be a nextCursor of this list, got ""/],
    ['cursor=abc', /^cursor must be a nextCursor of this list, got "abc"/],
    ['cursor=%00', /^cursor must be a nextCursor of this list/],
    [`cursor=${'a'.repeat(2_000)}`, /^cursor must be a nextCursor of this list/],
    ['cursor=a&cursor=b', /^cursor must be a string, got an array/],
    ['page=2', /^page is not a known query parameter, known are limit, cursor/],
  ];
  for (const path of ['/jobs', `/jobs/${job!.id}/runs`]) {
    for (const [query, words] of rows) {
      assertRefused(await daemon.ask('GET', `${path}?${query}`), 400, words, `${path} ${query}`);
    }
  }
  const altered = await daemon.ask('GET', `/jobs?cursor=${nextCursor}!`);
  assertRefused(altered, 400, /^cursor must be a nextCursor of this list/, 'an altered cursor');
  const crossed = await daemon.ask('GET', `/jobs/${job!.id}/runs?cursor=${nextCursor}`);
  assertRefused(crossed, 400, /^cursor must be a nextCursor of this list/, 'jobs to runs');
  const monitors = await daemon.ask('GET', `/monitors?cursor=${nextCursor}`);
  assertRefused(monitors, 400, /^cursor must be a nextCursor of this list/, 'jobs to monitors');
});

test('a cursor that somebody made up is refused, with a place that no list has', async (t) => {
  const daemon = await startTestDaemon(t);
  const [job] = await addJobs(daemon, 1);
  const id = job!.id;
  // JSON takes them for numbers, a database for no time.
  const numbers = ['1.5', '1e300', '-1e300', '9223372036854775807', '9007199254740992'];
  const places: [path: string, position: string][] = [
    ...numbers.flatMap((number): [string, string][] => [
      ['/overview/jobs?order=due', `overview-jobs-due ["${id}",${number}]`],
      [
        '/overview/jobs?status=missed',
        `overview-jobs-missed ["${id}",${number},"${id}","scheduled"]`,
      ],
      ['/runs?limit=1', `all-runs [${number},"${id}","scheduled"]`],
      [`/jobs/${id}/runs?limit=1`, `${id} ${number} scheduled`],
    ]),
    ['/overview/jobs?order=due', `overview-jobs-due ["${id}",1,2]`],
    ['/overview/jobs?order=due', `overview-jobs-due ["${id}","1"]`],
    ['/overview/jobs?order=name', `overview-jobs-name ["${id}",1]`],
  ];
  for (const [path, position] of places) {
    const cursor = Buffer.from(position).toString('base64url');
    const answer = await daemon.ask('GET', `${path}&cursor=${cursor}`);
    assertRefused(answer, 400, /^cursor must be a nextCursor of this list/, position);
  }
  const whole = Buffer.from(`overview-jobs-due ["${id}",-1]`).toString('base64url');
  const kept = await daemon.ask('GET', `/overview/jobs?order=due&cursor=${whole}`);
  assert.deepEqual([kept.status, kept.body.jobs.length], [200, 1], 'a place before all others');
});
