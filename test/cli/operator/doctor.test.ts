/** `jobd doctor`: each problem is made, and found. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { serveConfig, type Flags } from '../../../src/settings/config.ts';
import { startDaemon } from '../../../src/serve/daemon.ts';
import { openLog } from '../../../src/base/log.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { prepareStore } from '../../support/running/prepare.ts';

interface Findings {
  exitCode: unknown;
  results: Record<string, string>;
  details: Record<string, string>;
}

async function doctor(dataDir: string, env: Record<string, string> = {}): Promise<Findings> {
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--json'], {
    JOBD_DATA: dataDir,
    ...env,
  });
  assert.equal(stderr, '');
  const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] };
  const pairs = (field: string) =>
    Object.fromEntries(findings.map((finding) => [finding['check'], finding[field] ?? '']));
  return { exitCode, results: pairs('result'), details: pairs('detail') };
}

test('all checks pass beside a healthy daemon', async (t) => {
  const { dataDir, jobd } = await serveCommand(t);
  const { exitCode, results, details } = await doctor(dataDir);
  assert.equal(exitCode, 0);
  // The disk is that of the machine: this test does not check its free space.
  const { disk, ...others } = results;
  assert.notEqual(disk, undefined);
  assert.deepEqual(new Set(Object.values(others)), new Set(['ok']));
  assert.match(details['daemon'] ?? '', /^serves .* \(process \d+\)$/);
  const lines = await jobd('doctor');
  assert.match(lines.stdout, /^ok\tconfiguration\t.*\n/);
});

test('a place that nobody serves fails, unless an option names it', async (t) => {
  const dataDir = await storeWithJob(t);
  const { exitCode, details } = await doctor(dataDir);
  assert.equal(exitCode, 1);
  assert.match(details['daemon'] ?? '', /^no jobd serves .*: nothing is called$/);
  const named = await runCommand(['doctor', '--data', dataDir]);
  assert.equal(named.exitCode, 0);
  const [, how] = /^warn\tdaemon\tno jobd serves.*\n\t\t- (.*)$/m.exec(named.stdout) ?? [];
  assert.equal(how, `to start it: jobd serve --data ${dataDir}, with its other options`);
});

test('what to do about a missing key is a line each, the last resort at the end', async (t) => {
  const dataDir = await storeWithJob(t);
  const env = { JOBD_DATA: dataDir, JOBD_SECRET_KEY: Buffer.alloc(32, 7).toString('hex') };
  const below = async (): Promise<string[]> => {
    const { stdout } = await runCommand(['doctor'], env);
    const [, notes = ''] =
      /^fail\tmaster key\t.*\n((?:\t\t- .*\n)*)fail\tsecrets/m.exec(stdout) ?? [];
    return notes.split('\n').filter((line) => line !== '');
  };
  const file = join(dataDir, 'secret-key');
  const there = `the right key is in ${file}: remove JOBD_SECRET_KEY from the environment`;
  assert.deepEqual(await below(), [`\t\t- ${there}`]);
  const { findings } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
  const found = findings.find(({ check }: { check: string }) => check === 'master key');
  assert.deepEqual(found.notes, [there]);
  fs.rmSync(file);
  const [first = '', last = ''] = await below();
  assert.match(first, /- set JOBD_SECRET_KEY to your copy/);
  assert.match(last, /- only if there is no copy: jobd secrets forget \w{16} gives up /);
});

test('it says what was removed before its time, for a week, and a database above its limit', async (t) => {
  const dataDir = await storeWithJob(t);
  const history = async (): Promise<string> => {
    const { results, details } = await doctor(dataDir);
    return `${results['history']}: ${details['history']}`;
  };
  const change = (statement: string): void => {
    const database = new Database(join(dataDir, 'jobd.db'));
    database.exec(statement);
    database.close();
  };
  const set = (what: string, value: number): void =>
    change(`update instance set ${what} = ${value}`);
  assert.equal(await history(), 'ok: kept as long as plans say');
  change("insert into instance (one, id) values (1, '00000000')");
  set('max_bytes', 1024 ** 3);
  assert.match(await history(), /^ok: kept as long as plans say; [\d.]+ KiB of 1 GiB used$/);
  set('early_results', 12);
  set('early_at', Date.now() - 1_000);
  const gone = '12 results and 0 pings were removed before their time, the last at';
  assert.match(
    await history(),
    new RegExp(
      `^warn: ${gone} .*, as space was short \\(.* of 1 GiB used\\): raise --max-database-size`,
    ),
  );
  set('early_at', Date.now() - 8 * 86_400_000);
  assert.match(await history(), new RegExp(`^ok: ${gone}`));
  set('max_bytes', 1_000);
  assert.match(
    await history(),
    /^warn: above the limit \(.* of 1000 bytes used\), .* if that lasts, raise --max-database-size, .*; 12 results and /,
  );
});

const year = 365 * 86_400_000;

const wrongs: [string, string, RegExp, (dataDir: string, database: Database.Database) => void][] = [
  [
    'data directory',
    'fail',
    /other users can (write to|change)/,
    (dataDir) => fs.chmodSync(dataDir, 0o777),
  ],
  ['data directory', 'warn', /other users can read/, (dataDir) => fs.chmodSync(dataDir, 0o755)],
  [
    'master key',
    'fail',
    /^the master key of this store is \w{16}, but in \S+ there is none$/,
    (dir) => fs.rmSync(join(dir, 'secret-key')),
  ],
  [
    'secrets',
    'fail',
    /^1 of 1 sealed cannot be opened: jobs\//,
    (_, database) => {
      database.exec("update jobs set sealed = substr(sealed, 1, 20) || 'AAAA'");
    },
  ],
  [
    'clock',
    'fail',
    /set the clock/,
    (_, database) => {
      database.prepare('update jobs set last_run_at = ?').run(Date.now() + year);
    },
  ],
  [
    'schedule',
    'warn',
    /^1 job is overdue by more than a minute/,
    (_, database) => {
      database.prepare('update jobs set next_run_at = ?').run(Date.now() - 120_000);
    },
  ],
  [
    'results',
    'warn',
    /^1 result of the job a waiting since .*: jobd jobs callbacks 'a'$/,
    (_, database) => addResult(database, 'pending'),
  ],
  [
    'results',
    'warn',
    /^1 not delivered in the last 7 days: jobd jobs callbacks JOB$/,
    (_, database) => addResult(database, 'failed'),
  ],
  [
    'schema',
    'fail',
    /from a newer jobd/,
    (_, database) => {
      database.exec("insert into schema_migrations (version, sha256) values (99, '')");
    },
  ],
  [
    'schema',
    'warn',
    /the next start updates it to/,
    (_, database) => {
      database.exec('delete from schema_migrations');
    },
  ],
  [
    'database',
    'fail',
    /is damaged: .*restore a backup/s,
    (dataDir, database) => {
      const page = database
        .prepare("select rootpage from sqlite_master where name = 'runs_by_time'")
        .pluck()
        .get() as number;
      database.close();
      overwritePage(join(dataDir, 'jobd.db'), page);
    },
  ],
];

for (const [check, result, words, breakIt] of wrongs) {
  test(`${check}: ${result}, ${words.source}`, async (t) => {
    const dataDir = await storeWithJob(t);
    const database = new Database(join(dataDir, 'jobd.db'));
    breakIt(dataDir, database);
    database.close();
    const found = await doctor(dataDir);
    assert.equal(found.results[check], result, JSON.stringify(found.details));
    assert.match(found.details[check] ?? '', words);
    assert.equal(found.exitCode, Object.values(found.results).includes('fail') ? 1 : 0);
  });
}

test('a site URL that jobd guessed is pointed out by serve and doctor', async (t) => {
  const rows: [flags: Flags, isGuess: boolean][] = [
    [{ host: '0.0.0.0' }, true],
    [{ host: '0.0.0.0', baseUrl: 'http://127.0.0.1:8080' }, false],
    [{}, false],
  ];
  for (const [flags, isGuess] of rows) {
    const dataDir = temporaryDirectory(t);
    const config = serveConfig({ data: dataDir, port: '0', ...flags }, {});
    await using daemon = await startDaemon(config, openLog('silent'));
    const said = `receipts and links say http://127.0.0.1:`;
    const { results, details } = await doctor(dataDir);
    assert.equal(results['site URL'], isGuess ? 'warn' : 'ok', JSON.stringify(flags));
    assert.ok(details['site URL']?.startsWith(said), details['site URL']);
    assert.equal(/--base-url/.test(details['site URL'] ?? ''), isGuess);
    assert.equal(daemon.guessedUrl !== null, isGuess);
    const discovery = await fetch(`${daemon.url}/.well-known/openid-configuration`);
    const { issuer } = (await discovery.json()) as { issuer: string };
    assert.match(issuer, /^http:\/\/127\.0\.0\.1:/, 'as report URLs and proofs say it');
  }
});

test('doctor makes no database and changes none', async (t) => {
  const empty = temporaryDirectory(t);
  const found = await doctor(empty);
  assert.deepEqual([found.exitCode, found.results['data directory']], [1, 'fail']);
  assert.deepEqual(fs.readdirSync(empty), []);

  const dataDir = await storeWithJob(t);
  const before = fs.readFileSync(join(dataDir, 'jobd.db'));
  await doctor(dataDir);
  assert.deepEqual(fs.readFileSync(join(dataDir, 'jobd.db')), before);

  const noConfiguration = await doctor(dataDir, { JOBD_PORT: 'http' });
  assert.deepEqual(noConfiguration.results, { configuration: 'fail' });
  assert.equal(noConfiguration.exitCode, 1);
});

test('doctor --ready asks the server alone, and fails without one', async (t) => {
  const served = await serveCommand(t);
  const env = { JOBD_HOST: '0.0.0.0', JOBD_PORT: new URL(served.url).port, JOBD_DATA: '/absent' };
  const ask = async () => {
    const { exitCode, stdout, stderr } = await runCommand(['doctor', '--ready'], env);
    return { exitCode, stdout, stderr };
  };
  assert.deepEqual(await ask(), { exitCode: 0, stdout: 'ready\n', stderr: '' });
  await served.stop('SIGTERM');
  const { exitCode, stderr } = await ask();
  assert.equal(exitCode, 7);
  assert.match(stderr, /^jobd: no answer from http:\/\/127\.0\.0\.1:\d+: .*is jobd serve running/);
});

function overwritePage(path: string, page: number): void {
  const file = fs.openSync(path, 'r+');
  try {
    fs.writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
  } finally {
    fs.closeSync(file);
  }
}

/** Gives the job a callback with a result that was made ten minutes ago. */
function addResult(database: Database.Database, status: 'pending' | 'failed'): void {
  database.exec(
    `insert into channels (id, workspace_id, callback_of, name, type, sealed, enabled, after_failures, created_at)
       select 'c', workspace_id, id, name, 'webhook', '', 1, 1, 0 from jobs`,
  );
  database
    .prepare(
      `insert into deliveries (id, channel_id, event, subject_id, queue, payload, status, created_at)
         values ('d', 'c', 'run.finished', 'r', 0, '{}', ?, ?)`,
    )
    .run(status, Date.now() - 600_000);
}

