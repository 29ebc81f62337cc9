/** The command that moves a store: killed at any moment, refused where it must be, and what jobd does before and after. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startSink } from '../../../support/fakes/sink.ts';
import { makeDemo } from '../../../support/demo/demo.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { makeEmptyDatabase, onServer } from '../../../support/postgres/database.ts';
import { postgresOfFile } from '../../../support/postgres/server.ts';
import { programToServe, runCommand, startCommand } from '../../../support/running/command.ts';
import { startServe } from '../../../support/running/executable.ts';
import { until } from '../../../support/until.ts';

const { skip, started } = postgresOfFile();
const kills = 6;
/** More than are copied until the last kill. */
const runCount = 40_000;

const newDatabase = async (): Promise<string> => makeEmptyDatabase((await started()).url);
const moveTo = (dataDir: string, url: string) => [
  'migrate-store',
  '--from',
  `sqlite:${dataDir}`,
  '--to',
  url,
];

/** The position of a copy, as its database keeps it; null before there is one. */
async function positionIn(url: string): Promise<string | null> {
  const asked = onServer<{ position: string }>(url, 'select position from unfinished_copy');
  return (await asked.catch(() => []))[0]?.position ?? null;
}

/** Starts the command and kills it as soon as the copy has come further than a position. Returns the new one. */
async function killAfter(t: TestContext, args: string[], url: string, position: string | null) {
  const child = startCommand(t, args);
  child.stdout.resume();
  child.stderr.resume();
  const ended = once(child, 'exit');
  await until('a page more', async () => {
    return child.exitCode !== null || (await positionIn(url)) !== position;
  });
  child.kill('SIGKILL');
  await ended;
  return await positionIn(url);
}

test('a move that is killed again and again is whole in the end', { skip }, async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeDemo(dataDir, {
    nowMs: Date.now(),
    targetUrl: 'http://127.0.0.1:9',
    moreRuns: runCount,
  });
  const database = await newDatabase();
  const args = moveTo(dataDir, database);
  let position: string | null = null;
  for (let kill = 0; kill < kills; kill += 1)
    position = await killAfter(t, args, database, position);
  assert.notEqual(position, null, 'it was still copying');
  const refused = await runCommand(['key', 'list'], { JOBD_DATABASE_URL: database });
  assert.match(refused.stderr, /unfinished copy of another store/);

  const moved = await runCommand([...args, '--json']);
  assert.equal(moved.exitCode, 0, moved.stderr);
  const { tables, sha256 } = JSON.parse(moved.stdout) as {
    tables: { name: string; rows: number }[];
    sha256: string;
  };
  const runs = tables.find(({ name }) => name === 'runs')?.rows ?? 0;
  assert.ok(runs > runCount, String(runs));
  assert.match(sha256, /^[0-9a-f]{64}$/);
  const counted = await onServer<{ runs: number }>(
    database,
    'select count(*)::int as runs from runs',
  );
  assert.equal(counted[0]?.runs, runs);
});

function serve(t: TestContext, args: string[], env: Record<string, string>) {
  return startServe(t, ['--allow-target', '127.0.0.1/32:*', ...args], {
    cwd: temporaryDirectory(t),
    ...programToServe,
    env,
  });
}

