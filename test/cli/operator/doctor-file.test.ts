/** What `jobd doctor` and others say of the files of a data directory. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { lockDataDir } from '../../../src/store/sqlite/lock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand } from '../../support/running/command.ts';
import { programForAll } from '../../support/running/for-all.ts';
import { nobody, notRoot } from '../../support/running/other-user.ts';
import { makeStoreWithKey } from '../../support/running/prepare.ts';
import { runProgram } from '../../support/running/program.ts';

test('a reserve in use is a failure, however much space is free, and one that is missing is said', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStoreWithKey(dataDir);
  const disk = async (): Promise<string> => {
    const { stdout } = await runCommand(['doctor', '--data', dataDir]);
    return /^\w+\tdisk\t.*$/m.exec(stdout)?.[0] ?? '';
  };
  assert.match(await disk(), / free; no reserve for a full disk yet: jobd serve makes it$/);
  const reserve = join(dataDir, 'jobd.reserve');
  fs.writeFileSync(reserve, '');
  assert.match(
    await disk(),
    /^fail\tdisk\tthe disk is full or was, and the reserve is in use \(.* free\): free space.*; jobd serve calls while /,
  );
  const lock = lockDataDir(dataDir);
  assert.match(await disk(), /; calls go on while the space it gave lasts$/);
  lock[Symbol.dispose]();
  fs.truncateSync(reserve, 24 * 1024 ** 2);
  assert.doesNotMatch(await disk(), /reserve/);
});

test('who serves is said of a database that cannot be read too', async (t) => {
  const dataDir = temporaryDirectory(t);
  const path = join(dataDir, 'jobd.db');
  fs.writeFileSync(path, 'something else '.repeat(1_000), { mode: 0o600 });
  const daemon = async (): Promise<string | undefined> => {
    const { stdout } = await runCommand(['doctor', '--data', dataDir]);
    assert.match(stdout, /^fail\tdatabase\t.* cannot be read: it is not a database/m);
    return /^\w+\tdaemon\t.*$/m.exec(stdout)?.[0];
  };
  assert.match((await daemon()) ?? '', /^warn\tdaemon\tno jobd serves .*: nothing is called$/);
  using _ = lockDataDir(dataDir);
  const opened = fs.openSync(path, 'r');
  t.after(() => fs.closeSync(opened));
  assert.match((await daemon()) ?? '', /^ok\tdaemon\tserves .* \(process \d+\)$/);
  const sign = join(dataDir, 'serve.alive');
  fs.writeFileSync(sign, '');
  assert.match((await daemon()) ?? '', /^ok\t/);
  fs.utimesSync(sign, 1_700_000_000, 1_700_000_000);
  assert.match(
    (await daemon()) ?? '',
    /^fail\tdaemon\tprocess \d+ gave no sign of life since 2023-/,
  );
});

test('a database that another program keeps locked is a failure, where jobd may write it', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStoreWithKey(dataDir);
  const path = join(dataDir, 'jobd.db');
  const database = async (): Promise<string> => {
    const { stdout } = await runCommand(['doctor', '--data', dataDir]);
    return /^\w+\tdatabase\t.*$/m.exec(stdout)?.[0] ?? '';
  };
  assert.match(await database(), /^ok\t.*, sound$/);
  const other = new Database(path);
  t.after(() => other.close());
  other.exec('begin immediate');
  assert.match(await database(), /^fail\tdatabase\tanother program keeps .*jobd\.db locked, and /);
  other.exec('rollback');
  assert.match(await database(), /^ok\t.*, sound$/);
});

test('a file that jobd may not write is named, with what to do', { skip: notRoot }, async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStoreWithKey(dataDir);
  const database = join(dataDir, 'jobd.db');
  const key = join(dataDir, 'secret-key');
  fs.writeFileSync(key, '');
  fs.chmodSync(key, 0o600);
  for (const path of [dataDir, database]) fs.chownSync(path, nobody, nobody);
  fs.chmodSync(database, 0o400);
  const { stdout } = await runProgram([...programForAll(t), 'doctor', '--data', dataDir]);
  for (const line of [
    `fail\tdata directory\t${database} cannot be written: permission denied; let its owner read and write the file: chmod u+rw ${database}`,
    `fail\tmaster key\tmaster key: ${key} cannot be read: permission denied; give the file to the owner of its directory: chown --reference=${dataDir} ${key}`,
  ]) {
    assert.ok(stdout.split('\n').includes(line), `${line}\n\n${stdout}`);
  }
});

test('a damaged database is called that, with what to do, by commands and a backup', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStoreWithKey(dataDir);
  const path = join(dataDir, 'jobd.db');
  const database = new Database(path);
  const page = database
    .prepare("select rootpage from sqlite_master where name = 'workspaces'")
    .pluck()
    .get() as number;
  database.close();
  const file = fs.openSync(path, 'r+');
  fs.writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
  fs.closeSync(file);
  const remedy = /\(SQLITE_CORRUPT\w*\): it is damaged, restore a backup: jobd restore FILE\n/;
  for (const words of [
    ['key', 'create'],
    ['backup', join(dataDir, 'kept.db'), '--allow-empty'],
  ]) {
    const { exitCode, stderr } = await runCommand([...words, '--data', dataDir]);
    assert.equal(exitCode, 1);
    assert.match(stderr, remedy, words.join(' '));
    assert.doesNotMatch(stderr, /kept\.db/);
  }
});
