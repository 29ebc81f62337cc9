/** Opening the database file: a new one, an existing one, and refused ones. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { JobdError, storeUnusable } from '../../../src/domain/errors.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { openFileStore } from '../../../src/store/sqlite/open.ts';
import { hasDatabase } from '../../../src/store/sqlite/reader.ts';
import { unusable, unusableDirectory } from '../../../src/store/sqlite/unusable.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { openTestStore } from '../../support/running/store.ts';
import { opened as unsealed } from '../../support/fakes/vault.ts';
import { nobody, notRoot } from '../../support/running/other-user.ts';

/** The tables and indexes of a database, as SQL. */
async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; sql: string | null }>`
    select name, sql from sqlite_schema order by name`.execute(db);
  return rows.map((row) => `${row.name}: ${row.sql}`);
}

async function pragma(db: Db, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0] ?? {})[0];
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test('an unreadable directory does not count as one without a database', { skip: notRoot }, (t) => {
  const dataDir = temporaryDirectory(t);
  assert.equal(hasDatabase(dataDir), false);
  process.seteuid?.(nobody);
  t.after(() => process.seteuid?.(0));
  assert.throws(() => hasDatabase(dataDir), {
    code: 'unavailable',
    message: `${dataDir} cannot be used: permission denied; use sudo, which acts as the owner: sudo jobd … --data ${dataDir}`,
  });
  process.seteuid?.(0);
});

test('a file system that can only be read is called that', () => {
  const error = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  const words = 'its file system can only be read: mount it so that jobd can write';
  assert.equal(unusable('/a/b', 'opened', error).message, `/a/b cannot be opened: ${words}`);
  assert.equal(unusableDirectory('/a', error).message, `/a cannot be used: ${words}`);
});

test('a full disk is called that, whatever SQLite says, and by whomever', () => {
  const words = 'the disk is full: free space';
  for (const code of ['SQLITE_IOERR_SHMSIZE', 'SQLITE_FULL']) {
    const error = new Database.SqliteError('disk I/O error', code);
    assert.equal(unusable('/a/b', 'opened', error).message, `/a/b cannot be opened: ${words}`);
    // So a statement fails that reads what was opened.
    const ofStatement = storeUnusable(`disk I/O error (${code})`, error);
    assert.equal(unusable('/a/b', 'read', ofStatement).message, `/a/b cannot be read: ${words}`);
  }
});

test('a new store has every table, and creates its directory', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'made', 'for', 'it');
  await using store = await openFileStore(dataDir);
  const names = new Set((await schemaOf(store.db)).map((line) => line.split(':')[0]));
  for (const name of [
    'accounts',
    'jobs',
    'keys',
    'monitors',
    'pings',
    'runs',
    'schema_migrations',
    'workspaces',
  ]) {
    assert.ok(names.has(name), name);
  }
  assert.equal(await pragma(store.db, 'integrity_check'), 'ok');
});

test('opening a store again keeps everything and changes nothing', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const job = await addJob({ name: 'kept', headers: { 'X-A': 'b' }, notes: 'ü 😀\u2028' });
  const schema = await schemaOf(store.db);
  const { rows: versions } = await sql`select version from schema_migrations`.execute(store.db);
  await store[Symbol.asyncDispose]();
  for (let opened = 0; opened < 2; opened += 1) {
    await using again = await openFileStore(dataDir);
    assert.deepEqual(unsealed((await findJob(again.db, workspaceId, job.id))!), job);
    assert.deepEqual(await schemaOf(again.db), schema);
    const { rows } = await sql`select version from schema_migrations order by version`.execute(
      again.db,
    );
    assert.deepEqual(rows, versions, 'each migration was applied once');
  }
});

test('a store written by a newer jobd is refused, untouched, with a message', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const job = await addJob();
  await sql`insert into schema_migrations (version, sha256) values (99, '')`.execute(store.db);
  await store[Symbol.asyncDispose]();
  await assert.rejects(openFileStore(dataDir), (error) => {
    assert.ok(error instanceof JobdError);
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /schema 99, this jobd knows up to \d+: .*newer jobd/);
    return true;
  });
  assert.equal(existsSync(join(dataDir, 'jobd.db-wal')), false, 'it was closed again');
  const raw = new Database(join(dataDir, 'jobd.db'));
  raw.exec('delete from schema_migrations where version = 99');
  raw.close();
  await using again = await openFileStore(dataDir);
  assert.deepEqual(unsealed((await findJob(again.db, workspaceId, job.id))!), job);
});

