/** The time zone of jobs and monitors that are made and changed without --tz, and updates that change nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';

const note = 'time zone: Asia/Tokyo, as on this machine; --tz names another\n';

test('a schedule never gets a time zone that nobody chose', async (t) => {
  const { env, url } = await serveCommand(t);
  const jobd = (...args: string[]) => runCommand(args, { ...env, TZ: 'Asia/Tokyo' });
  const headers = {
    authorization: `Bearer ${env['JOBD_API_KEY']}`,
    'content-type': 'application/json',
  };
  const kinds = [['jobs', '--url', 'https://example.com/'], ['monitors']] as const;
  for (const [list, ...options] of kinds) {
    const run = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await jobd(list, ...args, '--json');
      assert.equal(exitCode, 0, stderr);
      const [item] = Object.values(JSON.parse(stdout) as Record<string, Job>);
      return { zone: item?.timezone, stderr };
    };
    const quiet = { zone: 'Asia/Tokyo', stderr: '' };
    assert.deepEqual(await run('create', '--name', 'own', ...options, '--every', '1h'), quiet);
    const zoned = ['--every', '1h', '--tz', 'UTC'];
    assert.equal((await run('create', '--name', 'utc', ...options, ...zoned)).zone, 'UTC');

    const body = {
      name: 'api',
      scheduleType: 'period',
      periodSeconds: 3_600,
      ...(list === 'jobs' && { url: 'https://example.com/' }),
    };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    assert.equal((await fetch(`${url}/api/v1/${list}`, request)).status, 201);
    const cron = ['--cron', '0 9 * * *'];
    assert.deepEqual(await run('update', 'api', ...cron), { zone: 'Asia/Tokyo', stderr: note });
    const named = await run('update', 'own', ...cron, '--tz', 'Europe/Rome');
    assert.deepEqual(named, { zone: 'Europe/Rome', stderr: '' });
    const later = await run('update', 'own', '--cron', '0 10 * * *');
    assert.deepEqual(later, { zone: 'Europe/Rome', stderr: '' }, 'a chosen zone stays');
  }
  const { stdout } = await jobd('jobs', 'get', 'utc');
  assert.match(stdout, /\nnext runs local\t\S+\+09:00 /, 'an interval is shown in the local zone');
});

test('an update without anything to change is refused', async () => {
  const env = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const rows = [
    ['jobs', "backup --cron '30 3 * * *' --tz UTC"],
    ['monitors', 'backup --grace 2h'],
    ['channels', 'ops --disable'],
  ] as const;
  for (const [list, example] of rows) {
    assert.deepEqual(await runCommand([list, 'update', 'a'], env), {
      exitCode: 2,
      stdout: '',
      stderr: `jobd: say what to change: jobd ${list} update ${example}\n  all options: jobd ${list} update --help\n`,
    });
  }
});
