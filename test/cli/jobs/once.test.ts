/** One-time jobs from the shell, once their time has passed (docs/behavior.md#once-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '../../../src/base/log.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const zoned = { url: 'http://127.0.0.1:1/', timezone: 'Europe/Paris' };
const once = { ...zoned, runAt: '2020-03-02T11:00:00Z', makeUpSeconds: null };

test('a one-time job that was missed says so, and no command to resume all fails for one', async (t) => {
  const clock = fakeClock('2020-03-02T10:00:00Z');
  const [dataDir, log] = [temporaryDirectory(t), openLog('silent')];
  await t.test('before an outage', async (inner) => {
    const { ask } = await startTestDaemon(inner, { clock, dataDir, log });
    for (const name of ['missed', 'held']) await ask('POST', '/jobs', { ...once, name });
    await ask('POST', '/jobs', { ...zoned, name: 'hourly' });
    for (const { id, name } of (await ask('GET', '/jobs')).body.jobs) {
      if (name !== 'missed') await ask('PATCH', `/jobs/${id}`, { action: 'pause' });
    }
  });
  clock.advance(2 * 3_600_000);
  const daemon = await startTestDaemon(t, { clock, dataDir, log });
  await until('it is missed', async () => {
    const { runs } = (await daemon.ask('GET', '/runs?status=missed')).body;
    return runs.length === 1;
  });
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const jobd = (...args: string[]) => runCommand(args, env);

  const bare = ['--no-make-up', '--no-delete-after', '--url', zoned.url];
  const made = await jobd(
    'jobs',
    'create',
    '--name',
    'bare',
    '--at',
    '2020-03-09T00:00:00Z',
    ...bare,
  );
  assert.match(made.stdout, /^retries\t0\nnext run/m, made.stderr);
  assert.doesNotMatch(made.stdout, /^deleted after/m);
  await jobd('jobs', 'delete', 'bare', '--yes');
  const got = await jobd('jobs', 'get', 'missed');
  assert.match(got.stdout, /^schedule\tonce 2020-03-02 12:00 Europe\/Paris$/m);
  assert.match(
    got.stderr,
    /^its time is over: it was due once, at Mon 2 Mar 2020 12:00 \+01:00, and was not called\. Replay/m,
  );
  assert.match((await jobd('jobs', 'list')).stdout, /^missed\tnew\t.*\tnot called\t/m);
  assert.match((await jobd('explain', 'missed')).stdout, /Its time is over: it was due once/);

  const resumed = await jobd('jobs', 'resume', '--all');
  assert.equal(resumed.exitCode, 0, resumed.stderr);
  assert.match(resumed.stdout, /^held\tits time has passed\t-$/m);
  assert.match(resumed.stdout, /^hourly\tresumed\t-$/m);
  assert.match(resumed.stderr, /resumed 1 job, 1 was not paused, the time of 1 has passed: /);
  const paused = await jobd('jobs', 'pause', '--all');
  assert.equal(paused.exitCode, 0, paused.stderr);
  assert.match(paused.stdout, /^missed\tits time has passed\t-$/m);
  assert.match(paused.stderr, /paused 1 job, 1 was paused already, the time of 1 has passed$/m);
  const spent = await jobd('jobs', 'pause', 'missed');
  assert.equal(spent.exitCode, 0);
  assert.match(spent.stderr, /^missed is not paused: its time has passed$/m);
  assert.match(spent.stdout, /^status\tnew$/m);
  assert.match((await jobd('explain', 'held')).stdout, /paused, and its time has passed: set/);
  const alone = await jobd('jobs', 'resume', 'held');
  assert.equal(alone.exitCode, 2);
  assert.match(alone.stderr, /its --at, \S+, has passed: set a later one/);

  const update = ['jobs', 'update', 'missed'];
  const regular = await jobd(...update, '--cron', '0 9 * * *');
  assert.match(regular.stderr, /it is called on this schedule now, instead of once/);
  assert.match(regular.stdout, /^schedule\t0 9 \* \* \* Europe\/Paris$/m);
  const wrong: [args: string[], words: RegExp][] = [
    [['--at', '2990-01-01', '--cron', '0 9 * * *'], /use either --at or --cron, not both/],
    [['--at', '2990-01-01', '--every', '5m'], /use either --at or --every, not both/],
    [['--at', '2990-01-01', '--after', 'held'], /use either --at or --after, not both/],
    [
      ['--every', '60s', '--delete-after', '2d'],
      /^jobd: --delete-after has no effect without --at or --not-after/,
    ],
    [
      ['--at', '2020-06-01 12:00', '--spread', '2m'],
      /--spread has no effect on a job that is due once: leave it/,
    ],
    [['--in', '2d', '--cron', '0 9 * * *'], /use either --in or --cron, not both/],
    [['--every', '60s', '--spread', '2m'], /--spread must be at most --every, 1m, got 2m/],
  ];
  for (const [args, words] of wrong) {
    const { exitCode, stderr } = await jobd(...update, ...args);
    assert.match(stderr, words);
    assert.equal(exitCode, 2);
  }
});
