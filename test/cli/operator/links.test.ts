/** Symbolic links in the paths that root is given: only those of root, and of the owner of the data, lead it. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemCode } from '../../../src/domain/errors.ts';
import { followLinks } from '../../../src/cli/operator/links.ts';
import { readRootsFile, rootsName, rootsNewName } from '../../../src/cli/operator/roots-files.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand } from '../../support/running/command.ts';
import { makeStore, makeStoreWithKey } from '../../support/running/prepare.ts';
import { nobody, notRoot } from '../../support/running/other-user.ts';

const third = 12_345;

function makeLink(path: string, target: string, uid = 0): string {
  fs.symlinkSync(target, path);
  fs.lchownSync(path, uid, uid);
  return path;
}

function giveAll(directory: string, uid: number): void {
  for (const path of ['.', ...fs.readdirSync(directory)]) {
    fs.lchownSync(join(directory, path), uid, uid);
  }
}

/** A directory that only root can open with a database in it, and two data directories of other users. */
async function prepare(t: TestContext) {
  const base = temporaryDirectory(t);
  fs.chmodSync(base, 0o755);
  const at = (...parts: string[]): string => join(base, ...parts);
  for (const name of ['data', 'other', 'private']) fs.mkdirSync(at(name), { mode: 0o700 });
  for (const name of ['data', 'other']) await makeStoreWithKey(at(name));
  await makeStore(at('private'));
  giveAll(at('data'), nobody);
  giveAll(at('other'), third);
  const run = (...args: string[]) => runCommand(args, { JOBD_DATA: at('data'), HOME: base });
  return { at, data: at('data'), run };
}

test('links are followed as the system does', (t) => {
  const base = fs.realpathSync(temporaryDirectory(t));
  const at = (...parts: string[]): string => join(base, ...parts);
  fs.mkdirSync(at('a', 'b'), { recursive: true });
  fs.writeFileSync(at('a', 'file'), '');
  fs.symlinkSync('a/b', at('down'));
  fs.symlinkSync('../file', at('a', 'b', 'up'));
  fs.symlinkSync(at('down', 'up'), at('chain'));
  fs.symlinkSync('absent/x', at('dangling'));
  const follow = (path: string) => {
    const { path: found, present, links } = followLinks(path);
    return [found, present, links].flat().map((each) => relative(base, each));
  };
  assert.deepEqual(follow(at('a', 'file')), ['a/file', 'a/file']);
  assert.deepEqual(follow(at('chain')), ['a/file', 'a/file', 'chain', 'down', 'a/b/up']);
  assert.deepEqual(follow(`${at('down')}/../file`), ['a/file', 'a/file', 'down']);
  assert.deepEqual(follow(`${at('down')}//./new/x/`), ['a/b/new/x', 'a/b', 'down']);
  assert.deepEqual(follow(at('dangling')), ['absent/x', '', 'dangling']);
  assert.equal(followLinks('.').path, fs.realpathSync('.'));
  assert.equal(followLinks('src/../package.json').path, fs.realpathSync('package.json'));
  assert.throws(() => followLinks(at('a', 'file', 'x')), {
    message: `${at('a', 'file')} is not a directory`,
  });

  // 40 links, as in Linux.
  for (let index = 0; index < 41; index += 1) {
    fs.symlinkSync(index === 0 ? 'a' : `link${index - 1}`, at(`link${index}`));
  }
  assert.equal(followLinks(at('link39')).path, at('a'));
  const sentence = 'leads through more than 40 symbolic links: name what it should lead to';
  fs.symlinkSync('loop', at('loop'));
  for (const name of ['link40', 'loop']) {
    assert.throws(() => followLinks(at(name)), { message: `${at(name)} ${sentence}` });
  }
});

/** Where a path leads; null if the system itself refuses to follow a link in a sticky directory (fs.protected_symlinks). */
function systemsName(path: string): string | null {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    assert.equal(systemCode(error), 'EACCES');
    return null;
  }
}

