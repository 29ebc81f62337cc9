/** Jobs from a command, or from a line of a crontab, by `--curl`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';

const line = `CRON_TZ=Asia/Tokyo
T=a
# words
0 9 L * 5l flock -n /tmp/x wget -t 9 -qO- "https://example.com/ok?$T"`;

test('the same forms are read as in the editor, and a line of a crontab has a schedule', async (t) => {
  const { env } = await serveCommand(t);
  const create = async (name: string, ...more: string[]) => {
    const args = ['jobs', 'create', '--name', name, '--json', '--curl', '-', ...more];
    const { exitCode, stdout, stderr } = await runCommand(args, env, line);
    assert.equal(exitCode, 0, stderr);
    return { stderr, job: (JSON.parse(stdout) as { job: Job }).job };
  };
  const { job, stderr } = await create('line');
  assert.match(stderr, /^ignored .*: -q -O$/m);
  assert.match(stderr, /^redirects: jobd does not follow redirects: give the final URL if /m);
  assert.match(stderr, /^-t 9: lowered to 2 retries, the most of a job$/m);
  assert.match(stderr, /^\$T: the job keeps its value$/m);
  assert.deepEqual(
    [job.url, job.cronExpr, job.timezone, job.retries, job.name],
    ['https://example.com/ok?a', '0 9 L * 5l', 'Asia/Tokyo', 2, 'line'],
  );
  const own = await create('own', '--cron', '5 5 * * *', '--tz', 'UTC', '--retries', '1');
  assert.deepEqual([own.job.cronExpr, own.job.timezone, own.job.retries], ['5 5 * * *', 'UTC', 1]);
  const every = await create('every', '--every', '1h');
  assert.deepEqual([every.job.scheduleType, every.job.periodSeconds], ['period', 3_600]);
});
