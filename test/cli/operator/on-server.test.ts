/** `serve` and the commands that open the database themselves, with a database on a server. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { temporaryDirectory } from '../../support/directory.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';
import { main, runCommand } from '../../support/running/command.ts';
import { startServe } from '../../support/running/executable.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const skip = noPostgres() ?? false;
const server = skip ? null : await startPostgres();
after(async () => await server?.[Symbol.asyncDispose]());
const masterKey = '7a'.repeat(32);

let made = 0;

/** An empty database, and the environment that names it. */
async function makeDatabase() {
  const base = server?.url ?? '';
  const name = `d${(made += 1)}`;
  const client = new Client({ connectionString: base });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = base.replace(/[^/]*$/, name);
  return { url, env: { JOBD_DATABASE_URL: url, JOBD_SECRET_KEY: masterKey } };
}

function serve(t: TestContext, env: Record<string, string>, ...args: string[]) {
  return startServe(t, ['--allow-target', '127.0.0.1/32:*', ...args], {
    cwd: process.cwd(),
    wrapper: [process.execPath],
    executable: main,
    env,
  });
}

test('the first hour is the same: serve, a key, a job, its run, doctor', { skip }, async (t) => {
  const { url, env } = await makeDatabase();
  const sink = await startSink(t);
  const daemon = serve(t, env);
  const site = await daemon.listening;
  const run = (...args: string[]) => runCommand(args, { ...env, JOBD_URL: site });
  const key = await run('key', 'create', '--name', 'laptop');
  assert.equal(key.exitCode, 0, key.stderr);
  const asked = { ...env, JOBD_URL: site, JOBD_API_KEY: key.stdout.trim() };
  const ask = (...args: string[]) => runCommand(args, asked);
  await ask('jobs', 'create', '--name', 'hello', '--url', sink.url, '--every', '1h');
  const ran = await ask('jobs', 'run', 'hello', '--wait');
  assert.deepEqual([ran.exitCode, sink.received.length], [0, 1], ran.stderr);
  for (const words of [
    ['key', 'list'],
    ['workspace', 'list'],
    ['account', 'list'],
    ['session', 'list'],
    ['signing-key', 'show'],
  ]) {
    const listed = await run(...words);
    assert.equal(listed.exitCode, 0, `${words.join(' ')}: ${listed.stderr}`);
  }
  const link = await run('open');
  assert.match(link.stdout, new RegExp(`^${site}/`), link.stderr);
  const doctor = await run('doctor', '--json');
  const { findings } = JSON.parse(doctor.stdout) as {
    findings: { check: string; result: string; detail: string }[];
  };
  const of = (check: string) => findings.find((finding) => finding.check === check);
  assert.deepEqual(
    findings.filter(({ result }) => result === 'fail'),
    [],
  );
  assert.match(of('database')?.detail ?? '', /^PostgreSQL \d+.* at postgres:\/\/postgres@127/);
  assert.match(of('daemon')?.detail ?? '', new RegExp(`^serves .*/d\\d+ \\(process \\d+ on `));

  const second = await runCommand(['serve', '--port', '0'], env);
  assert.equal(second.exitCode, 5);
  assert.match(second.stderr, /another jobd \(process \d+ on .*\) already serves this database/);
  const flagged = await runCommand(['key', 'list', '--database', url], {
    JOBD_SECRET_KEY: masterKey,
  });
  assert.match(flagged.stdout, /laptop/);

  assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());
  const stopped = await run('open');
  assert.deepEqual(
    [stopped.exitCode, /no jobd serve uses postgres:/.test(stopped.stderr)],
    [7, true],
  );
  const again = serve(t, env);
  assert.match(await again.listening, /^http/);
  assert.equal(await again.stop('SIGTERM'), 0, again.log());
});

test('what cannot work is refused in a sentence', { skip }, async () => {
  const { url, env } = await makeDatabase();
  const password = url.replace('postgres@', 'postgres:secret@');
  const rows: [string[], Record<string, string>, number, RegExp][] = [
    [['key', 'list'], env, 3, /there is nothing of jobd in this database: jobd serve --database/],
    [
      ['serve', '--port', '0'],
      { JOBD_DATABASE_URL: url },
      2,
      /needs the master key in JOBD_SECRET_KEY or the file of JOBD_SECRET_KEY_FILE: make one/,
    ],
    [['key', 'list', '--database', password], env, 2, /can read a password in --database/],
    [['key', 'list', '--database', 'db'], env, 2, /--database must be the URL of a PostgreSQL/],
    [
      ['backup', 'today.db'],
      env,
      2,
      /on a server, .*\n.*pg_dump --format=custom --file=today\.db 'postgres:\/\/postgres@/,
    ],
    [['restore', 'today.db', '--yes'], env, 2, /pg_restore --clean --if-exists --dbname='post/],
    [
      ['key', 'list'],
      { ...env, JOBD_DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' },
      1,
      /cannot be used now: .*ECONNREFUSED/,
    ],
    [['serve', '--port', '0'], { ...env, JOBD_DATABASE_URL: `${url}?sslmode=no` }, 2, /sslmode/],
  ];
  for (const [args, variables, exitCode, words] of rows) {
    const ran = await runCommand(args, variables);
    assert.match(ran.stderr, words, args.join(' '));
    assert.doesNotMatch(ran.stderr, /secret@/);
    assert.equal(ran.exitCode, exitCode, args.join(' '));
  }
});

const rotate = (env: Record<string, string>) => runCommand(['secrets', 'rotate', '--yes'], env);

test('the master key is rotated while nobody serves the database', { skip }, async (t) => {
  const { env } = await makeDatabase();
  const file = join(temporaryDirectory(t), 'key');
  writeFileSync(file, masterKey);
  const inFile = { JOBD_DATABASE_URL: env.JOBD_DATABASE_URL, JOBD_SECRET_KEY_FILE: file };
  const daemon = serve(t, inFile);
  await daemon.listening;
  const next = { ...inFile, JOBD_SECRET_KEY_NEW: '7b'.repeat(32) };
  assert.match((await rotate(inFile)).stderr, /JOBD_SECRET_KEY_FILE is set: put the new key/);
  assert.match(
    (await rotate(next)).stderr,
    /jobd \(process \d+ on .*\) serves this database, stop/,
  );
  assert.equal(await daemon.stop('SIGTERM'), 0);
  const rotated = await rotate(next);
  assert.equal(rotated.exitCode, 0, rotated.stderr);
  const old = await runCommand(['serve', '--port', '0'], inFile);
  assert.match(old.stderr, /the master key of this store is .*, but in JOBD_SECRET_KEY_FILE/);
  const daemonOfNew = serve(t, {
    ...inFile,
    JOBD_SECRET_KEY_FILE: '',
    JOBD_SECRET_KEY: '7b'.repeat(32),
  });
  await daemonOfNew.listening;
  assert.equal(await daemonOfNew.stop('SIGTERM'), 0);
});

test(
  'a daemon that died leaves the database to the next one, once its lease has ended',
  { skip },
  async (t) => {
    const { env } = await makeDatabase();
    const first = serve(t, env);
    await first.listening;
    await first.stop('SIGKILL');
    const second = serve(t, env);
    await until('the wait', () => /waiting until its lease ends/.test(second.log()));
    assert.match(await second.listening, /^http/);
    assert.equal(await second.stop('SIGTERM'), 0, second.log());
  },
);