test('root opens by itself only what no link of another user leads to', { skip: notRoot }, (t) => {
  const base = temporaryDirectory(t);
  const at = (...parts: string[]): string => join(base, ...parts);
  for (const name of ['mine', 'theirs', 'sticky', 'shared', 'group', 'away'])
    fs.mkdirSync(at(name));
  const file = at('mine', 'file');
  fs.writeFileSync(file, 'text', { mode: 0o600 });
  fs.chownSync(at('theirs'), nobody, nobody);
  fs.chmodSync(at('sticky'), 0o1777);
  fs.chmodSync(at('shared'), 0o777);
  fs.chownSync(at('group'), 0, nobody);
  fs.chmodSync(at('group'), 0o775);
  fs.mkdirSync(at('sticky', 'mine'));

  const led: [path: string, why: string][] = [
    [file, 'no link'],
    [makeLink(at('to-file'), file), 'a link of root'],
    [makeLink(at('mine', 'relative'), '../mine/./file'), 'a relative link'],
    [makeLink(at('chain'), 'to-file'), 'a link to a link'],
    [join(makeLink(at('to-mine'), at('mine')), 'file'), 'a link in the middle'],
    [makeLink(at('sticky', 'mine', 'link'), file), 'names stay below a sticky directory'],
  ];
  for (const [path, why] of led) {
    assert.equal(rootsName(path), fs.realpathSync(file), why);
    assert.equal(readRootsFile(path), 'text', why);
  }
  makeLink(at('theirs', 'dir'), at('mine'), nobody);
  makeLink(at('away', 'to-theirs'), '../theirs');
  const notLed: [path: string, why: string][] = [
    [makeLink(at('theirs', 'f'), file, nobody), 'a link of another user'],
    [makeLink(at('theirs', 'r'), '../mine/file', nobody), 'a relative link of another user'],
    [makeLink(at('theirs', 'of-root'), file), 'they can replace it'],
    [makeLink(at('sticky', 'f'), file, nobody), 'a link in a sticky directory'],
    [makeLink(at('sticky', 'of-root'), file), 'root may not have put it there'],
    [makeLink(at('shared', 'f'), file), 'a directory that is open to all'],
    [makeLink(at('group', 'f'), file), 'a directory that is open to a group'],
    [makeLink(at('odd'), file, nobody), "a link of another user in root's directory"],
    [makeLink(at('to-theirs'), 'theirs/f'), 'a link of root to a link of another user'],
    [at('theirs', 'dir', 'file'), 'a link in the middle'],
    [join(at('away', 'to-theirs'), 'dir', 'file'), 'two links in the middle'],
  ];
  for (const [path, why] of notLed) {
    assert.ok([fs.realpathSync(file), null].includes(systemsName(path)), why);
    assert.equal(rootsName(path), null, why);
    assert.equal(readRootsFile(path), null, why);
  }
  // As the system: `..` is above what the link leads to.
  assert.equal(rootsName(`${at('theirs', 'dir')}/../mine/file`), null);

  assert.equal(rootsNewName(join(at('to-mine'), 'new')), join(fs.realpathSync(at('mine')), 'new'));
  assert.equal(rootsNewName(at('theirs', 'dir', 'new')), null);
  assert.equal(rootsNewName(at('theirs', 'new')), null);
  const dangling = makeLink(at('mine', 'dangling'), at('theirs', 'new'));
  assert.equal(
    rootsNewName(dangling),
    join(fs.realpathSync(at('mine')), 'dangling'),
    'the name itself',
  );
});

test(
  'a link of the owner of the data leads no backup of root elsewhere',
  { skip: notRoot },
  async (t) => {
    const { at, data, run } = await prepare(t);
    fs.mkdirSync(at('tmp'));
    fs.chmodSync(at('tmp'), 0o1777);
    const before = fs.readdirSync(at('private'));
    for (const link of [
      makeLink(join(data, 'backups'), at('private'), nobody),
      makeLink(join(data, 'up'), '../private', nobody),
      makeLink(at('tmp', 'link'), at('private'), nobody),
      makeLink(at('tmp', 'third'), at('private'), third),
    ]) {
      const file = join(link, 'x.db');
      const { exitCode, stderr } = await run('backup', file);
      assert.equal(exitCode, 1, stderr);
      assert.ok(stderr.startsWith(`jobd: ${file} cannot be written: `), stderr);
    }
    assert.deepEqual(fs.readdirSync(at('private')), before);
    // Where root stays root, nobody else can write the file.
    const refused = await run('backup', join(at('tmp', 'link'), 'x.db'), '--data', at('private'));
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /root does not follow the link \S+\/tmp\/link, which other users/);
    assert.deepEqual(fs.readdirSync(at('private')), before);

    const led = join(makeLink(at('to-private'), 'private'), 'kept.db');
    const made = await run('backup', led);
    assert.equal(made.exitCode, 0, made.stderr);
    assert.equal(fs.statSync(at('private', 'kept.db')).uid, 0);
    makeLink(at('private', 'dangling.db'), at('private', 'nothing.db'));
    const taken = await run('backup', at('private', 'dangling.db'));
    assert.equal(taken.exitCode, 5, 'a link is a name that is taken');
    assert.ok(!fs.existsSync(at('private', 'nothing.db')));
  },
);

