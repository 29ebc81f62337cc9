/** `jobd backup --to`: names, what is removed, encryption; `jobd restore --identity`. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { makeStoreWithKey } from '../../support/running/prepare.ts';
import { startInstance } from '../../../src/store/accounts/instance.ts';

const instanceId = '5c0e1f7a';
const begun = Date.now();
const hasAge = spawnSync('age', ['--version']).status === 0;
const withoutAge = hasAge ? false : 'the program age is not installed';

/** A store with a key, as after its first start, and an empty directory. */
async function prepared(t: TestContext) {
  const [dataDir, to] = [temporaryDirectory(t), temporaryDirectory(t)];
  await makeStoreWithKey(dataDir);
  {
    await using local = await openTestLocal(dataDir);
    await startInstance(local.store, instanceId);
  }
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  return { dataDir, to, jobd };
}

async function keyPair(t: TestContext) {
  const identity = await generateX25519Identity();
  const file = join(temporaryDirectory(t), 'identity.txt');
  fs.writeFileSync(file, `# made for a test\n${identity}\n`, { mode: 0o600 });
  return { file, recipient: await identityToRecipient(identity) };
}

/** A name as of so many days ago. */
function nameOf(daysAgo: number, { id = instanceId, ending = 'db' } = {}): string {
  const time = new Date(begun - daysAgo * 86_400_000).toISOString();
  return `jobd-${id}-${time.replace(/[-:]|\.\d+/g, '')}.${ending}`;
}

test('--keep removes its own older backups, and nothing else', async (t) => {
  const { to, jobd } = await prepared(t);
  const first = await jobd('backup', '--to', to, '--json');
  assert.equal(first.exitCode, 0, first.stderr);
  const made = JSON.parse(first.stdout).path as string;
  assert.match(basename(made), /^jobd-5c0e1f7a-\d{8}T\d{6}Z\.db$/);
  assert.equal(fs.statSync(made).mode & 0o777, 0o600);
  const old = [8, 9, 10].map((days) => nameOf(days));
  for (const name of old) fs.copyFileSync(made, join(to, name));
  fs.renameSync(made, join(to, nameOf(1)));
  const others = [
    nameOf(30, { id: '00000000' }),
    nameOf(30, { ending: 'db.gz' }),
    `copy-${nameOf(30)}`,
    `.${nameOf(30)}.x`,
  ];
  for (const name of others) fs.copyFileSync(join(to, old[0] ?? ''), join(to, name));
  const noBackups = [nameOf(31), nameOf(32, { ending: 'db.age' }), nameOf(33), nameOf(34)];
  fs.writeFileSync(join(to, noBackups[0] ?? ''), 'letters to a friend');
  fs.writeFileSync(join(to, noBackups[1] ?? ''), 'SQLite format 3\0');
  fs.symlinkSync(join(to, old[0] ?? ''), join(to, noBackups[2] ?? ''));
  fs.mkdirSync(join(to, noBackups[3] ?? ''));

  const { exitCode, stdout, stderr } = await jobd('backup', '--to', to, '--keep', '7d');
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /3 older backups removed: /);
  const left = [nameOf(1), basename(stdout.trim()), ...others, ...noBackups];
  assert.deepEqual(fs.readdirSync(to).toSorted(), left.toSorted());
});

