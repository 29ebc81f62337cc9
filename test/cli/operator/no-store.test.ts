/** Commands on a directory without a database: they make none, and say where one may be (docs/decisions/0026-root-and-the-data.md#only-serve-makes-a-database). */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { noDatabase, type Holding } from '../../../src/cli/operator/places.ts';
import { findServers } from '../../../src/cli/operator/running.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { each } from '../../support/each.ts';
import { program, runCommand, serveCommand } from '../../support/running/command.ts';
import { makeStore, makeStoreWithKey } from '../../support/running/prepare.ts';
import { nobody, notRoot } from '../../support/running/other-user.ts';

const commands = [
  'key create',
  'key list',
  'key revoke 019a9b1c-0000-7000-8000-000000000000 --yes',
  'session list',
  'session end --all --yes',
  'account create acme',
  'account list',
  'account show default',
  'account cancel default',
  'workspace create staging',
  'workspace list',
  'workspace delete staging --yes',
  'signing-key show',
  'signing-key export',
  'signing-key rotate --yes',
  'secrets rotate --yes',
  'secrets forget 9f86d081884c7d65 --yes',
  'open',
  'backup kept.db',
];

test('a command on a directory without a database exits with 3 and makes nothing', async (t) => {
  const dataDir = temporaryDirectory(t);
  for (const command of commands) {
    const ran = await runCommand([...command.split(' '), '--data', dataDir]);
    assert.deepEqual([ran.exitCode, ran.stdout], [3, ''], `${command}: ${ran.stderr}`);
    assert.ok(
      ran.stderr.startsWith(`jobd: there is no database in ${dataDir} (--data)\n`),
      command,
    );
    assert.match(ran.stderr, /\n {2}[^\n]+\n$/, 'what to do is a line of its own');
  }
  assert.deepEqual(fs.readdirSync(dataDir), []);

  const home = temporaryDirectory(t);
  const byDefault = await runCommand(['key', 'list'], { HOME: home });
  assert.equal(byDefault.exitCode, 3);
  const path = join(home, '.local/share/jobd');
  assert.ok(byDefault.stderr.startsWith(`jobd: there is no database in ${path} (your default)\n`));
  assert.deepEqual(fs.readdirSync(home), []);
});

test('doctor fails with the sentence of the commands', async (t) => {
  const dataDir = temporaryDirectory(t);
  const { exitCode, stdout } = await runCommand(['doctor', '--data', dataDir, '--json']);
  assert.equal(exitCode, 1);
  const { check, result, detail, notes } = JSON.parse(stdout).findings.at(-1);
  assert.deepEqual([check, result], ['data directory', 'fail']);
  assert.equal(detail, `there is no database in ${dataDir} (--data)`);
  assert.match(notes.at(-1), /^(?:try|choose one|jobd serve makes one)/);
  assert.deepEqual(fs.readdirSync(dataDir), []);
});

test('a jobd serve that runs elsewhere is named, with the command to run instead', async (t) => {
  // Sources run as main.ts, which is no name of jobd's.
  if (basename(program.at(-1) ?? '') === 'main.ts') return t.skip('run from sources');
  const daemon = await serveCommand(t);
  const { stderr } = await runCommand(['key', 'list', '--data', temporaryDirectory(t)]);
  assert.match(stderr, new RegExp(`\\n {2}${daemon.dataDir}: jobd serve \\(process \\d+, user `));
  assert.match(stderr, /\n {2}(?:try|choose one): jobd … --data \S+\n$/);
});

test('an empty jobd.db is no database for commands, and a new one for serve', async (t) => {
  const dataDir = temporaryDirectory(t);
  fs.writeFileSync(join(dataDir, 'jobd.db'), '', { mode: 0o600 });
  const refused = await runCommand(['key', 'list', '--data', dataDir]);
  assert.equal(refused.exitCode, 3, refused.stderr);
  assert.equal(fs.statSync(join(dataDir, 'jobd.db')).size, 0);
});

for (const [left, empty] of [
  ['secret-key', false],
  ['secret-key', true],
  ['jobd.reserve', false],
  ['jobd-before-20261121T173556Z.db', false],
  ['jobd.db-wal', true],
] as const) {
  const how = empty ? 'an empty jobd.db' : 'no jobd.db';
  test(`serve begins no new database with ${how} beside ${left}`, async (t) => {
    const dataDir = temporaryDirectory(t);
    fs.writeFileSync(join(dataDir, left), 'of an earlier database', { mode: 0o600 });
    if (empty) fs.writeFileSync(join(dataDir, 'jobd.db'), '', { mode: 0o600 });
    const state = empty ? 'empty' : 'missing';
    const words = new RegExp(
      String.raw`^jobd: \S+/jobd\.db is ${state} beside ${left}: an earlier database was lost\n  restore a backup: jobd restore FILE\n  or, to start from scratch, move that file away\n$`,
    );
    for (const command of [
      ['serve', '--port', '0'],
      ['key', 'list'],
      ['backup', 'kept.db'],
    ]) {
      const { exitCode, stderr } = await runCommand([...command, '--data', dataDir]);
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, words);
    }
    const { size } = fs.statSync(join(dataDir, 'jobd.db'), { throwIfNoEntry: false }) ?? {};
    assert.equal(size, empty ? 0 : undefined, 'nothing was made');
  });
}

