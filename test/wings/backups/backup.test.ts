/** `jobd backup` beside a daemon, `jobd restore` without one, and the refusals of both. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { makeBackup, restoreBackup } from '../../../src/wings/backups/backups.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { placeOf } from '../../../src/domain/secrets/vault.ts';
import { jobColumns, jobOf } from '../../../src/store/jobs/jobs.ts';
import { masterKeysInFile } from '../../../src/secrets/master-keys.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { makeStore, makeStoreWithKey } from '../../support/running/prepare.ts';
import { program, runCommand, serveCommand } from '../../support/running/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { cannotTrace, withFault } from '../../support/running/strace.ts';
import { nobody, notRoot } from '../../support/running/other-user.ts';

test('a backup made beside a daemon is restored completely, secrets included', async (t) => {
  const { jobd, dataDir, ...daemon } = await serveCommand(t);
  const sink = await startSink(t);
  const file = join(temporaryDirectory(t), 'kept.db');
  const job = ['--url', sink.url, '--cron', '0 0 1 1 *', '--header', 'X-Key: kept secret'];
  assert.equal((await jobd('jobs', 'create', '--name', 'kept', ...job)).exitCode, 0);
  assert.equal((await jobd('jobs', 'run', 'kept', '--wait')).exitCode, 0);

  const made = await jobd('backup', file, '--json');
  assert.equal(made.exitCode, 0, made.stderr);
  const { path, bytes, masterKeys } = JSON.parse(made.stdout);
  assert.deepEqual([path, bytes, masterKeys.length], [file, fs.statSync(file).size, 1]);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(join(file, '..')), ['kept.db'], 'nothing is left beside it');

  assert.equal((await jobd('jobs', 'delete', 'kept', '--yes')).exitCode, 0);
  const busy = await jobd('restore', file, '--yes');
  assert.equal(busy.exitCode, 5);
  assert.match(busy.stderr, /another jobd \(process \d+\) already serves/);
  assert.equal((await daemon.stop('SIGTERM')).exitCode, 0);

  const restored = await jobd('restore', file, '--yes', '--json');
  assert.equal(restored.exitCode, 0, restored.stderr);
  const { kept } = JSON.parse(restored.stdout);
  assert.deepEqual(
    namesIn(dataDir, (name) => name.endsWith('.db')),
    [kept.slice(dataDir.length + 1), 'jobd.db'],
  );
  await using local = await openTestLocal(dataDir);
  const rows = local.store.db.selectFrom('jobs').selectAll().select(jobColumns);
  const row = await rows.executeTakeFirstOrThrow();
  assert.deepEqual([row.name, row.deleted_at, row.total_success], ['kept', null, 1]);
  const vault = await local.openVault();
  assert.match(vault.open(row.sealed ?? '', placeOf('jobs', jobOf(row))), /kept secret/);
});

test('the log of the previous database stays with it and does not reach the restored one', async (t) => {
  const { dataDir, jobd, ...daemon } = await serveCommand(t);
  const file = join(temporaryDirectory(t), 'first.db');
  assert.equal((await jobd('backup', file)).exitCode, 0);
  assert.equal((await jobd('workspace', 'create', 'later')).exitCode, 0);
  await daemon.stop('SIGKILL');
  const log = join(dataDir, 'jobd.db-wal');
  assert.ok(fs.statSync(log).size > 0, 'later writes are in the log only');

  const restored = await jobd('restore', file, '--yes', '--json');
  assert.equal(restored.exitCode, 0, restored.stderr);
  assert.deepEqual(workspacesIn(join(dataDir, 'jobd.db')), ['default']);
  const { kept } = JSON.parse(restored.stdout);
  assert.deepEqual(workspacesIn(kept), ['default', 'later']);
  const back = await jobd('restore', kept, '--yes', '--unverified');
  assert.match(back.stderr, /or go back: jobd restore .*jobd-before-.*\.db --unverified\n/);
  assert.deepEqual(workspacesIn(join(dataDir, 'jobd.db')), ['default', 'later']);
});

test('a backup says what it holds, and one of nothing is refused', async (t) => {
  const { jobd } = await serveCommand(t);
  const elsewhere = temporaryDirectory(t);
  const sink = await startSink(t);
  const job = ['--url', sink.url, '--cron', '0 0 1 1 *'];
  for (const name of ['kept', 'deleted']) {
    assert.equal((await jobd('jobs', 'create', '--name', name, ...job)).exitCode, 0);
  }
  assert.equal((await jobd('jobs', 'run', 'kept', '--wait')).exitCode, 0);
  assert.equal((await jobd('monitors', 'create', '--name', 'm', '--every', '1h')).exitCode, 0);
  assert.equal((await jobd('jobs', 'delete', 'deleted', '--yes')).exitCode, 0);
  const made = await jobd('backup', join(elsewhere, 'a.db'));
  assert.match(made.stderr, /^it holds 1 job, 1 monitor, 1 run, 1 key\n/);
  const { contents } = JSON.parse((await jobd('backup', join(elsewhere, 'b.db'), '--json')).stdout);
  assert.deepEqual(contents, { jobs: 1, monitors: 1, runs: 1, keys: 1 });

  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const empty = join(elsewhere, 'empty.db');
  const refused = await runCommand(['backup', empty], { JOBD_DATA: dataDir });
  assert.deepEqual([refused.exitCode, refused.stdout], [5, '']);
  assert.match(
    refused.stderr,
    /^jobd: \S+jobd\.db has no jobs, monitors or keys: .*\n.*\n.*--allow-empty\n$/,
  );
  const allowed = ['backup', `${empty}2`, '--allow-empty'];
  const forced = await runCommand(allowed, { JOBD_DATA: dataDir });
  assert.match(forced.stderr, /^it holds 0 jobs, 0 monitors, 0 runs, 0 keys\n/);
  assert.equal(forced.exitCode, 0);
});

test('an existing file is never overwritten, and a file that is not a backup is refused', async (t) => {
  const dataDir = temporaryDirectory(t);
  const other = temporaryDirectory(t);
  const file = join(other, 'a file');
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  const none = await jobd('backup', file);
  assert.deepEqual([none.exitCode, none.stdout], [3, '']);
  assert.match(none.stderr, /^jobd: there is no database in .* \(JOBD_DATA\)\n/);
  await makeStoreWithKey(dataDir);

  fs.writeFileSync(file, 'something of mine');
  const there = await jobd('backup', file);
  assert.equal(there.exitCode, 5);
  assert.match(there.stderr, /a file already exists/);
  const nowhere = await jobd('backup', join(other, 'no', 'such', 'place'));
  assert.equal(nowhere.exitCode, 1);
  const directory = join(other, 'no', 'such');
  const advice = `mkdir -p -m 700 ${directory}`;
  assert.equal(nowhere.stderr, `jobd: there is no directory ${directory}: ${advice}\n`);

  const before = fs.readFileSync(join(dataDir, 'jobd.db'));
  for (const [path, exitCode, words] of [
    [file, 1, /a file cannot be read: .*not a database/],
    [join(other, 'missing'), 3, /there is no file .*missing/],
    [emptyDatabase(other), 1, /empty\.db cannot be read: it is not a database of jobd/],
    [await withVersion(t, 99), 1, /was written by a newer jobd/],
    [
      damaged(join(dataDir, 'jobd.db'), other),
      1,
      /damaged\.db is damaged: it was not restored, nothing was changed/,
    ],
    [
      cutOff(join(dataDir, 'jobd.db'), other),
      1,
      /^jobd: .*cut\.db is damaged: it was not restored, nothing was changed\n$/,
    ],
  ] as const) {
    // The file is checked before anybody is asked.
    const refused = await jobd('restore', path, '--unverified');
    assert.equal(refused.exitCode, exitCode, refused.stderr);
    assert.match(refused.stderr, words);
  }
  const good = join(other, 'good.db');
  assert.equal((await jobd('backup', good)).exitCode, 0);
  const names = fs.readdirSync(dataDir);
  const unasked = await jobd('restore', good);
  assert.equal(unasked.exitCode, 2);
  assert.match(unasked.stderr, /^jobd: Replace the database in \S+ with \S+good\.db\? Use --yes /);
  assert.deepEqual(fs.readdirSync(dataDir), names, 'the copy is removed');
  assert.deepEqual(fs.readFileSync(join(dataDir, 'jobd.db')), before);
  assert.equal(fs.readFileSync(file, 'utf8'), 'something of mine');
});

test('a backup whose master key is missing is restored only with --without-key', async (t) => {
  const [from, to] = [temporaryDirectory(t), temporaryDirectory(t)];
  const file = join(temporaryDirectory(t), 'sealed.db');
  await makeStoreWithKey(from);
  const made = await runCommand(['backup', file], { JOBD_DATA: from });
  assert.equal(made.exitCode, 0, made.stderr);
  const refused = await runCommand(['restore', file, '--yes'], { JOBD_DATA: to });
  assert.equal(refused.exitCode, 1);
  assert.match(
    refused.stderr,
    /needs the master key [0-9a-f]{16}, which is not in .*: add that key to .*secret-key on a line of its own/,
  );
  assert.ok(!fs.existsSync(join(to, 'jobd.db')));
  // Nothing is replaced, so nobody is asked.
  const forced = await runCommand(['restore', file, '--without-key'], { JOBD_DATA: to });
  assert.equal(forced.exitCode, 0, forced.stderr);
  assert.match(
    forced.stderr,
    /does not start without the master key ([0-9a-f]{16}): add it to .*secret-key;\nonly if there is no copy: jobd secrets forget \1 gives up the headers/,
  );
  assert.deepEqual(workspacesIn(join(to, 'jobd.db')), ['default']);
  assert.doesNotMatch(forced.stderr, /previous database/, 'there was none');
  assert.deepEqual(
    fs.readdirSync(to).filter((name) => name.startsWith('jobd-before-')),
    [],
  );
});

test('each restore keeps the previous database, even several in one second, and leaves nothing else', async (t) => {
  const dataDir = temporaryDirectory(t);
  const file = join(temporaryDirectory(t), 'kept.db');
  const parts = { clock: fakeClock(), masterKeys: masterKeysInFile(dataDir) };
  await makeStoreWithKey(dataDir);
  const target = { path: file, descriptor: null };
  await makeBackup({ dataDir, target, masterKeys: parts.masterKeys, allowEmpty: false });
  const source = { path: file, descriptor: fs.openSync(file, 'r'), log: null };
  t.after(() => fs.closeSync(source.descriptor));
  const restoring = {
    dataDir,
    ...parts,
    withoutKey: false,
    unverified: true,
    confirm: async () => {},
  };
  const kept: (string | null)[] = [];
  for (let round = 0; round < 3; round += 1) {
    kept.push((await restoreBackup(source, restoring)).kept);
  }
  assert.equal(new Set(kept).size, 3, kept.join(' '));
  assert.deepEqual(
    namesIn(dataDir, (name) => /\.(db|restored)$/.test(name)),
    [...kept.map((path) => basename(path ?? '')), 'jobd.db'].toSorted(),
  );
});

test(
  'a database that root restores for a service belongs to the service',
  { skip: notRoot },
  async (t) => {
    const [from, to] = [temporaryDirectory(t), temporaryDirectory(t)];
    const file = join(temporaryDirectory(t), 'kept.db');
    // Without a master key, so that the backup can be restored anywhere.
    await makeStore(from);
    const backup = ['backup', file, '--allow-empty'];
    assert.equal((await runCommand(backup, { JOBD_DATA: from })).exitCode, 0);
    fs.chownSync(to, nobody, nobody);
    const restore = ['restore', file, '--yes', '--unverified'];
    const restored = await runCommand(restore, { JOBD_DATA: to });
    assert.equal(restored.exitCode, 0, restored.stderr);
    for (const name of ['jobd.db', 'serve.lock']) {
      const { uid, gid, mode } = fs.statSync(join(to, name));
      assert.deepEqual([uid, gid, mode & 0o777], [nobody, nobody, 0o600], name);
    }
    assert.equal(fs.statSync(file).uid, 0);
  },
);

test(
  'a backup is made on a file system without links, and overwrites nothing there either',
  { skip: cannotTrace },
  async (t) => {
    const dataDir = temporaryDirectory(t);
    const to = temporaryDirectory(t);
    await makeStoreWithKey(dataDir);
    const [tracer = '', ...words] = withFault('link,linkat:error=EOPNOTSUPP');
    const backup = () =>
      spawnSync(tracer, [...words, ...program, 'backup', join(to, 'kept.db')], {
        env: { PATH: process.env['PATH'], JOBD_DATA: dataDir },
        encoding: 'utf8',
        timeout: 60_000,
      });
    const made = backup();
    assert.equal(made.status, 0, made.stderr);
    assert.deepEqual(workspacesIn(join(to, 'kept.db')), ['default']);
    assert.deepEqual(fs.readdirSync(to), ['kept.db']);
    assert.equal(backup().status, 5);
  },
);

function namesIn(directory: string, isWanted: (name: string) => boolean): string[] {
  return fs.readdirSync(directory).filter(isWanted).toSorted();
}

function workspacesIn(path: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare('select name from workspaces order by name').pluck().all();
  } finally {
    database.close();
  }
}

function emptyDatabase(directory: string): string {
  const path = join(directory, 'empty.db');
  new Database(path).exec('create table things (id)').close();
  return path;
}

/** A copy that is cut off in the middle. */
function cutOff(path: string, directory: string): string {
  const bytes = fs.readFileSync(path);
  const copy = join(directory, 'cut.db');
  fs.writeFileSync(copy, bytes.subarray(0, Math.floor(bytes.length / 2)));
  return copy;
}

/** A copy with a changed page in the middle. */
function damaged(path: string, directory: string): string {
  const bytes = fs.readFileSync(path);
  const page = Math.floor(bytes.length / 8192) * 4096;
  const copy = join(directory, 'damaged.db');
  fs.writeFileSync(copy, bytes.fill('A', page, page + 4096));
  return copy;
}

async function withVersion(t: Parameters<typeof temporaryDirectory>[0], version: number) {
  const dataDir = temporaryDirectory(t);
  await makeStoreWithKey(dataDir);
  const path = join(dataDir, 'jobd.db');
  const row = `(${version}, '')`;
  new Database(path).exec(`insert into schema_migrations (version, sha256) values ${row}`).close();
  return path;
}