test('nothing is removed when a backup fails, and a draft of one that was killed goes', async (t) => {
  const { dataDir, to, jobd } = await prepared(t);
  const { stdout } = await jobd('backup', '--to', to);
  fs.renameSync(stdout.trim(), join(to, nameOf(9)));
  fs.copyFileSync(join(to, nameOf(9)), join(to, nameOf(10)));
  const drafts = [join(to, `.${nameOf(1)}.4711`), join(dataDir, `.${nameOf(1)}.4711.copy`)];
  for (const draft of drafts) fs.writeFileSync(draft, 'half');

  const database = new Database(join(dataDir, 'backup.lock'));
  database.exec('begin exclusive');
  const busy = await jobd('backup', '--to', to, '--keep', '1');
  assert.deepEqual([busy.exitCode, fs.readdirSync(to).length], [5, 3], busy.stderr);
  assert.match(busy.stderr, /another backup of .* is under way: wait for it/);
  database.close();

  fs.renameSync(join(dataDir, 'jobd.db'), join(dataDir, 'moved.db'));
  fs.writeFileSync(join(dataDir, 'jobd.db'), 'no database at all, but not empty');
  const failed = await jobd('backup', '--to', to, '--keep', '1');
  assert.deepEqual([failed.exitCode, fs.readdirSync(to).length], [1, 3], failed.stderr);

  fs.renameSync(join(dataDir, 'moved.db'), join(dataDir, 'jobd.db'));
  const made = await jobd('backup', '--to', to, '--keep', '1');
  assert.deepEqual(fs.readdirSync(to), [basename(made.stdout.trim())], made.stderr);
  for (const draft of drafts) assert.ok(!fs.existsSync(draft), draft);
});

test('a directory is made, but not the one above it; a file in its place is refused', async (t) => {
  const { to, jobd } = await prepared(t);
  assert.equal((await jobd('backup', '--to', join(to, 'new'))).exitCode, 0);
  assert.equal(fs.statSync(join(to, 'new')).mode & 0o777, 0o700);
  const deep = await jobd('backup', '--to', join(to, 'not mounted', 'new'));
  assert.equal(deep.exitCode, 1);
  assert.match(deep.stderr, /cannot be made: the directory above it is missing/);
  fs.writeFileSync(join(to, 'file'), '');
  const file = await jobd('backup', '--to', join(to, 'file'));
  assert.match(file.stderr, /file is not a directory/);
});

test('what is asked for in vain is said in words', async (t) => {
  const { to, jobd } = await prepared(t);
  const rows: [string[], RegExp][] = [
    [[], /name a file to write, or a directory with --to/],
    [['x.db', '--to', to], /either a file, or --to DIR/],
    [['x.db', '--keep', '7d'], /--keep needs --to DIR/],
    [['--to', ''], /--to has nothing in it/],
    [['--to', to, '--keep', '0'], /--keep must be a duration such as 7d or 12h, or how many/],
    [['--to', to, '--keep', '1w'], /--keep must be .*, got 1w/],
    [['--to', to, '--recipient', 'age1x'], /--recipient must be a recipient/],
  ];
  for (const [args, words] of rows) {
    const { exitCode, stderr } = await jobd('backup', ...args);
    assert.equal(exitCode, 2, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, words);
  }
  assert.deepEqual(fs.readdirSync(to), []);
});

test('a backup that a restore would refuse is made with a warning', async (t) => {
  const { dataDir, to, jobd } = await prepared(t);
  new Database(join(dataDir, 'jobd.db')).exec('create table _strange_seq (seq integer)').close();
  const { exitCode, stdout, stderr } = await jobd('backup', '--to', to);
  assert.equal(exitCode, 0, stderr);
  assert.match(
    stderr,
    /^warning: jobd restore will refuse it: jobd did not make the table _strange_seq/m,
  );
  const refused = await jobd('restore', stdout.trim(), '--yes');
  assert.match(refused.stderr, /jobd did not make the table _strange_seq/);
});