test('a store of another build, or of another program, is refused, untouched', async (t) => {
  const older = [
    'create table migrations (version bigint not null primary key)',
    'insert into migrations (version) values (1), (8)',
    'create table workspaces (id text)',
  ];
  const refusals: [statements: string[], sentence: RegExp][] = [
    [
      [
        'create table schema_migrations (version bigint not null primary key)',
        'insert into schema_migrations (version) values (1)',
      ],
      /another build of jobd made it/,
    ],
    [older, /another build of jobd made it.*jobd export.*another database/],
    [['create table things (id text)'], /it is not a database of jobd/],
  ];
  for (const [statements, sentence] of refusals) {
    const dataDir = temporaryDirectory(t);
    const path = join(dataDir, 'jobd.db');
    new Database(path).exec(statements.join(';')).close();
    await assert.rejects(openFileStore(dataDir), (error) => {
      assert.ok(error instanceof JobdError);
      assert.equal(error.code, 'unavailable');
      assert.ok(error.message.startsWith(`${path} cannot be opened: `), error.message);
      assert.match(error.message, sentence);
      return true;
    });
    const raw = new Database(path, { readonly: true });
    const tables = raw.prepare("select count(*) from sqlite_master where type = 'table'").pluck();
    assert.equal(tables.get(), statements.filter((text) => text.startsWith('create')).length);
    raw.close();
  }
});

test('a file that is not a database is refused and left unchanged', async (t) => {
  const dataDir = temporaryDirectory(t);
  const path = join(dataDir, 'jobd.db');
  writeFileSync(path, 'a shopping list\n'.repeat(500));
  await assert.rejects(openFileStore(dataDir), /not a database/);
  assert.equal(readFileSync(path, 'utf8'), 'a shopping list\n'.repeat(500));
});

test('a file whose list of migrations is damaged is refused by its name', async (t) => {
  const dataDir = temporaryDirectory(t);
  await (await openFileStore(dataDir))[Symbol.asyncDispose]();
  const path = join(dataDir, 'jobd.db');
  const raw = new Database(path, { readonly: true });
  const find = raw.prepare("select rootpage from sqlite_master where name = 'schema_migrations'");
  const page = Number(find.pluck().get());
  raw.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, (page - 1) * 4_096, page * 4_096));
  await assert.rejects(openFileStore(dataDir), (error) => {
    assert.ok(error instanceof JobdError);
    assert.ok(error.message.startsWith(`${path} cannot be opened: `), error.message);
    return true;
  });
});

test('only the owner can read the stored files', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  await using store = await openFileStore(dataDir);
  await sql`create table probe (a)`.execute(store.db);
  assert.equal(modeOf(dataDir), '700');
  for (const name of ['jobd.db', 'jobd.db-wal', 'jobd.db-shm']) {
    assert.equal(modeOf(join(dataDir, name)), '600', name);
  }
});

test('every commit is synced to a write-ahead log, and references are enforced', async (t) => {
  const { store } = await openTestStore(t);
  assert.equal(await pragma(store.db, 'journal_mode'), 'wal');
  assert.equal(await pragma(store.db, 'synchronous'), 2, 'FULL');
  assert.equal(await pragma(store.db, 'foreign_keys'), 1);
  const orphan = sql`insert into runs (id, job_id, workspace_id, source, status, scheduled_for)
    values ('r', 'no such job', 'w', 'manual', 'queued', 1)`;
  await assert.rejects(orphan.execute(store.db), /FOREIGN KEY/);
});

test('a directory that cannot be created is reported at once', { timeout: 30_000 }, async () => {
  for (const directory of ['/proc/jobd/data', '/dev/null/jobd']) {
    await assert.rejects(openFileStore(directory), {
      code: 'unavailable',
      message:
        /^\/(dev\/null\/jobd is not a directory$|proc\/jobd\/data\/jobd\.db cannot be opened: )/,
    });
  }
});
