import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand, startCommand } from '../../support/running/command.ts';
import { startProxy } from '../../support/running/proxy.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const dueAt = '2026-11-24T02:30:00.000Z';
const example = {
  job: { id: '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c60', name: 'one' },
  runId: '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63',
  dueAt,
};
const since = ['--since', '2026-11-24T00:00:00Z', '--until', '2026-11-25T00:00:00Z'];

test('what went wrong since a time is listed, asked about and replayed, each job by itself', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  let isBroken = true;
  const sink = await startSink(t, (response) => response.writeHead(isBroken ? 500 : 200).end());
  const job = { cronExpr: '30 2 * * *', timezone: 'UTC', url: sink.url };
  for (const name of ['one', 'two']) await daemon.ask('POST', '/jobs', { ...job, name });
  clock.advance(Date.parse(dueAt) - clock.now());
  const statuses = async () =>
    (await daemon.ask('GET', '/runs')).body.runs.map(({ status }: { status: string }) => status);
  await until('the failures', async () => (await statuses()).join() === 'failed,failed');
  isBroken = false;
  clock.advance(60_000);

  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const replay = (...args: string[]) => runCommand(['runs', 'replay', ...args], env);
  const dry = await replay(...since, '--dry-run', '--json');
  const found = JSON.parse(dry.stdout).results as { job: string; dueAt: string; newRunId: null }[];
  const listed = found.map((one) => `${one.job} ${one.dueAt} ${one.newRunId}`);
  assert.deepEqual(new Set(listed), new Set([`one ${dueAt} null`, `two ${dueAt} null`]));
  const alone = await replay('one', 'failed', '--dry-run', '--json');
  assert.deepEqual(
    JSON.parse(alone.stdout).results,
    found.filter(({ job: of }) => of === 'one'),
  );
  assert.equal(sink.received.length, 2, 'nothing was called');
  const unasked = await replay(...since);
  assert.deepEqual([unasked.exitCode, unasked.stdout], [2, '']);
  assert.match(unasked.stderr, /Replay 2 due times of 2 jobs\?/);
  let asked = 0;
  const breaking = await startProxy(t, daemon.url, (request) =>
    request.endsWith('/replay') && (asked += 1) === 2 ? { status: 500 } : null,
  );
  const yes = ['runs', 'replay', ...since, '--yes'];
  const failed = await runCommand(yes, { ...env, JOBD_URL: breaking });
  assert.equal(failed.exitCode, 1, failed.stderr);
  const rows = [
    /^(?:one|two)\t\S+\tfailed\tqueued\t-\t[0-9a-f-]{36}$/m,
    /\tfailed\t-\tnot known: there was no answer\t-$/m,
  ];
  for (const row of rows) assert.match(failed.stdout, row);
  assert.match(failed.stderr, /^queued 1 replay, 0 refused, 1 left$/m);
  const [, rest = ''] = /^to go on: jobd (.*)$/m.exec(failed.stderr) ?? [];
  const done = await runCommand([...rest.replaceAll("'", '').split(' '), '--yes', '--wait'], env);
  assert.equal(done.exitCode, 0, done.stderr);
  assert.match(done.stderr, /^queued 1 replay, 0 refused, 0 left$/m);
  assert.match(done.stdout, /^(?:one|two)\t\S+\tfailed\tsuccess\t-\t[0-9a-f-]{36}\n$/);
  await until(
    'the replays',
    async () => (await statuses()).filter((s: string) => s === 'success').length === 2,
  );
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-scheduled-for']),
    [dueAt, dueAt, dueAt, dueAt],
  );
  const nothing = 'nothing that went wrong then is left to replay\n';
  for (const how of ['--yes', '--dry-run']) {
    const again = await replay(...since, how);
    assert.deepEqual([again.exitCode, again.stdout, again.stderr], [0, '', nothing]);
  }
  const forcedAll = await replay(...since, '--dry-run', '--again');
  assert.equal(forcedAll.stdout.split('\n').length, 3, 'both, if asked for');

  for (const how of [[], ['--dry-run']]) {
    const one = await replay('one', 'failed', ...how);
    assert.deepEqual([one.exitCode, one.stdout], [5, ''], one.stderr);
    assert.match(one.stderr, /succeeded already, .*: use --again to call it anyway/);
  }
  const may = await replay('one', 'failed', '--dry-run', '--again');
  assert.equal(may.stdout, `one\t${dueAt}\tfailed\n`, may.stderr);
  clock.advance(60_000);
  await daemon.followClock();
  const forced = await replay('one', 'failed', '--again', '--wait');
  assert.match(forced.stdout, /^status\tsuccess$/m, forced.stderr);
  assert.equal((await replay('one')).exitCode, 2);
  const reversed = await replay('--since', '20m', '--until', '1h', '--dry-run');
  assert.equal(reversed.stderr, 'jobd: --since is later than --until\n');
  assert.equal((await replay('one', '--since', '1s')).stderr, nothing);
});

