/** Backups and databases that somebody changed: `jobd restore`, a start and `jobd doctor` notice it. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { runCommand } from '../../support/running/command.ts';
import { makeStoreWithKey } from '../../support/running/prepare.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const proofBytes = 98;
const trigger =
  'create trigger immortal after update of revoked_at on keys begin update keys set revoked_at = null; end';

/** A store with a master key and a backup of it. */
async function backedUp(t: TestContext) {
  const [dataDir, elsewhere] = [temporaryDirectory(t), temporaryDirectory(t)];
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  const file = join(elsewhere, 'kept.db');
  await makeStoreWithKey(dataDir);
  const { exitCode, stderr } = await jobd('backup', file);
  assert.equal(exitCode, 0, stderr);
  return { jobd, dataDir, elsewhere, file };
}

function change(path: string, statements: string): void {
  new Database(path).exec(statements).close();
}

test('a backup is a normal SQLite database with its proof appended', async (t) => {
  const { file } = await backedUp(t);
  const end = fs.readFileSync(file).subarray(-proofBytes).toString('latin1');
  assert.match(end, /^\njobd backup v1 [0-9a-f]{16} [0-9a-f]{64}\n$/);
  const database = new Database(file, { readonly: true });
  t.after(() => database.close());
  assert.deepEqual(database.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
  assert.equal(database.prepare('select count(*) from keys').pluck().get(), 1);
});

test('a changed backup is restored only with --unverified', async (t) => {
  const { jobd, dataDir, elsewhere, file } = await backedUp(t);
  const before = fs.readFileSync(join(dataDir, 'jobd.db'));
  const copy = join(elsewhere, 'copy.db');
  const bytes = fs.readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  const changes: [string, RegExp, () => void][] = [
    ['a row', /changed or damaged since/, () => change(copy, "update workspaces set name = 'x'")],
    [
      'a bit',
      /changed or damaged since/,
      () => fs.writeFileSync(copy, bytes.with(at, 1 ^ (bytes[at] ?? 0))),
    ],
    [
      'its code',
      /changed or damaged since/,
      () => fs.writeFileSync(copy, bytes.with(bytes.length - 2, bytes.at(-2) === 48 ? 49 : 48)),
    ],
    ['its end', /nothing proves/, () => fs.writeFileSync(copy, bytes.subarray(0, -proofBytes))],
    ['its last byte', /nothing proves/, () => fs.writeFileSync(copy, bytes.subarray(0, -1))],
    ['what follows', /nothing proves/, () => fs.appendFileSync(copy, 'x')],
  ];
  for (const [what, words, make] of changes) {
    fs.copyFileSync(file, copy);
    make();
    const { exitCode, stderr } = await jobd('restore', copy, '--yes');
    assert.deepEqual([exitCode, words.test(stderr)], [1, true], `${what}: ${stderr}`);
    assert.match(stderr, /use --unverified/);
  }
  assert.deepEqual(fs.readFileSync(join(dataDir, 'jobd.db')), before);
  assert.deepEqual(
    fs.readdirSync(dataDir).filter((name) => name.includes('restored')),
    [],
  );
  fs.copyFileSync(file, copy);
  change(copy, "update workspaces set name = 'x'");
  const forced = await jobd('restore', copy, '--yes', '--unverified');
  assert.equal(forced.exitCode, 0, forced.stderr);
  assert.match(forced.stderr, /could not check whether this backup was changed/);
  const sound = await jobd('restore', file, '--yes', '--json');
  assert.equal(JSON.parse(sound.stdout).verified, true, sound.stderr);
});

test('a backup without its end is called damaged at once, and not restored for any option', async (t) => {
  const { jobd, file } = await backedUp(t);
  fs.truncateSync(file, fs.statSync(file).size - proofBytes - 1);
  for (const option of ['--yes', '--unverified']) {
    const { exitCode, stderr } = await jobd('restore', file, option);
    const words = `jobd: ${file} is damaged: it was not restored, nothing was changed\n`;
    assert.deepEqual([exitCode, stderr], [1, words]);
  }
});

test('a compressed backup is called that, not another file', async (t) => {
  const { jobd, file } = await backedUp(t);
  fs.writeFileSync(`${file}.gz`, gzipSync(fs.readFileSync(file)));
  const { exitCode, stderr } = await jobd('restore', `${file}.gz`, '--yes');
  const words = `jobd: ${file}.gz cannot be read: it is compressed: gunzip it first\n`;
  assert.deepEqual([exitCode, stderr], [1, words]);
});

test('a backup whose proof names an unknown key counts as changed', async (t) => {
  const { jobd, elsewhere, file } = await backedUp(t);
  const copy = join(elsewhere, 'copy.db');
  const bytes = fs.readFileSync(file);
  bytes.write('0123456789abcdef', bytes.length - proofBytes + '\njobd backup v1 '.length);
  fs.writeFileSync(copy, bytes);
  const { exitCode, stderr } = await jobd('restore', copy, '--yes', '--without-key');
  assert.equal(exitCode, 1);
  assert.match(stderr, /changed or damaged since/);
});

test('the proof is checked before SQLite reads the backup', async (t) => {
  const { jobd, elsewhere, file } = await backedUp(t);
  const copy = join(elsewhere, 'copy.db');
  const bytes = fs.readFileSync(file);
  // The header contains the number of pages.
  bytes.writeUInt32BE(1, 28);
  fs.writeFileSync(copy, bytes);
  const { exitCode, stderr } = await jobd('restore', copy, '--yes');
  assert.deepEqual([exitCode, /changed or damaged since/.test(stderr)], [1, true], stderr);
});

test('the log beside a copied database is restored with it; a log beside a proven backup is ignored', async (t) => {
  const { jobd, dataDir, elsewhere, file } = await backedUp(t);
  const open = new Database(join(dataDir, 'jobd.db'));
  open.exec("update workspaces set name = 'in the log'");
  const copy = join(elsewhere, 'copied.db');
  for (const part of ['', '-wal']) fs.copyFileSync(join(dataDir, `jobd.db${part}`), copy + part);
  fs.copyFileSync(`${copy}-wal`, `${file}-wal`);
  open.close();
  const names = async (): Promise<string> => (await jobd('workspace', 'list')).stdout;
  assert.equal((await jobd('restore', file, '--yes')).exitCode, 0);
  assert.match(await names(), /^default\t/m);
  const copied = await jobd('restore', copy, '--yes', '--unverified');
  assert.equal(copied.exitCode, 0, copied.stderr);
  assert.match(await names(), /^in the log\t/m);
});

test('a backup can be made without the master key, and says that it has no proof', async (t) => {
  const { dataDir, elsewhere } = await backedUp(t);
  const key = join(dataDir, 'secret-key');
  fs.renameSync(key, join(elsewhere, 'secret-key'));
  const file = join(elsewhere, 'unproven.db');
  const made = await runCommand(['backup', file], { JOBD_DATA: dataDir });
  assert.equal(made.exitCode, 0);
  assert.match(made.stderr, /nothing proves .*--unverified:\nthe master key \w+ is not in \S+\n$/);
});

test('a backup beside a master key that cannot be used says why', async (t) => {
  const { jobd, dataDir, elsewhere } = await backedUp(t);
  const key = join(dataDir, 'secret-key');
  const text = fs.readFileSync(key);
  const wrongs: [words: RegExp, spoil: () => void][] = [
    [
      /secret-key may be read by everybody \(mode 0644\): chmod 600 it/,
      () => fs.chmodSync(key, 0o644),
    ],
    [/line 1 of \S+secret-key must be/, () => fs.writeFileSync(key, 'garbage\n')],
    [/secret-key is empty: put your copy/, () => fs.writeFileSync(key, '')],
    [/the master key \w+ is not in \S+secret-key/, () => fs.rmSync(key)],
  ];
  for (const [index, [words, spoil]] of wrongs.entries()) {
    spoil();
    const made = await jobd('backup', join(elsewhere, `unproven-${index}.db`), '--json');
    assert.equal(made.exitCode, 0, made.stderr);
    const { provenBy, unprovenBecause } = JSON.parse(made.stdout);
    assert.equal(provenBy, null);
    assert.match(unprovenBecause, words);
    fs.rmSync(key, { force: true });
    fs.writeFileSync(key, text, { mode: 0o600 });
  }
});

test('a database with a trigger, view or table that jobd does not make is refused', async (t) => {
  const { jobd, dataDir, elsewhere, file } = await backedUp(t);
  const copy = join(elsewhere, 'copy.db');
  const loose =
    "pragma writable_schema = on; update sqlite_master set sql = replace(sql, 'not null', '') where name = 'keys'";
  for (const [statements, words] of [
    [trigger, /jobd did not make the trigger immortal/],
    ['create view jobs2 as select * from jobs', /jobd did not make the view jobs2/],
    ['create table more (id)', /jobd did not make the table more/],
    ['create index more on jobs (notes)', /jobd did not make the index more/],
    ['drop index jobs_by_due_time', /the index jobs_by_due_time is missing/],
  ] as const) {
    fs.copyFileSync(file, copy);
    change(copy, statements);
    const { exitCode, stderr } = await jobd('restore', copy, '--yes', '--unverified');
    assert.deepEqual([exitCode, words.test(stderr)], [1, true], stderr);
  }
  const path = join(dataDir, 'jobd.db');
  const unsafe = new Database(path);
  unsafe.unsafeMode(true).exec(loose);
  unsafe.close();
  const loosened = await jobd('doctor');
  assert.match(loosened.stdout, /fail\tschema\tthe table keys is not as jobd makes it/);

  change(path, trigger);
  for (const args of [
    ['key', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { exitCode, stderr } = await jobd(...args);
    assert.deepEqual(
      [exitCode, /a trigger "immortal", which jobd did not make/.test(stderr)],
      [1, true],
      stderr,
    );
  }
  assert.match((await jobd('doctor')).stdout, /fail\tschema\t.*trigger immortal/);
});
