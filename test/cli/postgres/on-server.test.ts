/** `serve` and the commands that open the database themselves, with a database on a server. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { temporaryDirectory } from '../../support/directory.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';
import { programToServe, runCommand } from '../../support/running/command.ts';
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
    ...programToServe,
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
    ['call-key', 'show'],
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

test(
  'serve waits for a server that is not up yet, but not for a database that is not there',
  { skip },
  async (t) => {
    await using late = await startPostgres();
    const env = { JOBD_DATABASE_URL: late.url, JOBD_SECRET_KEY: masterKey };
    await late.stop('fast');
    const [daemon, unwanted] = [serve(t, env), serve(t, env)];
    for (const waiting of [daemon, unwanted]) {
      await until('a word', () => /ECONNREFUSED.*jobd waits for its database/.test(waiting.log()));
    }
    assert.equal(await unwanted.stop('SIGTERM'), 0);
    await late.start();
    assert.match(await daemon.listening, /^http/);
    assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());

    const nowhere = { ...env, JOBD_DATABASE_URL: late.url.replace(/[^/]*$/, 'nowhere') };
    const { exitCode, stderr } = await runCommand(['serve', '--port', '0'], nowhere);
    assert.equal(exitCode, 1);
    assert.match(stderr, /database "nowhere" does not exist \(3D000\)/);
    assert.doesNotMatch(stderr, /waits for/);
  },
);

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
    [
      ['backup', 'today.db'],
      { ...env, JOBD_DATABASE_URL: 'postgres://jobd:secret@db/jobd?pool=5&sslmode=verify-full' },
      2,
      /'postgres:\/\/jobd@db\/jobd\?sslmode=verify-full&sslrootcert=system'/,
    ],
    [
      ['restore', 'today.db'],
      { ...env, JOBD_DATABASE_URL: 'postgres://jobd@db/jobd?pool=5' },
      2,
      /--dbname='postgres:\/\/jobd@db\/jobd' today\.db/,
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

test('the master key is rotated while nodes serve that have both keys', { skip }, async (t) => {
  const { url, env } = await makeDatabase();
  const sink = await startSink(t);
  const file = join(temporaryDirectory(t), 'key');
  writeFileSync(file, masterKey);
  const old = { JOBD_DATABASE_URL: url, JOBD_SECRET_KEY_FILE: file };
  const both = { ...old, JOBD_SECRET_KEY_NEW: '7b'.repeat(32) };
  const first = serve(t, both);
  const site = await first.listening;
  const behind = serve(t, old);
  await behind.listening;
  assert.match((await rotate(old)).stderr, /JOBD_SECRET_KEY_FILE is set: put the new key/);
  const refused = await runCommand(['secrets', 'rotate'], both);
  assert.equal(refused.exitCode, 5, 'before it asks');
  const notYet = `some nodes do not have the new master key yet: process ${behind.pid} on `;
  assert.ok(refused.stderr.includes(notYet), refused.stderr);
  assert.doesNotMatch(refused.stderr, new RegExp(`process ${first.pid} `));
  assert.equal(await behind.stop('SIGTERM'), 0);

  const key = await runCommand(['key', 'create', '--name', 'laptop'], env);
  const asked = { JOBD_URL: site, JOBD_API_KEY: key.stdout.trim() };
  const header = ['--header', 'authorization: Bearer of-the-target'];
  const create = [
    'jobs',
    'create',
    '--name',
    'sealed',
    '--url',
    sink.url,
    '--every',
    '1h',
    ...header,
  ];
  assert.equal((await runCommand(create, asked)).exitCode, 0);
  const rotated = await rotate(both);
  assert.equal(rotated.exitCode, 0, rotated.stderr);
  const ran = await runCommand(['jobs', 'run', 'sealed', '--wait'], asked);
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.equal(sink.received[0]?.headers['authorization'], 'Bearer of-the-target');
  assert.equal(await first.stop('SIGTERM'), 0);

  const refusedOld = await runCommand(['serve', '--port', '0'], old);
  assert.match(
    refusedOld.stderr,
    /the master key of this store is .*, but in JOBD_SECRET_KEY_FILE/,
  );
  const onlyNew = { JOBD_DATABASE_URL: url, JOBD_SECRET_KEY: '7b'.repeat(32) };
  const last = serve(t, onlyNew);
  await last.listening;
  assert.equal(await last.stop('SIGTERM'), 0);
});

test(
  'a key that is lost is missed by its id; a new one is no advice for a database with data',
  { skip },
  async (t) => {
    const { url, env } = await makeDatabase();
    const without = { JOBD_DATABASE_URL: url };
    const refused = await runCommand(['serve', '--port', '0'], without);
    assert.match(refused.stderr, /make one with openssl rand -base64 32, and keep a copy/);
    const nothing = await runCommand(['key', 'list'], without);
    assert.deepEqual([nothing.exitCode, /nothing of jobd in this/.test(nothing.stderr)], [3, true]);

    const daemon = serve(t, env);
    await daemon.listening;
    assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());
    const listed = await runCommand(['key', 'list'], without);
    assert.equal(listed.exitCode, 0, 'it needs no master key');
    const lost = /the master key of this store is \w{16}, but in JOBD_SECRET_KEY there is none/;
    const commands = [['serve', '--port', '0'], ['secrets', 'rotate', '--yes'], ['doctor']];
    for (const args of commands) {
      const { exitCode, stdout, stderr } = await runCommand(args, without);
      assert.match(stdout + stderr, lost, args.join(' '));
      assert.match(stdout + stderr, /set JOBD_SECRET_KEY to your copy of the key/, args.join(' '));
      assert.doesNotMatch(stdout + stderr, /openssl/, args.join(' '));
      assert.equal(exitCode, 1, args.join(' '));
      if (args[0] === 'doctor') assert.match(stdout, /^ok\talerts\t/m, 'it continues');
    }
  },
);

test('a node with another master key is told whose it needs', { skip }, async (t) => {
  const { env } = await makeDatabase();
  const daemon = serve(t, env);
  await daemon.listening;
  const other = { ...env, JOBD_SECRET_KEY: '7c'.repeat(32), JOBD_SECRET_KEY_NEW: '7d'.repeat(32) };
  const named = `set JOBD_SECRET_KEY to the key of the nodes that serve this database \\(process ${daemon.pid} on `;
  for (const args of [['serve', '--port', '0'], ['secrets', 'rotate', '--yes'], ['doctor']]) {
    const { exitCode, stdout, stderr } = await runCommand(args, other);
    assert.match(stdout + stderr, new RegExp(named), args.join(' '));
    assert.doesNotMatch(stdout + stderr, /secrets forget/, args.join(' '));
    assert.notEqual(exitCode, 0);
  }
  assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());
});

test('what a rotation says is about a server, not about a file', { skip }, async (t) => {
  const { env } = await makeDatabase();
  const daemon = serve(t, env);
  await daemon.listening;
  assert.equal(await daemon.stop('SIGTERM'), 0, daemon.log());
  const both = { ...env, JOBD_SECRET_KEY_NEW: '7b'.repeat(32) };
  const question = await runCommand(['secrets', 'rotate'], both);
  assert.match(
    question.stderr,
    /Encrypt all secrets with the master key in JOBD_SECRET_KEY_NEW\? Earlier dumps need the present one/,
  );
  const rotated = await rotate(both);
  assert.equal(rotated.exitCode, 0, rotated.stderr);
  assert.match(rotated.stderr, /earlier dumps need the old master key/);
  assert.match(rotated.stderr, /run vacuum full in psql/);
  for (const { stderr } of [question, rotated]) {
    assert.doesNotMatch(stderr, /sqlite|backup|data directory/);
  }
});

test(
  'metrics of a node show its lease and its peers; those of a file do not',
  { skip },
  async (t) => {
    const { env } = await makeDatabase();
    const metricsOf = async (given: Record<string, string>) => {
      const daemon = serve(t, given, '--metrics', '127.0.0.1:0');
      await daemon.listening;
      const at = () => /http:[^"]*\/metrics/.exec(daemon.log())?.[0];
      const url = await until('metrics', at);
      return { daemon, read: async () => await (await fetch(url)).text() };
    };
    const first = await metricsOf(env);
    const second = await metricsOf(env);
    const serving = /^jobd_nodes\{role="serving"\} 1$/m;
    await until('a renewal', async () => serving.test(await first.read()));
    const [leader, other] = [await first.read(), await second.read()];
    assert.match(leader, /^jobd_nodes\{role="leader"\} 1$/m);
    assert.match(leader, /^jobd_nodes\{role="silent"\} 0$/m);
    assert.match(leader, /^jobd_node_is_leader 1$/m);
    assert.match(other, /^jobd_node_is_leader 0$/m);
    assert.match(leader, /^jobd_node_lease_remaining_seconds (1[0-3]|\d)(\.\d+)?$/m);
    assert.match(leader, /^jobd_node_hints_arrive 1$/m);
    assert.match(leader, /^jobd_node_clock_lead_seconds -?\d/m);
    const file = await metricsOf({ JOBD_DATA: temporaryDirectory(t) });
    assert.doesNotMatch(await file.read(), /jobd_nodes?\b|jobd_node_/);
    for (const { daemon } of [first, second, file]) assert.equal(await daemon.stop('SIGTERM'), 0);
  },
);

test('several nodes without a base URL are told what links lead to', { skip }, async (t) => {
  const { env } = await makeDatabase();
  const site =
    /no node has a base URL, so links in alerts and receipts name the address of one node/;
  const said = async () => (await runCommand(['nodes'], env)).stderr;
  const first = serve(t, env);
  await first.listening;
  assert.doesNotMatch(await said(), site, 'one node alone');
  const second = serve(t, env);
  await second.listening;
  assert.match(await said(), site);
  assert.match((await runCommand(['doctor'], env)).stdout, site);
  await until('a word in its log', () => site.test(second.log()));
  assert.equal(await second.stop('SIGTERM'), 0, second.log());
  assert.equal(await first.stop('SIGTERM'), 0, first.log());
});

test('nodes are listed with their roles, and what they do not agree about', { skip }, async (t) => {
  const { env } = await makeDatabase();
  const first = serve(t, env, '--base-url', 'https://jobd.example');
  await first.listening;
  const second = serve(t, env, '--no-signing', '--smtp-url', 'smtp://127.0.0.1:9');
  const site = await second.listening;
  const key = (await runCommand(['key', 'create', '--name', 'ops'], env)).stdout.trim();
  const mail = ['channels', 'create', '--name', 'mail', '--type', 'email', '--to', 'a@example.com'];
  const created = await runCommand(mail, { JOBD_URL: site, JOBD_API_KEY: key });
  assert.equal(created.exitCode, 0, created.stderr);
  const listed = await runCommand(['nodes', '--json'], env);
  const { nodes } = JSON.parse(listed.stdout) as { nodes: Record<string, unknown>[] };
  const seen = () => nodes.map(({ pid, role, calls }) => ({ pid, role, calls }));
  assert.deepEqual(seen(), [
    { pid: first.pid, role: 'leader', calls: 0 },
    { pid: second.pid, role: 'serving', calls: 0 },
  ]);
  const doctor = await runCommand(['doctor', '--json'], env);
  const { findings } = JSON.parse(doctor.stdout) as { findings: Record<string, unknown>[] };
  const found = findings.filter(({ code }) => code === 'nodes-differ');
  assert.ok(!findings.some(({ code }) => code === 'mail-server-missing'), 'one of them has it');
  const words = found
    .flatMap(({ detail, notes }) => [detail, notes])
    .flat()
    .join('\n');
  assert.match(
    words,
    /nodes differ in --base-url: give all of them the same\nhttps:\/\/jobd\.example \(process \d+ on .*\)\nnot given \(/,
  );
  assert.match(words, /nodes differ in --no-signing: .*\nnot given \(.*\)\ngiven \(/);
  assert.match(words, /nodes differ in --smtp-url: .*\nnot given \(.*\)\ngiven \(/);
  assert.doesNotMatch(words, /allow-target|version/);

  assert.equal(await first.stop('SIGTERM'), 0, first.log());
  const rolesNow = async () => {
    const { stdout } = await runCommand(['nodes', '--json'], env);
    return (JSON.parse(stdout) as { nodes: { role: string }[] }).nodes.map(({ role }) => role);
  };
  assert.deepEqual(await rolesNow(), ['stopped', 'leader']);
  const alone = await runCommand(['doctor'], env);
  assert.doesNotMatch(alone.stdout, /SMTP/, alone.stdout);
  await second.stop('SIGKILL');
  await until('its lease to end', async () => (await rolesNow())[1] === 'silent');
  const third = serve(t, env);
  assert.match(await third.listening, /^http/, 'it need not wait');
  await until('a declaration', async () => (await rolesNow())[1] === 'gone');
  assert.deepEqual(await rolesNow(), ['stopped', 'gone', 'leader']);
  const rows = (await runCommand(['nodes'], env)).stdout;
  const time = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
  assert.match(rows, new RegExp(`stopped\t.*\t${time}\t${time}\t`), 'since when, and until when');
  assert.match(rows, new RegExp(`gone\t.*\t${time}\t${time}\t`));
  const without = await runCommand(['doctor'], { ...env, JOBD_SMTP_URL: 'smtp://127.0.0.1:9' });
  assert.match(without.stdout, /mail channels, but no JOBD_SMTP_URL/, 'the node has none');
  assert.equal(await third.stop('SIGTERM'), 0, third.log());
});
