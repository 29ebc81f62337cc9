/** The native addon of the executable: where it is unpacked, and what is never loaded. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { executable, jobd, notPackaged } from '../support/running/executable.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import { makeStoreWithKey } from '../support/running/prepare.ts';
import { nobody, notRoot } from '../support/running/other-user.ts';

/** A data directory and a cache for one test, and the environment that names them. */
async function places(t: TestContext) {
  const directory = temporaryDirectory(t);
  const data = join(directory, 'data');
  const cache = join(directory, 'cache');
  for (const path of [data, cache]) fs.mkdirSync(path, { mode: 0o700 });
  await makeStoreWithKey(data);
  return {
    directory,
    native: join(data, 'native'),
    cached: join(cache, 'jobd'),
    env: { JOBD_DATA: data, XDG_CACHE_HOME: cache },
  };
}

/** Opens the store, which needs the addon. */
async function opens(env: Record<string, string>): Promise<void> {
  const { exitCode, stderr } = await jobd(['key', 'list'], env);
  assert.equal(exitCode, 0, stderr);
}

async function assertSentence(env: Record<string, string>, words: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await jobd(['key', 'list'], env);
  assert.deepEqual([exitCode, stdout], [1, ''], stderr);
  assert.match(stderr, /^jobd: [^\n]+\n$/);
  assert.match(stderr, words);
}

function only(directory: string): string {
  const names = fs.readdirSync(directory);
  assert.equal(names.length, 1, names.join(' '));
  return join(directory, names[0] ?? '');
}