test('an encrypted backup is restored with its identity only, and only if it is whole', async (t) => {
  const { dataDir, to, jobd } = await prepared(t);
  const [own, other] = [await keyPair(t), await keyPair(t)];
  const made = await jobd('backup', '--to', to, '--recipient', own.recipient, '--json');
  assert.equal(made.exitCode, 0, made.stderr);
  const { path: file, bytes, isEncrypted } = JSON.parse(made.stdout);
  assert.deepEqual([isEncrypted, bytes], [true, fs.statSync(file).size]);
  const content = fs.readFileSync(file);
  assert.ok(!content.includes('default') && !content.includes('SQLite'), 'nothing can be read');
  assert.deepEqual(fs.readdirSync(to), [basename(file)]);

  const before = fs.readFileSync(join(dataDir, 'jobd.db'));
  const files = new Set(fs.readdirSync(dataDir).toSorted());
  const copy = join(to, 'copy.age');
  const rows: [Uint8Array, string[], RegExp][] = [
    [content, [], /it is encrypted; name the file .*: --identity FILE/],
    [content, ['--identity', other.file], /it was not encrypted for the identity/],
    [content, ['--identity', copy], /--identity|is encrypted itself/],
    [content, ['--identity', '/nowhere'], /--identity: there is no file \/nowhere/],
    [content.subarray(0, -70_000), ['--identity', own.file], /it was changed, or cut off/],
    [content.with(9_000, 1 ^ (content[9_000] ?? 0)), ['--identity', own.file], /it was changed/],
  ];
  for (const [changed, args, words] of rows) {
    fs.writeFileSync(copy, changed);
    const { exitCode, stderr } = await jobd('restore', copy, '--yes', ...args);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, words);
  }
  assert.deepEqual(fs.readFileSync(join(dataDir, 'jobd.db')), before);
  const added = fs.readdirSync(dataDir).filter((name) => !files.has(name));
  assert.deepEqual(
    added.filter((name) => !/\.(lock|pid)$/.test(name)),
    [],
  );
  const restored = await jobd('restore', file, '--yes', '--identity', own.file, '--json');
  assert.equal(restored.exitCode, 0, restored.stderr);
  assert.equal(JSON.parse(restored.stdout).verified, true);
});

test(
  'age decrypts what jobd encrypts, and jobd what age encrypts',
  { skip: withoutAge },
  async (t) => {
    const { to, jobd } = await prepared(t);
    const file = join(temporaryDirectory(t), 'identity.txt');
    execFileSync('age-keygen', ['-o', file], { stdio: 'ignore' });
    const recipient = execFileSync('age-keygen', ['-y', file], { encoding: 'utf8' }).trim();
    const { stdout, stderr } = await jobd('backup', '--to', to, '--recipient', recipient);
    const plain = join(to, 'plain.db');
    execFileSync('age', ['-d', '-i', file, '-o', plain, stdout.trim()]);
    assert.match(fs.readFileSync(plain, 'latin1'), /\njobd backup v1 [0-9a-f]{16} [0-9a-f]{64}\n$/);
    const again = join(to, 'again.age');
    execFileSync('age', ['-r', recipient, '-o', again, plain]);
    for (const encrypted of [stdout.trim(), again]) {
      const restored = await jobd('restore', encrypted, '--yes', '--identity', file, '--json');
      assert.equal(restored.exitCode, 0, stderr + restored.stderr);
      assert.equal(JSON.parse(restored.stdout).verified, true);
    }
  },
);

test('a backup whose receipts were changed is restored only with --unverified', async (t) => {
  const { jobd, dataDir, ...daemon } = await serveCommand(t);
  const to = temporaryDirectory(t);
  const sink = await startSink(t);
  await jobd('jobs', 'create', '--name', 'kept', '--url', sink.url, '--cron', '0 0 1 1 *');
  assert.equal((await jobd('jobs', 'run', 'kept', '--wait')).exitCode, 0);
  // Downloading it signs it.
  assert.equal((await jobd('runs', 'receipt', 'kept', 'latest')).exitCode, 0);
  const sound = join(to, 'sound.db');
  assert.equal((await jobd('backup', sound)).exitCode, 0);
  await daemon.stop('SIGTERM');
  const restored = await jobd('restore', sound, '--yes');
  assert.match(restored.stderr, /checked 1 receipt: all are valid/);

  const change = `update receipts set receipt = replace(receipt, '"attempts":1', '"attempts":2')`;
  new Database(join(dataDir, 'jobd.db')).exec(change).close();
  const changed = join(to, 'changed.db');
  assert.equal((await jobd('backup', changed)).exitCode, 0);
  const refused = await jobd('restore', changed, '--yes');
  assert.match(
    refused.stderr,
    /was not restored: the receipt of run .* is not valid: its signature/,
  );
  assert.match(refused.stderr, /use --unverified/);
  const forced = await jobd('restore', changed, '--yes', '--unverified');
  assert.equal(forced.exitCode, 0, forced.stderr);
  assert.match(forced.stderr, /^warning: the receipt of run .* is not valid/m);
});