test(
  'a service moves: its job continues there, and nothing serves the old file',
  { skip },
  async (t) => {
    const sink = await startSink(t);
    const dataDir = temporaryDirectory(t);
    const before = serve(t, ['--data', dataDir], {});
    const site = await before.listening;
    const own = { JOBD_DATA: dataDir, JOBD_URL: site };
    const key = (await runCommand(['key', 'create'], own)).stdout.trim();
    const env = { ...own, JOBD_API_KEY: key };
    const header = ['--header', 'X-Token: secret'];
    await runCommand(
      ['jobs', 'create', '--name', 'hello', '--url', sink.url, '--every', '1h', ...header],
      env,
    );
    assert.equal((await runCommand(['jobs', 'run', 'hello', '--wait'], env)).exitCode, 0);

    const database = await newDatabase();
    const args = moveTo(dataDir, database);
    const served = await runCommand(args);
    assert.equal(served.exitCode, 5, served.stderr);
    assert.match(served.stderr, /another jobd .* already serves .*, stop it first/);
    assert.equal(await before.stop(), 0);

    const moved = await runCommand(args);
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.match(moved.stderr, /both sides are equal/);
    assert.match(moved.stderr, /start jobd with JOBD_DATABASE_URL=postgres:/);

    const old = serve(t, ['--data', dataDir], {});
    await old.closed;
    assert.match(old.log(), /it was moved to postgres:.*, so serve that one/);

    const keyFile = join(temporaryDirectory(t), 'master-key');
    copyFileSync(join(dataDir, 'secret-key'), keyFile);
    const there = { JOBD_DATABASE_URL: database, JOBD_SECRET_KEY_FILE: keyFile };
    const after = serve(t, [], there);
    const now = { ...there, JOBD_URL: await after.listening, JOBD_API_KEY: key };
    const runs = await runCommand(['runs', 'list', 'hello'], now);
    assert.match(runs.stdout, /success/, runs.stderr);
    // Manual runs of a job are a minute apart.
    await onServer(
      database,
      "update runs set scheduled_for = scheduled_for - 120000 where source = 'manual'",
    );
    const again = await runCommand(['jobs', 'run', 'hello', '--wait'], now);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(sink.received.at(-1)?.headers['x-token'], 'secret');
    const isSigned = async (): Promise<boolean> => {
      const [row] = await onServer<{ receipts: number }>(
        database,
        'select count(*)::int as receipts from receipts',
      );
      return row?.receipts === 2;
    };
    await until('the second receipt', isSigned);
    const back = temporaryDirectory(t);
    const backArgs = ['migrate-store', '--from', database, '--to', `sqlite:${back}`];
    const live = await runCommand(backArgs);
    assert.match(live.stderr, /jobd \(.*\) serves postgres:.*, stop it first/);
    assert.equal(await after.stop(), 0);
    const returned = await runCommand(backArgs);
    assert.equal(returned.exitCode, 0, returned.stderr);
    assert.match(returned.stderr, /2 receipts are valid, in whole chains/);
    const doctor = await runCommand(['doctor', '--data', back], {
      JOBD_SECRET_KEY_FILE: keyFile,
    });
    assert.doesNotMatch(doctor.stdout, /^fail/m);
  },
);

test('what cannot be moved is refused in words', { skip }, async (t) => {
  const database = await newDatabase();
  const empty = temporaryDirectory(t);
  const cases: [args: string[], exitCode: number, said: RegExp][] = [
    [['--from', `sqlite:${empty}`], 2, /say both --from and --to/],
    [['--from', empty, '--to', database], 2, /--from takes sqlite:DIR or postgres:/],
    [['--from', `sqlite:${empty}`, '--to', `sqlite:${empty}/other`], 2, /the other postgres:/],
    [
      ['--from', `sqlite:${empty}`, '--to', 'postgres://jobd:geheim@127.0.0.1/jobd'],
      2,
      /can read a password in --to/,
    ],
    [['--from', `sqlite:${empty}`, '--to', database], 3, /there is no database in/],
    [['--reopen', `sqlite:${empty}`], 3, /there is no database in/],
  ];
  for (const [args, exitCode, said] of cases) {
    const ran = await runCommand(['migrate-store', ...args]);
    assert.match(ran.stderr, said);
    assert.doesNotMatch(ran.stderr, /geheim/);
    assert.equal(ran.exitCode, exitCode, ran.stderr);
  }
});

test('a store that was moved can be opened again by its operator', { skip }, async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeDemo(dataDir, { nowMs: Date.now(), targetUrl: 'http://127.0.0.1:9' });
  const moved = await runCommand(moveTo(dataDir, await newDatabase()));
  assert.equal(moved.exitCode, 0, moved.stderr);
  assert.match((await runCommand(['key', 'list', '--data', dataDir])).stderr, /it was moved to/);
  const reopened = await runCommand(['migrate-store', '--reopen', `sqlite:${dataDir}`]);
  assert.match(reopened.stderr, /jobd may serve .* again; never serve both/);
  const keys = await runCommand(['key', 'list', '--data', dataDir]);
  assert.equal(keys.exitCode, 0, keys.stderr);
  const twice = await runCommand(['migrate-store', '--reopen', `sqlite:${dataDir}`]);
  assert.match(twice.stderr, /was not moved: nothing to do/);
});