describe('the native addon', { skip: notPackaged }, () => {
  test('is unpacked once, readable by its user only, under its hash, and reused', async (t) => {
    const { native, cached, env } = await places(t);
    await opens(env);
    const path = only(native);
    const { ino, mode } = fs.statSync(path);
    assert.match(path, /\/[0-9a-f]{64}\.node$/);
    assert.deepEqual([fs.statSync(native).mode & 0o777, mode & 0o777], [0o700, 0o500]);
    await opens(env);
    assert.equal(fs.statSync(path).ino, ino, 'it was written again');
    assert.ok(!fs.existsSync(cached));
  });

  test('is not unpacked by commands that need no store', async (t) => {
    const { directory, env } = await places(t);
    const key = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
    for (const args of [['--version'], ['--help'], ['jobs', 'list'], ['verify', 'a', 'b']]) {
      await jobd(args, { ...env, ...key });
    }
    assert.deepEqual(fs.readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted(), [
      'cache',
      'data',
      'data/jobd.db',
      'data/secret-key',
    ]);
  });

  test('replaces another file with its name', async (t) => {
    const { native, directory, env } = await places(t);
    await opens(env);
    const path = only(native);
    const genuine = fs.readFileSync(path);
    const elsewhere = join(directory, 'elsewhere');
    fs.writeFileSync(elsewhere, genuine);
    const plants: Record<string, () => void> = {
      'one byte differs': () =>
        fs.writeFileSync(path, genuine.with(70_000, 0xaa ^ (genuine[70_000] ?? 0)), {
          mode: 0o500,
        }),
      'nothing in it': () => fs.writeFileSync(path, '', { mode: 0o500 }),
      'others can write to it': () => {
        fs.writeFileSync(path, genuine);
        fs.chmodSync(path, 0o777);
      },
      'a link to the same bytes': () => fs.symlinkSync(elsewhere, path),
      'a pipe': () => assert.equal(spawnSync('mkfifo', ['-m', '700', path]).status, 0),
    };
    for (const [what, plant] of Object.entries(plants)) {
      fs.rmSync(path);
      plant();
      await opens(env);
      const { mode } = fs.lstatSync(path);
      assert.ok(fs.lstatSync(path).isFile() && (mode & 0o777) === 0o500, what);
      assert.ok(fs.readFileSync(path).equals(genuine), what);
    }
  });

  test('goes into the cache if the directory beside the database is not safe, and nowhere else', async (t) => {
    const { directory, native, cached, env } = await places(t);
    const elsewhere = join(directory, 'elsewhere');
    fs.mkdirSync(elsewhere);
    const unsafe: [words: RegExp, make: (path: string) => void][] = [
      [/it is not a directory, or a symbolic link/, (path) => fs.symlinkSync(elsewhere, path)],
      [/it is not a directory, or a symbolic link/, (path) => fs.writeFileSync(path, '')],
      [
        /can be written by other users/,
        (path) => {
          fs.mkdirSync(path);
          fs.chmodSync(path, 0o777);
        },
      ],
    ];
    for (const [words, make] of unsafe) {
      fs.rmSync(cached, { recursive: true, force: true });
      fs.rmSync(native, { recursive: true, force: true });
      make(native);
      await opens(env);
      only(cached);
      fs.rmSync(cached, { recursive: true });
      make(cached);
      await assertSentence(env, words);
    }
    assert.deepEqual(fs.readdirSync(elsewhere), []);
  });

  test('is unpacked into the cache for backups too', async (t) => {
    const { directory, native, cached, env } = await places(t);
    await opens(env);
    fs.rmSync(native, { recursive: true });
    fs.writeFileSync(native, '');
    const { exitCode, stderr } = await jobd(['backup', join(directory, 'kept.db')], env);
    assert.equal(exitCode, 0, stderr);
    only(cached);
  });

  test('is not loaded from a directory of another user', { skip: notRoot }, async (t) => {
    const { directory, native, cached, env } = await places(t);
    for (const path of [native, cached]) {
      fs.mkdirSync(path, { mode: 0o700 });
      fs.chownSync(path, nobody, nobody);
    }
    await assertSentence(env, /native: belongs to another user \(65534\).*cache\/jobd: belongs to/);
    fs.rmdirSync(native);
    fs.rmdirSync(cached);
    fs.chmodSync(directory, 0o755);
    const files = fs.readdirSync(env.JOBD_DATA).map((name) => join(env.JOBD_DATA, name));
    for (const path of [env.JOBD_DATA, ...files]) fs.chownSync(path, nobody, nobody);
    await opens(env);
    const { uid } = fs.statSync(native);
    assert.equal(uid, nobody, 'a directory of root’s would lock the service out');
    only(native);
  });

  const mounts: [what: string, options: string, words: RegExp][] = [
    ['mounted noexec', 'noexec', /it is mounted noexec; mount it with exec, or name another/],
    ['read-only', 'ro', /it is on a read-only file system/],
    ['full', 'size=1m', /the disk is full/],
  ];
  for (const [what, options, words] of mounts) {
    test(`reports that its directory is ${what}`, { skip: noNamespaces }, async (t) => {
      const { directory, native, cached, env } = await places(t);
      for (const path of [native, cached]) fs.mkdirSync(path, { mode: 0o700 });
      const mount = (path: string): string => `mount -t tmpfs -o ${options},mode=700 tmpfs ${path}`;
      const inside = await makeNamespace(t, mount(native));
      const run = () => {
        const args = [...inside.enter.slice(1), executable, 'key', 'list'];
        return spawnSync('nsenter', args, {
          env,
          cwd: directory,
          encoding: 'utf8',
          timeout: 60_000,
        });
      };
      assert.equal(run().status, 0, 'the cache would have done');
      inside.run(mount(cached));
      const { status, stderr } = run();
      assert.equal(status, 1);
      assert.match(stderr, /^jobd: [^\n]+\n$/);
      assert.match(stderr, words);
      if (options !== 'ro') {
        const left = fs.readdirSync(inside.outside(native));
        assert.ok(
          left.every((name) => name.endsWith('.node')),
          left.join(' '),
        );
      }
    });
  }

  test('is complete for each of many concurrent starts', async (t) => {
    const { native, env } = await places(t);
    await opens(env);
    fs.rmSync(only(native));
    await Promise.all(Array.from({ length: 20 }, () => opens(env)));
    only(native);
  });

  test('of old versions is removed, of recent ones kept', async (t) => {
    const { native, env } = await places(t);
    fs.mkdirSync(native, { mode: 0o700 });
    const now = Date.now() / 1_000;
    for (const [name, age] of [
      ['old.node', 31],
      ['killed.new', 31],
      ['lately.node', 29],
      ['other', 99],
    ] as const) {
      fs.writeFileSync(join(native, name), '');
      fs.utimesSync(join(native, name), now, now - age * 86_400);
    }
    await opens(env);
    const left = fs.readdirSync(native).filter((name) => !/^[0-9a-f]{64}/.test(name));
    assert.deepEqual(left.toSorted(), ['lately.node', 'other']);
  });
});
