/** The time zone of jobs and monitors that are made and changed without --tz, and updates that change nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import { machineZone } from '../../../src/cli/schedule/machine-zone.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { bearer, send } from '../../support/running/send.ts';

const note = 'time zone: Asia/Tokyo, as on this machine; --tz names another\n';

test('a schedule never gets a time zone that nobody chose', async (t) => {
  const { env, url } = await serveCommand(t);
  const jobd = (...args: string[]) => runCommand(args, { ...env, TZ: 'Asia/Tokyo' });
  const key = bearer(env['JOBD_API_KEY'] ?? '');
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
    assert.equal((await send(`${url}/api/v1/${list}`, 'POST', body, key)).status, 201);
    const cron = ['--cron', '0 9 * * *'];
    assert.deepEqual(await run('update', 'api', ...cron), { zone: 'Asia/Tokyo', stderr: note });
    const named = await run('update', 'own', ...cron, '--tz', 'Europe/Rome');
    assert.deepEqual(named, { zone: 'Europe/Rome', stderr: '' });
    const later = await run('update', 'own', '--cron', '0 10 * * *');
    assert.deepEqual(later, { zone: 'Europe/Rome', stderr: '' }, 'a chosen zone stays');
    const upsert = ['create', '--upsert', ...options, '--name'];
    const again = await run(...upsert, 'own', '--cron', '50 3 * * *');
    assert.deepEqual(again, { zone: 'Europe/Rome', stderr: '' }, 'also by --upsert');
    assert.equal((await run(...upsert, 'own', ...cron, '--tz', 'UTC')).zone, 'UTC');
    assert.equal((await run(...upsert, 'own', '--every', '1h')).zone, 'UTC');
    const before = {
      zone: 'UTC',
      stderr: note.replace('Asia/Tokyo, as on this machine', 'UTC, as before'),
    };
    assert.deepEqual(await run('update', 'utc', ...cron), before, 'one set for an interval too');
    assert.deepEqual(await run(...upsert, 'own', ...cron), before);
    assert.deepEqual(await run(...upsert, 'fresh', ...cron), { zone: 'Asia/Tokyo', stderr: note });
    if (list === 'jobs') {
      assert.equal((await run(...upsert, 'utc', '--at', '09:00')).zone, 'UTC');
      const after = ['create', '--name', 'next', ...options, '--after', 'own'];
      assert.equal((await run(...after)).zone, 'Europe/Paris', 'it needs none');
      const own = await run('update', 'next', '--no-after', ...cron);
      assert.deepEqual(own, { zone: 'Asia/Tokyo', stderr: note });
    }
  }
  const every = ['create', '--name', 'kept', '--url', url, '--every', '1h', '--tz', 'UTC'];
  const { stdout } = await jobd('jobs', ...every);
  assert.match(stdout, /\nnext runs local\t\S+\+09:00 /, 'an interval is shown in the local zone');
});

const missing = (): never => {
  throw Object.assign(new Error('none'), { code: 'ENOENT' });
};

/** A machine of which nothing is known, but what is given. */
function zoneOf(given: { tz?: string; found?: string; link?: string; written?: string }): string {
  return machineZone({
    variable: given.tz,
    found: () => given.found,
    real: (path) => (path === '/etc/localtime' ? given.link : undefined) ?? missing(),
    text: (path) => (path === '/etc/timezone' ? given.written : undefined) ?? missing(),
  });
}

test('the zone of a machine is that of TZ, or of the files that say it', () => {
  const link = '/usr/share/zoneinfo/Europe/Rome';
  const rows: [given: Parameters<typeof zoneOf>[0], zone: string][] = [
    [{ tz: 'asia/tokyo', link }, 'Asia/Tokyo'],
    [{ tz: ':Asia/Tokyo', link }, 'Asia/Tokyo'],
    [{ tz: '/usr/share/zoneinfo/Asia/Tokyo' }, 'Asia/Tokyo'],
    [{ tz: '', link }, 'UTC'],
    [{ tz: ':/etc/localtime', found: 'Asia/Tokyo', link }, 'Europe/Rome'],
    [{ tz: '/etc/localtime', link: '/var/db/timezone/zoneinfo/Asia/Tokyo' }, 'Asia/Tokyo'],
    [
      { tz: ':/etc/localtime', link: '/usr/share/zoneinfo/posix/America/New_York' },
      'America/New_York',
    ],
    [{ tz: ':/etc/localtime', link: '/etc/localtime', written: 'Europe/Rome\n' }, 'Europe/Rome'],
    [{ tz: ':/etc/localtime' }, 'UTC'],
    [{ found: 'Asia/Tokyo', link }, 'Asia/Tokyo'],
    [{ found: 'Etc/Unknown', link }, 'Europe/Rome'],
    [{ link }, 'Europe/Rome'],
    [{ written: 'Europe/Rome' }, 'Europe/Rome'],
    [{}, 'UTC'],
  ];
  for (const [given, zone] of rows) assert.equal(zoneOf(given), zone, JSON.stringify(given));
  for (const [given, sentence] of [
    [{ tz: 'Europe/Nowhere', link }, /TZ is "Europe\/Nowhere", .*--tz Europe\/Paris/],
    [{ tz: 'CET-1CEST', link }, /TZ is "CET-1CEST"/],
    [{ tz: ':/etc/localtime', link: '/etc/localtime' }, /does not say its time zone.*--tz/],
    [{ link: '/srv/zone', written: 'here' }, /does not say its time zone/],
  ] as const) {
    assert.throws(() => zoneOf(given), sentence, JSON.stringify(given));
  }
});

test('commands that need the zone ask for it, and others do without', async () => {
  const env = {
    TZ: 'Europe/Nowhere',
    JOBD_URL: 'http://127.0.0.1:9',
    JOBD_API_KEY: `cp_${'0'.repeat(64)}`,
  };
  const line = '0 9 * * * curl https://example.com/\n';
  for (const args of [
    ['import', 'crontab'],
    ['schedule', 'preview', '0 9 * * *'],
    ['jobs', 'create', '--name', 'a', '--url', 'https://example.com/', '--cron', '0 9 * * *'],
    ['monitors', 'create', '--name', 'a', '--cron', '0 9 * * *'],
  ]) {
    const { exitCode, stdout, stderr } = await runCommand(args, env, line);
    assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /TZ is "Europe\/Nowhere".*--tz/);
  }
  const given = await runCommand(['import', 'crontab', '--tz', 'Asia/Tokyo'], env, line);
  assert.match(given.stdout, /timezone: Asia\/Tokyo/);
  const every = await runCommand(['schedule', 'preview', '--every', '1h'], env);
  assert.equal(every.exitCode, 0, every.stderr);
  const system = await runCommand(['import', 'crontab'], { TZ: ':/etc/localtime' }, line);
  assert.doesNotMatch(system.stdout + system.stderr, /undefined|Europe\/Paris\n/);
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
