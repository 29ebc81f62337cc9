/** The history and the days of a job over the API (extensions). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const nowhere = { name: 'a', url: 'http://127.0.0.1:1/', paused: true };

test('a history has the runs of the list without what the target answered', async (t) => {
  const { ask } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const { job } = (await ask('POST', '/jobs', { ...nowhere, url: sink.url })).body;
  await ask('POST', `/jobs/${job.id}/run`);
  await until('the run', async () => {
    const { runs } = (await ask('GET', `/jobs/${job.id}/history?status=success`)).body;
    return runs.length === 1;
  });
  const [whole] = (await ask('GET', `/jobs/${job.id}/runs`)).body.runs;
  const { jobId: _, responseBody: _body, truncated: _truncated, ...summary } = whole;
  const history = (await ask('GET', `/jobs/${job.id}/history`)).body;
  assert.deepEqual(history, { runs: [summary], nextCursor: null, isPartial: false });

  const { body } = await ask('GET', `/jobs/${job.id}/days?days=1`);
  const { durationMs, scheduledFor } = summary;
  const counts = { success: 1, failed: 0, interrupted: 0, missed: 0 };
  assert.deepEqual(body, {
    days: [{ date: scheduledFor.slice(0, 10), ...counts, medianMs: durationMs, maxMs: durationMs }],
    since: scheduledFor,
    isPartial: false,
  });
});

const refused: [query: string, words: RegExp][] = [
  [
    'history?status=down',
    /^status must be one or more of queued, running, success, failed, interrupted, missed, with commas between them, got "down"$/,
  ],
  ['history?status=', /^status must be one or more of .*, got ""$/],
  ['history?status=failed,', /^status must be one or more of/],
  ['history?status=failed&status=missed', /^status must be a string/],
  ['history?before=yesterday', /^before must be a date and time in ISO 8601/],
  ['history?limit=101', /^limit must be between 1 and 100, got 101$/],
  ['history?cursor=x', /^cursor must be a nextCursor of this list, got "x"$/],
  ['history?totals=1', /^totals is not a known query parameter, known are status, before, limit/],
  ['days?days=0', /^days must be between 1 and 366, got 0$/],
  ['days?days=367', /^days must be between 1 and 366, got 367$/],
  ['days?limit=3', /^limit is not a known query parameter, known are days$/],
];

test('a query that means nothing is refused', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const { job } = (await ask('POST', '/jobs', nowhere)).body;
  for (const [query, words] of refused) {
    assertRefused(await ask('GET', `/jobs/${job.id}/${query}`), 400, words, query);
  }
  const many = `/jobs/${job.id}/history?status=missed,failed,missed&before=2026-03-28T12:00%2B01:00`;
  assert.equal((await ask('GET', many)).status, 200);
});