/** A store without a daemon, with a job that has a header. */
test('it names windows that mute alerts or hold jobs for longer than a day, or nearly always', async (t) => {
  const dataDir = await storeWithJob(t);
  const hour = 3_600_000;
  const now = Date.now();
  const at = (hours: number): string => new Date(now + hours * hour).toISOString();
  const window = { effect: 'mute', selector: 'client=acme', jobIds: null, monitorIds: null };
  const once = { ...window, cronExpr: null, timezone: 'UTC', durationSeconds: null, endedAt: null };
  const recurring = { ...once, from: null, until: null, createdAt: at(-1) };
  const windows = [
    { ...once, name: 'long', from: at(-48), until: at(48), createdAt: at(-48) },
    { ...once, name: 'short', from: at(-1), until: at(23), createdAt: at(-1) },
    { ...recurring, name: 'hourly', effect: 'hold', cronExpr: '0 * * * *', durationSeconds: 3_540 },
    { ...recurring, name: 'nightly', cronExpr: '0 22 * * *', durationSeconds: 36_000 },
    { ...recurring, selector: 'a=b', name: 'day', cronExpr: '0 6 * * *', durationSeconds: 43_200 },
    {
      ...recurring,
      selector: 'a=b',
      name: 'night',
      cronExpr: '0 18 * * *',
      durationSeconds: 43_200,
    },
    { ...once, selector: 'a=b', name: 'over', from: at(-3), until: at(-2), createdAt: at(-9) },
    { ...once, name: 'later', from: at(24), until: at(72), createdAt: at(-1) },
  ];
  const database = new Database(join(dataDir, 'jobd.db'));
  database.prepare('update workspaces set windows = ?').run(JSON.stringify(windows));
  database.close();
  const { stdout } = await runCommand(['doctor', '--data', dataDir]);
  const [, said, name] =
    /^warn\twindows\t(.*)\n\t\t- (\w+) \(workspace .*\): client=acme, until 20.*$/m.exec(stdout) ??
    [];
  const often = 'for longer than 24 h, or nearly always, by';
  const end = 'jobd windows end WINDOW';
  assert.deepEqual(
    [said, name, stdout.includes('- nightly (')],
    [`alerts are muted ${often} 3 windows: ${end}`, 'long', false],
  );
  assert.match(
    stdout,
    /- day \(.*by 0 6 .*\n\t\t- night \(.*by 0 18 /,
    'those that take turns are as one',
  );
  assert.doesNotMatch(stdout, /- (?:over|later) /);
  assert.match(
    stdout,
    new RegExp(`\\tjobs are held ${often} 1 window: ${end}\n\t\t- hourly \\(.*by 0 \\* `),
  );
});

async function storeWithJob(t: TestContext): Promise<string> {
  const dataDir = temporaryDirectory(t);
  const job = { name: 'a', url: 'http://127.0.0.1/', cronExpr: '0 0 1 1 *' };
  await prepareStore(dataDir, ({ addJob }) =>
    addJob({ ...job, headers: { 'X-Key': 'a secret' } }, Date.now()),
  );
  return dataDir;
}