test(
  'a link of the owner of the data shows a restore of root no file of others',
  { skip: notRoot },
  async (t) => {
    const { at, data, run } = await prepare(t);
    const secret = at('private', 'jobd.db');
    const kept = fs.readFileSync(join(data, 'jobd.db'));
    const options = ['--yes', '--unverified', '--without-key'];
    for (const link of [
      makeLink(join(data, 'f.db'), secret, nobody),
      makeLink(join(data, 'of-root.db'), secret),
      join(makeLink(join(data, 'dir'), '../private', nobody), 'jobd.db'),
    ]) {
      const { exitCode, stderr } = await run('restore', link, ...options);
      assert.equal(exitCode, 1, stderr);
      assert.equal(stderr, `jobd: the owner of the data directory may not read ${link}\n`);
      assert.deepEqual(fs.readFileSync(join(data, 'jobd.db')), kept);
      assert.ok(!fs.existsSync(join(data, 'jobd.db.restored')));
    }
    // A log beside the file is opened in the same way.
    fs.copyFileSync(secret, at('private', 'b.db'));
    makeLink(at('private', 'b.db-wal'), join(data, 'f.db'));
    const byLog = await run('restore', at('private', 'b.db'), ...options);
    assert.equal(byLog.exitCode, 1, byLog.stderr);
    assert.match(byLog.stderr, /root does not follow the link \S+\/data\/f\.db, which other users/);

    // Root in its own data: the link leads nowhere, a file of others is only a file.
    const byRoot = await run('restore', join(data, 'f.db'), ...options, '--data', at('private'));
    assert.equal(byRoot.exitCode, 1);
    assert.match(byRoot.stderr, /other users can change: name the file itself\n$/);
    const file = join(data, 'plain.db');
    fs.copyFileSync(secret, file);
    const plain = await run('restore', file, ...options, '--data', at('private'));
    assert.equal(plain.exitCode, 0, plain.stderr);

    const led = await run('restore', makeLink(at('to-secret'), secret), ...options);
    assert.equal(led.exitCode, 0, led.stderr);
  },
);

test(
  'root enters a data directory by links of root and of its owner only',
  { skip: notRoot },
  async (t) => {
    const { at, data, run } = await prepare(t);
    fs.chmodSync(data, 0o755);
    fs.mkdirSync(at('tmp'));
    fs.chmodSync(at('tmp'), 0o1777);
    fs.mkdirSync(at('open'));
    fs.chownSync(at('open'), third, third);
    fs.chmodSync(at('open'), 0o777);
    const before = fs.readdirSync(at('other'));
    for (const link of [
      makeLink(join(data, 'dlink'), at('other'), nobody),
      makeLink(join(data, 'relative'), '../other', nobody),
      makeLink(join(data, 'to-root'), at('private'), nobody),
      makeLink(join(data, 'of-third'), at('other'), third),
      makeLink(at('tmp', 'link'), at('other'), nobody),
      makeLink(at('tmp', 'of-owner'), at('other'), third),
      makeLink(at('open', 'of-owner'), at('other'), third),
    ]) {
      const { exitCode, stdout, stderr } = await run('key', 'create', '--data', link);
      assert.deepEqual([exitCode, stdout], [1, ''], `${link}: ${stderr}`);
      const name = fs.realpathSync(join(link, '..'));
      assert.ok(
        stderr.startsWith(`jobd: root does not follow the link ${name}/`) &&
          stderr.endsWith(', which other users can change: name the directory itself\n'),
        stderr,
      );
    }
    const chain = makeLink(at('chain'), 'data/dlink');
    const { stderr } = await run('key', 'list', '--data', chain);
    assert.match(stderr, /the link \S+\/data\/dlink, which/, 'the link that is not trusted');
    assert.deepEqual(fs.readdirSync(at('other')), before);

    fs.mkdirSync(at('home'));
    fs.chownSync(at('home'), third, third);
    const ofOwner = makeLink(at('home', 'link'), '../other', third);
    for (const link of [makeLink(at('of-root'), 'other'), ofOwner, makeLink(at('both'), ofOwner)]) {
      const made = await run('key', 'create', '--name', link, '--data', link);
      assert.equal(made.exitCode, 0, made.stderr);
    }
    for (const name of fs.readdirSync(at('other'))) {
      assert.equal(fs.lstatSync(at('other', name)).uid, third, name);
    }
  },
);
