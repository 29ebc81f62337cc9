/** Root in a directory of another user: no file outside changes, whatever the owner does. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { executable, jobd, notPackaged, serve } from '../support/running/executable.ts';
import { nodeForAll } from '../support/running/for-all.ts';
import { makeStore, makeStoreWithKey } from '../support/running/prepare.ts';
import { runProgram } from '../support/running/program.ts';
import { nobody, notRoot } from '../support/running/other-user.ts';

const limits = { skip: notPackaged || notRoot, timeout: 120_000 };

/**
 * A data directory of `nobody` with a store in it, and a directory that only root can open, with a
 * backup.
 */
async function prepare(t: TestContext) {
  const [dataDir, outside] = [temporaryDirectory(t), temporaryDirectory(t)];
  fs.chownSync(dataDir, nobody, nobody);
  const env = { JOBD_DATA: dataDir };
  const asRoot = (...args: string[]) => jobd(args, env);
  const file = join(outside, 'kept.db');
  await makeStoreWithKey(dataDir);
  for (const name of fs.readdirSync(dataDir)) fs.chownSync(join(dataDir, name), nobody, nobody);
  const { exitCode, stderr } = await asRoot('backup', file);
  assert.equal(exitCode, 0, stderr);
  return { dataDir, outside, file, asRoot };
}

/** The owner, mode and content of each file of a directory. */
function stateOf(directory: string): string[] {
  return fs.readdirSync(directory).map((name) => {
    const path = join(directory, name);
    const { uid, mode, mtimeMs, ino } = fs.lstatSync(path);
    return [name, uid, mode, mtimeMs, ino, fs.readFileSync(path, 'base64')].join(' ');
  });
}

/** Swaps files of these names in the data directory as its owner, until stopped. */
async function startSwapping(t: TestContext, dataDir: string, target: string, names: string) {
  // In a directory that everybody can read.
  const script = join(temporaryDirectory(t), 'swap-names.ts');
  fs.copyFileSync(join(import.meta.dirname, 'attacks', 'swap-names.ts'), script);
  fs.chmodSync(join(script, '..'), 0o755);
  const racer = spawn(nodeForAll(t), [script, dataDir, target, names], {
    uid: nobody,
    gid: nobody,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => racer.kill('SIGKILL'));
  const ended = once(racer, 'exit');
  await once(racer.stdout, 'data');
  return async () => {
    racer.kill('SIGKILL');
    await ended;
  };
}

test(
  'commands of root in a data directory change no file outside, whatever its owner swaps',
  limits,
  async (t) => {
    const { dataDir: whole, outside, file } = await prepare(t);
    const target = join(outside, 'authorized_keys');
    fs.writeFileSync(target, '', { mode: 0o600 });
    const before = stateOf(outside);
    const restore = ['restore', file, '--yes'];
    for (const [names, args] of [
      ['restored', restore],
      ['restored', restore],
      ['jobd-before', restore],
      [String.raw`\.lock$`, restore],
      [String.raw`\.pid$`, restore],
      ['^native$', restore],
      ['-(wal|shm|journal)$', ['key', 'create']],
      [String.raw`^secret-key\.`, ['secrets', 'rotate', '--yes']],
      ['^secret-key$', ['signing-key', 'rotate', '--yes']],
      [String.raw`^\.`, ['backup', 'inside.db']],
    ] as const) {
      const dataDir = temporaryDirectory(t);
      fs.cpSync(whole, dataDir, { recursive: true });
      for (const path of ['.', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]) {
        fs.chownSync(join(dataDir, path), nobody, nobody);
      }
      const stop = await startSwapping(t, dataDir, target, names);
      // It may fail: its owner makes the directory unusable.
      await runProgram([executable, ...args], { cwd: dataDir, env: { JOBD_DATA: dataDir } });
      await stop();
      assert.deepEqual(stateOf(outside), before, `${names}: ${args.join(' ')}`);
      const isRoots = (path: string): boolean => fs.lstatSync(join(dataDir, path)).uid === 0;
      assert.deepEqual(fs.readdirSync(dataDir).filter(isRoots), [], `${names}: ${args.join(' ')}`);
    }
  },
);

test(
  'root writes no backup of its own data where another user could swap the file',
  limits,
  async (t) => {
    const [dataDir, outside] = [temporaryDirectory(t), temporaryDirectory(t)];
    const env = { JOBD_DATA: dataDir };
    await makeStoreWithKey(dataDir);
    fs.chownSync(outside, nobody, nobody);
    const { exitCode, stderr } = await jobd(['backup', join(outside, 'kept.db')], env);
    assert.deepEqual([exitCode, /root does not write there/.test(stderr)], [1, true], stderr);
    assert.deepEqual(fs.readdirSync(outside), []);
  },
);

test(
  'root makes no backup of an empty database of another user, and leaves no file',
  limits,
  async (t) => {
    const [dataDir, outside] = [temporaryDirectory(t), temporaryDirectory(t)];
    await makeStore(dataDir);
    for (const path of [dataDir, join(dataDir, 'jobd.db')]) fs.chownSync(path, nobody, nobody);
    const file = join(outside, 'kept.db');
    const { exitCode, stderr } = await jobd(['backup', file, '--data', dataDir]);
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /: nothing was backed up\n/);
    const none = await jobd(['backup', join(outside, 'b.db'), '--data', join(dataDir, 'none')]);
    assert.equal(none.exitCode, 3, none.stderr);
    assert.deepEqual(fs.readdirSync(outside), []);
    const made = await jobd(['backup', file, '--data', dataDir, '--allow-empty']);
    assert.equal(made.exitCode, 0, made.stderr);
    assert.deepEqual(fs.readdirSync(outside), ['kept.db'], 'what was made stays');
  },
);