test('a lost database is restored beside its key, in a directory that never had one too', async (t) => {
  const [dataDir, elsewhere] = [temporaryDirectory(t), temporaryDirectory(t)];
  await makeStoreWithKey(dataDir);
  const file = join(elsewhere, 'kept.db');
  const jobd = (...args: string[]) => runCommand([...args, '--data', dataDir]);
  assert.equal((await jobd('backup', file)).exitCode, 0);
  fs.rmSync(join(dataDir, 'jobd.db'));
  assert.match((await jobd('serve', '--port', '0')).stderr, /restore a backup/);
  const restored = await jobd('restore', file, '--yes');
  assert.equal(restored.exitCode, 0, restored.stderr);
  const listed = await jobd('key', 'list');
  assert.deepEqual([listed.exitCode, listed.stdout.split('\n').length], [0, 2]);

  const never = join(elsewhere, 'never');
  const made = await runCommand(['restore', file, '--yes', '--without-key', '--data', never]);
  assert.equal(made.exitCode, 0, made.stderr);
});

test('a command says which directory it used where nobody named it', async (t) => {
  const home = temporaryDirectory(t);
  const dataDir = join(home, '.local/share/jobd');
  await makeStore(dataDir);
  const byDefault = await runCommand(['key', 'create'], { HOME: home });
  assert.equal(byDefault.stderr, `data directory: ${dataDir} (your default)\n`);
  const named = await runCommand(['key', 'create'], { JOBD_DATA: dataDir });
  assert.deepEqual([named.exitCode, named.stderr], [0, '']);
});

test(
  'a directory or file that this user may not read is not called missing',
  { skip: notRoot },
  async (t) => {
    const dataDir = temporaryDirectory(t);
    await makeStore(dataDir);
    const { spawnSync } = await import('node:child_process');
    const { programForAll } = await import('../../support/running/for-all.ts');
    const [jobd = '', ...words] = programForAll(t);
    const listAs = (uid: number) =>
      spawnSync(jobd, [...words, 'key', 'list', '--data', dataDir], {
        uid,
        gid: uid,
        env: {},
        encoding: 'utf8',
        timeout: 60_000,
      });
    const closed = listAs(nobody);
    const sudo = `use sudo, which acts as the owner: sudo jobd … --data ${dataDir}\n  in a container: chown -R 65534:65534, as root, the directory that is mounted there\n`;
    assert.equal(closed.stderr, `jobd: ${dataDir} cannot be used: permission denied; ${sudo}`);
    fs.chmodSync(dataDir, 0o755);
    const file = join(dataDir, 'jobd.db');
    assert.equal(
      listAs(nobody).stderr,
      `jobd: ${file} cannot be opened: permission denied; ${sudo}`,
    );
    fs.chownSync(dataDir, nobody, nobody);
    assert.match(
      listAs(nobody).stderr,
      /cannot be opened: permission denied; give the file to .*: chown /,
    );
    fs.chownSync(file, nobody, nobody);
    fs.chmodSync(file, 0o000);
    assert.match(listAs(nobody).stderr, /permission denied; let its owner .*: chmod u\+rw /);
    assert.equal(closed.status, 1);
  },
);

test('a file that is no database is named, with a remedy', async (t) => {
  const dataDir = temporaryDirectory(t);
  const file = join(dataDir, 'jobd.db');
  fs.writeFileSync(file, 'something else '.repeat(1_000), { mode: 0o600 });
  for (const [command, done] of [
    ['key list', 'opened'],
    ['backup kept.db', 'read'],
  ] as const) {
    const { exitCode, stderr } = await runCommand([...command.split(' '), '--data', dataDir]);
    assert.equal(exitCode, 1);
    assert.ok(stderr.startsWith(`jobd: ${file} cannot be ${done}: it is not a database`), stderr);
    assert.match(stderr, /restore a backup: jobd restore FILE\n$/);
  }
});