/** A daemon at the end of a day on which these jobs failed at their first due times, one an hour, and what replays on that. */
async function afterFailures(t: TestContext, names: readonly string[], count: number) {
  const { daemon, clock } = await startClockedDaemon(t, '2026-11-24T00:00:00Z');
  const sink = await startSink(t, (response) => response.writeHead(500).end());
  const ids: string[] = [];
  for (const name of names) {
    const job = { name, cronExpr: '0 * * * *', timezone: 'UTC', url: sink.url };
    ids.push((await daemon.ask('POST', '/jobs', job)).body.job.id);
  }
  const failed = async () => (await daemon.ask('GET', '/runs?status=failed')).body.runs.length;
  for (let hour = 1; hour <= count; hour += 1) {
    clock.advance(3_600_000);
    await until('the failures', async () => (await failed()) === hour * names.length);
  }
  clock.advance(120_000);
  await daemon.followClock();
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  return {
    daemon,
    env,
    ids,
    failed,
    replay: (...args: string[]) => runCommand(['runs', 'replay', ...args], env),
  };
}

test('who replays runs of held jobs is told so', async (t) => {
  const { daemon, ids, replay } = await afterFailures(t, ['one', 'two'], 1);
  const [id = ''] = ids;
  const now = { name: 'w', effect: 'hold', durationSeconds: 3_600, jobIds: [id] };
  const { status } = await daemon.ask('POST', '/windows', now);
  assert.equal(status, 201);
  const held = 'held by a window, which does not stop a run by hand: one\n';
  for (const args of [since, ['one', ...since], ['one', 'failed']]) {
    const dry = await replay(...args, '--dry-run');
    assert.deepEqual([dry.exitCode, dry.stderr], [0, held]);
  }
  for (const args of [
    ['two', ...since],
    ['two', 'failed'],
  ])
    assert.equal((await replay(...args, '--dry-run')).stderr, '');
  const asked = await replay(...since);
  assert.ok(asked.stderr.startsWith(`${held}jobd: Replay 2 due times of 2 jobs?`), asked.stderr);
  const done = await replay('one', 'failed');
  assert.deepEqual([done.exitCode, done.stderr], [0, held]);
});

test('Ctrl-C between two calls of a job, or in a wait for a limit, leaves the rest', async (t) => {
  const { daemon, env } = await afterFailures(t, ['one'], 2);
  const again = /^to go on: jobd runs replay 'one' [0-9a-f-]{36} --again, and so on /m;
  const same = /^to go on: jobd runs replay --status \S+ --since /m;
  const limit = { status: 429, headers: { 'retry-after': '60' } };
  const how = [
    { flags: [], instead: limit, queued: 0, goOn: same },
    { flags: ['--again'], instead: limit, queued: 0, goOn: again },
    { flags: [], instead: null, queued: 1, goOn: same },
  ];
  for (const { flags, instead, queued, goOn } of how) {
    const url = await startProxy(t, daemon.url, (asked) => {
      if (!asked.endsWith('/replay')) return null;
      command.kill('SIGINT');
      return instead;
    });
    const words = ['runs', 'replay', ...since, '--yes', ...flags];
    const command = startCommand(t, words, { ...env, JOBD_URL: url });
    command.stdin.end();
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(command.stdout),
      text(command.stderr),
      once(command, 'close'),
    ]);
    assert.equal(exitCode, 130, stderr);
    const left = 2 - queued;
    assert.equal(stdout.match(/not called: stopped by Ctrl-C/g)?.length, left, stdout);
    assert.match(stderr, new RegExp(`^queued ${queued} replays?, 0 refused, ${left} left$`, 'm'));
    assert.match(stderr, goOn);
  }
});

test('failed is the newest failed run that stands for a due time', async (t) => {
  const { env, failed, replay } = await afterFailures(t, ['one'], 1);
  const byHand = await runCommand(['jobs', 'run', 'one', '--wait'], env);
  assert.equal(byHand.exitCode, 10, byHand.stderr);
  assert.equal(await failed(), 2);
  const dry = await replay('one', 'failed', '--dry-run');
  assert.equal(dry.stdout, 'one\t2026-11-24T01:00:00.000Z\tfailed\n', dry.stderr);
});

test('it says that of due times missed in a row only the last is called', async (t) => {
  const missed = { ...example, status: 'missed', count: 3, done: 'success' };
  const sink = await startSink(t, (response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ replayable: [missed], nextCursor: null, isPartial: false })),
  );
  const env = { JOBD_URL: sink.url, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const { stderr } = await runCommand(['runs', 'replay', ...since, '--dry-run'], env);
  assert.equal(
    stderr,
    'of due times missed in a row only the last is called: 2 earlier ones are not, name each with --due-at\n' +
      'nothing that went wrong then is left to replay\n',
  );
});