test(
  'root backs up to and restores from directories that only root can open',
  limits,
  async (t) => {
    const { dataDir, outside, file, asRoot } = await prepare(t);
    const { uid, mode } = fs.statSync(file);
    assert.deepEqual([uid, mode & 0o777], [0, 0o600]);
    const again = await asRoot('backup', file);
    assert.deepEqual([again.exitCode, /already exists/.test(again.stderr)], [5, true]);
    const nowhere = await asRoot('backup', join(outside, 'no', 'place'));
    assert.deepEqual([nowhere.exitCode, /there is no directory/.test(nowhere.stderr)], [1, true]);

    const restored = await asRoot('restore', file, '--yes', '--json');
    assert.equal(restored.exitCode, 0, restored.stderr);
    assert.equal(JSON.parse(restored.stdout).verified, true);
    assert.deepEqual(fs.readdirSync(outside), ['kept.db']);
    for (const name of fs.readdirSync(dataDir)) {
      assert.equal(fs.lstatSync(join(dataDir, name)).uid, nobody, name);
    }
    // A link in another user's directory leads only to files that this user may read.
    fs.symlinkSync(file, join(dataDir, 'mine.db'));
    const led = await asRoot('restore', join(dataDir, 'mine.db'), '--yes');
    assert.deepEqual([led.exitCode, /may not read/.test(led.stderr)], [1, true]);
  },
);

test(
  'jobd serve started by root acts as the owner of its data, in every thread',
  limits,
  async (t) => {
    const { dataDir } = await prepare(t);
    const daemon = await serve(t, ['--data', dataDir], '/');
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200);
    const tasks = `/proc/${daemon.pid}/task`;
    for (const task of fs.readdirSync(tasks)) {
      const status = fs.readFileSync(join(tasks, task, 'status'), 'utf8');
      const line = (name: string): string =>
        new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
      const four = Array.from({ length: 4 }, () => nobody).join('\t');
      assert.deepEqual([line('Uid'), line('Gid')], [four, four]);
      assert.deepEqual([line('Groups'), /^0+$/.test(line('CapPrm'))], [String(nobody), true]);
    }
    assert.equal(await daemon.stop(), 0);
  },
);

test('root refuses a path whose names others can change', limits, async (t) => {
  const open = temporaryDirectory(t);
  fs.mkdirSync(join(open, 'data'), { mode: 0o700 });
  fs.chmodSync(open, 0o777);
  const rows: [directory: string, words: RegExp][] = [
    [join(open, 'data'), /other users can change: chown root .* && chmod go-w/],
    [join(open, 'new'), /other users can change: mkdir -p -m 700/],
  ];
  // Where all users share a directory, root must not take it from them.
  const shared = temporaryDirectory(t);
  fs.chmodSync(shared, 0o1777);
  rows.push([shared, /other users can change: use a directory of its own$/m]);
  rows.push([join(shared, 'new'), /other users can change: mkdir -p -m 700/]);
  const theirs = temporaryDirectory(t);
  fs.mkdirSync(join(theirs, 'data'));
  fs.chownSync(join(theirs, 'data'), 12_345, 12_345);
  fs.chownSync(theirs, nobody, nobody);
  rows.push([join(theirs, 'data'), /other users can change: run sudo -u '#12345' jobd/]);
  // Somebody who can rename in a directory of root's decides whose directory this is.
  fs.mkdirSync(join(open, 'service'));
  fs.chownSync(join(open, 'service'), 12_345, 12_345);
  rows.push([join(open, 'service'), /other users can change: run sudo -u '#12345' jobd/]);
  for (const [directory, words] of rows) {
    const { exitCode, stderr } = await jobd(['serve', '--port', '0', '--data', directory]);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, words);
    assert.ok(!fs.existsSync(join(directory, 'jobd.db')));
  }
});

test('root runs no executable that another user can change', limits, async (t) => {
  const directory = temporaryDirectory(t);
  const [named, ran] = [join(directory, 'jobd'), join(directory, 'ran')];
  fs.writeFileSync(named, `#!/bin/sh\ntouch ${ran}\necho 0.0.1\n`, { mode: 0o755 });
  for (const path of [named, directory]) {
    fs.chownSync(path, nobody, nobody);
    const { exitCode, stderr } = await jobd(
      ['upgrade', '--from', named, '--executable', named],
      {},
    );
    fs.chownSync(path, 0, 0);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^jobd: other users can change (\S+), so root does not run it: /);
    assert.ok(stderr.includes(named));
  }
  assert.ok(!fs.existsSync(ran));
});