test('processes are read from /proc as far as they may be', (t) => {
  const proc = temporaryDirectory(t);
  const add = (pid: number, words: string[], environ?: string): void => {
    const directory = join(proc, String(pid));
    fs.mkdirSync(directory);
    fs.writeFileSync(join(directory, 'cmdline'), words.map((word) => `${word}\0`).join(''));
    fs.symlinkSync('/srv', join(directory, 'cwd'));
    if (environ !== undefined) fs.writeFileSync(join(directory, 'environ'), environ);
  };
  add(1, ['/sbin/init']);
  add(10, ['/usr/local/bin/jobd', 'serve', '--data', '/srv/a']);
  add(11, ['node', 'dist/jobd.cjs', 'serve', '--port=1', '--data=b'], 'JOBD_PORT=2\0');
  add(12, ['jobd', 'serve'], 'PATH=/bin\0JOBD_DATA=/srv/c\0STATE_DIRECTORY=/no\0');
  add(13, ['jobd', 'serve'], 'HOME=/home/ann\0');
  add(14, ['jobd', 'serve']);
  add(15, ['jobd', 'key', 'list', 'serve']);
  add(16, ['vim', 'serve', '--data', '/no']);
  add(19, ['jobd', 'serve', '--demo'], 'HOME=/home/ann\0');
  add(18, ['jobd', 'serve', '--database', 'postgres://db/jobd'], 'HOME=/home/ann\0');
  fs.mkdirSync(join(proc, '17'));
  fs.writeFileSync(join(proc, 'version'), '');
  const passwd = join(proc, 'passwd');
  const { uid } = fs.statSync(proc);
  fs.writeFileSync(passwd, `root:x:${uid}9:0::/:/bin/sh\njobd:x:${uid}:1::/:/bin/sh\n`);
  fs.writeFileSync(join(proc, '10', 'cgroup'), '0::/system.slice/jobd.service\n');
  fs.writeFileSync(join(proc, '11', 'cgroup'), '0::/user.slice/user@1.service/app.slice/a.scope\n');
  const servers = findServers({ proc, passwd });
  assert.deepEqual(each(servers.slice(0, 3), 'user', 'unit'), [
    ['jobd', 'jobd.service'],
    ['jobd', null],
    ['jobd', null],
  ]);
  assert.equal(findServers({ proc, passwd: '/absent' })[0]?.user, `${uid}`);
  assert.deepEqual(each(servers, 'pid', 'dataDir'), [
    [10, '/srv/a'],
    [11, '/srv/b'],
    [12, '/srv/c'],
    [13, '/home/ann/.local/share/jobd'],
    [14, null],
    [18, null],
  ]);
  assert.deepEqual(findServers({ proc: join(proc, 'absent'), passwd }), []);
});

test('the places are named once, with what they hold, and the best one is the remedy', () => {
  const directory = { path: '/home/ann/.local/share/jobd', namedBy: null };
  const named = { dataDir: '/var/lib/jobd', namedIn: '/etc/jobd/jobd.env' };
  const servers = [
    { pid: 7, uid: 990, user: 'jobd', unit: 'jobd.service', dataDir: '/var/lib/jobd' },
    { pid: 8, uid: 0, user: 'root', unit: null, dataDir: '/srv/b' },
    { pid: 9, uid: 1_000, user: '1000', unit: null, dataDir: null },
  ];
  const notes = (holding: Holding | null, uid: number, count = 3) =>
    noDatabase(directory, {
      service: holding && { ...named, holding },
      servers: servers.slice(0, count),
      uid,
    }).notes;
  const [service, ofRoot] = [
    '/var/lib/jobd: jobd serve (process 7, user jobd), started by jobd.service',
    '/srv/b: jobd serve (process 8, user root)',
  ];
  const closed = 'closed to you';
  assert.deepEqual(notes('unknown', 1_000), [
    `${service}, ${closed}`,
    `${ofRoot}, ${closed}`,
    'try: sudo jobd … --data /var/lib/jobd',
  ]);
  assert.deepEqual(notes('nothing', 0), [
    `${service}, no database there`,
    ofRoot,
    'try: jobd … --data /srv/b',
  ]);
  assert.deepEqual(notes(null, 1_000).slice(2), [
    `an unknown directory: jobd serve (process 9, user 1000), ${closed}`,
    'choose one: sudo jobd … --data DIR',
  ]);
  assert.deepEqual(notes(null, 0, 2).slice(2), ['choose one: jobd … --data DIR']);
  assert.deepEqual(notes(null, 0, 1).slice(1), ['try: jobd … --data /var/lib/jobd']);
  assert.deepEqual(notes('database', 0, 0), [
    '/var/lib/jobd: data of the service (/etc/jobd/jobd.env)',
    'try: jobd … --data /var/lib/jobd',
  ]);
  assert.deepEqual(notes(null, 0, 0), ['jobd serve makes one; --data DIR names another directory']);
});
