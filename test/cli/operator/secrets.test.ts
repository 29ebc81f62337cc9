/** `jobd secrets rotate`, with and without a running daemon; and a start without the right key. */

import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { lockMasterKey } from '../../../src/store/sqlite/lock.ts';
import { runCommand, serveCommand, type ServedDaemon } from '../../support/running/command.ts';
import { makeStore } from '../../support/running/prepare.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';

const [first = '', second = ''] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

async function create({ jobd }: ServedDaemon, name: string, url: string): Promise<void> {
  const when = ['--cron', '0 0 1 1 *', '--method', 'POST', '--data', 'a body'];
  const header = ['--header', `X-Key: key of ${name}`];
  const made = await jobd('jobs', 'create', '--name', name, '--url', url, ...when, ...header);
  assert.equal(made.exitCode, 0, made.stderr);
}

test('a running daemon continues during a rotation, with old jobs, new jobs and receipts', async (t) => {
  const daemon = await serveCommand(t);
  const { jobd, dataDir } = daemon;
  const sink = await startSink(t);
  await create(daemon, 'old', sink.url);
  const keyFile = join(dataDir, 'secret-key');
  const before = readFileSync(keyFile, 'utf8');

  const rotated = await jobd('secrets', 'rotate', '--yes', '--json');
  assert.equal(rotated.exitCode, 0, rotated.stderr);
  const { keyId, resealed, retired } = JSON.parse(rotated.stdout);
  assert.deepEqual([resealed, retired.length], [3, 1]);
  assert.notEqual(readFileSync(keyFile, 'utf8'), before);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);

  await create(daemon, 'new', sink.url);
  for (const name of ['old', 'new']) {
    const run = await jobd('jobs', 'run', name, '--wait', '--json');
    assert.equal(run.exitCode, 0, run.stderr);
    const { run: ended } = JSON.parse(run.stdout);
    assert.equal((await jobd('runs', 'receipt', name, ended.id)).exitCode, 0);
  }
  assert.deepEqual(
    sink.received.map(({ headers, body }) => [headers['x-key'], body]),
    [
      ['key of old', 'a body'],
      ['key of new', 'a body'],
    ],
  );
  await using local = await openTestLocal(dataDir);
  const rows = await local.store.db.selectFrom('jobs').select('sealed').execute();
  assert.deepEqual(
    rows.map(({ sealed }) => sealed?.split('.', 2)[1]),
    [keyId, keyId],
  );
  assert.equal((await jobd('signing-key', 'rotate', '--yes')).exitCode, 0);
  assert.equal((await daemon.stop('SIGTERM')).exitCode, 0);
});

test('rotate refuses without confirmation or a new key, beside a daemon that has the old key, and twice at a time', async (t) => {
  const daemon = await serveCommand(t);
  const data = { JOBD_DATA: daemon.dataDir };
  const rotate = (env: Record<string, string>, ...flags: string[]) =>
    runCommand(['secrets', 'rotate', ...flags], { ...data, ...env });
  const unasked = await rotate({});
  assert.deepEqual([unasked.exitCode, unasked.stdout], [2, '']);
  assert.match(unasked.stderr, /Use --yes/);

  const served = await rotate({ JOBD_SECRET_KEY_NEW: first }, '--yes');
  assert.equal(served.exitCode, 5);
  assert.match(served.stderr, /another jobd \(process \d+\) already serves .*, stop it first/);

  const noNext = await rotate({ JOBD_SECRET_KEY: first }, '--yes');
  assert.equal(noNext.exitCode, 2);
  assert.match(noNext.stderr, /put the new key in JOBD_SECRET_KEY_NEW/);

  using locks = new DisposableStack();
  locks.use(lockMasterKey(daemon.dataDir));
  const twice = await rotate({}, '--yes');
  assert.equal(twice.exitCode, 5);
  assert.match(twice.stderr, /another process is changing the master key/);
});

test('a key in the environment is changed there', async (t) => {
  const dataDir = temporaryDirectory(t);
  const data = { JOBD_DATA: dataDir };
  await makeStore(dataDir);
  const made = await runCommand(['signing-key', 'rotate', '--yes'], {
    ...data,
    JOBD_SECRET_KEY: first,
  });
  assert.equal(made.exitCode, 0, made.stderr);
  const rotated = await runCommand(['secrets', 'rotate', '--yes'], {
    ...data,
    JOBD_SECRET_KEY: first,
    JOBD_SECRET_KEY_NEW: second,
  });
  assert.equal(rotated.exitCode, 0, rotated.stderr);
  assert.match(rotated.stderr, /start jobd with the new key in JOBD_SECRET_KEY$/m);
  assert.match(rotated.stderr, /earlier backups need the old master key [0-9a-f]{16}: keep/);
  assert.throws(() => statSync(join(dataDir, 'secret-key')), 'no key was written to a file');
  const needed = rotated.stdout.trim();
  const starts: [Record<string, string>, number, RegExp][] = [
    [{ JOBD_SECRET_KEY: first }, 1, new RegExp(`key of this store is ${needed}, but in JOBD_`)],
    [{}, 1, new RegExp(`key of this store is ${needed}, but in .*secret-key there is none`)],
    [{ JOBD_SECRET_KEY: 'canary' }, 2, /JOBD_SECRET_KEY must be 32 random bytes/],
  ];
  for (const [env, exitCode, words] of starts) {
    const refused = await runCommand(['serve', '--port', '0'], { ...data, ...env });
    assert.equal(refused.exitCode, exitCode);
    assert.match(refused.stderr, /^jobd: [^\n]+\n(?:  [^\n]+\n)*$/, 'one sentence, and what to do');
    assert.match(refused.stderr, words);
    assert.doesNotMatch(refused.stderr, /canary/);
  }
  assert.throws(() => statSync(join(dataDir, 'secret-key')), 'nothing was written');

  const file = join(temporaryDirectory(t), 'next');
  writeFileSync(file, first);
  const keys = { JOBD_SECRET_KEY: second, JOBD_SECRET_KEY_NEW_FILE: file };
  const inFile = await runCommand(['secrets', 'rotate', '--yes'], { ...data, ...keys });
  assert.match(inFile.stderr, /start jobd with the new key in JOBD_SECRET_KEY_FILE$/m);
});

test('keys can be listed while the master key is lost', async (t) => {
  const daemon = await serveCommand(t);
  assert.equal((await daemon.stop('SIGTERM')).exitCode, 0);
  rmSync(join(daemon.dataDir, 'secret-key'));
  const listed = await runCommand(['key', 'list'], { JOBD_DATA: daemon.dataDir });
  assert.equal(listed.exitCode, 0, listed.stderr);
});
