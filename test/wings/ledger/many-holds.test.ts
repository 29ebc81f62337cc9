/** Held due times are counted whole, however many holds there were (docs/behavior.md#month-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';

const tenMinutes = 600_000;
const begin = Date.parse('2025-01-10T00:05:00Z');
const holds = 120;

test('a list of holds is cut, and what they held is counted, in the ledger and in a report', async (t) => {
  const { ask, dataDir, url, key } = await startTestDaemon(t);
  const cronExpr = '*/10 * * * *';
  const input = { name: 'backup', url: 'http://127.0.0.1:1/', cronExpr, paused: true };
  const { id } = (await ask('POST', '/jobs', input)).body.job;
  await using local = await openTestLocal(dataDir);
  const spans = Array.from({ length: holds }, (_, index) => {
    const until = begin + (index + 1) * tenMinutes;
    return {
      job_id: id,
      from_at: until - tenMinutes,
      until_at: until,
      held_until: until,
      end_reason: index === holds - 1 ? ('paused' as const) : ('held' as const),
      schedule_type: 'cron' as const,
      cron_expr: cronExpr,
      timezone: 'UTC',
      anchor_at: 0,
    };
  });
  await local.store.db.insertInto('schedule_spans').values(spans).execute();
  const period = 'since=2025-01-10T00:00:00Z&until=2025-01-11T00:00:00Z';
  const [job] = (await ask('GET', `/ledger?${period}`)).body.jobs;
  assert.deepEqual([job.explained.length, job.explainedBy.held], [100, holds]);
  assert.deepEqual([job.explainedBy.paused, job.unaccounted], [24, []]);
  const env = { JOBD_URL: url, JOBD_API_KEY: key };
  const args = ['--since', '2025-01-10T00:00:00Z', '--until', '2025-01-11T00:00:00Z'];
  const checked = await runCommand(['ledger', 'check', ...args], env);
  assert.equal(checked.exitCode, 0, checked.stderr);
  assert.match(checked.stdout, /^not called\t24 while their jobs were paused, 120 in holds$/m);
  const [reported] = (await ask('GET', '/report/jobs?month=2025-01')).body.jobs;
  assert.deepEqual([reported.held, reported.due, reported.missed], [holds, 0, 0]);
});
