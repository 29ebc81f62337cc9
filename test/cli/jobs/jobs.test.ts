/**
 * Jobs and runs from the shell: machine-readable output and exit codes
 * (docs/behavior.md#the-command-line).
 */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { Run, RunList } from '../../../src/api/runs/contract.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import type { Ran } from '../../support/running/program.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { farDaily } from '../../support/full-hour.ts';
import { until } from '../../support/until.ts';

/** `name\tvalue` lines as an object. */
function fields(stdout: string): Record<string, string> {
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = '', ...rest] = line.split('\t');
      assert.deepEqual(rest, [], `one tab a line: ${line}`);
      return [name, value];
    }),
  );
}

/** Asserts success: data on stdout, nothing on stderr. */
function assertOk({ exitCode, stdout, stderr }: Ran): string {
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

/** Asserts this exit code: no data, one message. */
function assertEnds(ran: Ran, exitCode: number, words: RegExp): void {
  assert.equal(ran.exitCode, exitCode, ran.stderr);
  assert.equal(ran.stdout, '');
  assert.match(ran.stderr, /^jobd: [^\n]+\n$/);
  assert.match(ran.stderr, words);
}

/** Every hour, unless the arguments say when. */
const scheduled = (args: readonly string[]): readonly string[] =>
  args.includes('--every') || args.includes('--cron') ? args : [...args, '--every', '1h'];

test('jobs and runs from the shell', async (t) => {
  const daemon = await serveCommand(t);
  const { jobd } = daemon;
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response, { path }) => {
    if (path === '/slow') held.push(response);
    else response.writeHead(path === '/fails' ? 500 : 200).end('line 1\nline\t2');
  });
  const create = (name: string, path: string, ...args: string[]): Promise<Ran> =>
    jobd('jobs', 'create', '--name', name, '--url', sink.url + path, ...scheduled(args));

  await t.test('a created job is shown, field by field', async () => {
    const shown = fields(assertOk(await create('daily', '/ok', '--cron', farDaily, '--tz', 'utc')));
    assert.match(shown['id'] ?? '', /^[0-9a-f-]{36}$/);
    assert.match(shown['next run'] ?? '', /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    const { name, status, call, schedule, 'last run': lastRun } = shown;
    assert.deepEqual([name, status, call], ['daily', 'new', `GET ${sink.url}/ok`]);
    assert.deepEqual([schedule, lastRun], [`${farDaily} UTC`, '-']);
    assert.deepEqual(fields(assertOk(await jobd('jobs', 'get', 'daily'))), shown);
    assert.deepEqual(fields(assertOk(await jobd('jobs', 'get', shown['id'] ?? ''))), shown);
    const upper = shown['id']?.toUpperCase() ?? '';
    assert.deepEqual(fields(assertOk(await jobd('jobs', 'get', upper))), shown);
  });

  await t.test('a job can be changed, paused, resumed and deleted', async () => {
    assertOk(await create('old', '/ok', '--header', 'X-A: b'));
    const stdout = assertOk(
      await jobd('jobs', 'update', 'old', '--name', 'new', '--every', '5m', '--json'),
    );
    const { job } = JSON.parse(stdout) as { job: Job };
    assert.deepEqual([job.name, job.scheduleType, job.periodSeconds], ['new', 'period', 300]);
    assert.deepEqual(job.headerNames, ['X-A'], 'other fields stay');
    const elsewhere = ['update', 'new', '--url', 'https://example.com/'];
    assertEnds(
      await jobd('jobs', ...elsewhere),
      2,
      /give --header again for X-A, or add --no-headers/,
    );
    const again = ['--header', 'X-A: c', '--json'];
    const moved = JSON.parse(assertOk(await jobd('jobs', ...elsewhere, ...again))) as { job: Job };
    assert.equal(moved.job.url, 'https://example.com/');
    const other = ['jobs', 'update', 'new', '--header', 'X-B: d', '--json'];
    const refused = await jobd(...other);
    assertEnds(refused, 2, /--header sets all headers.*give --header again for X-A, or add --no-/);
    const headersAfter = async (...more: string[]): Promise<string[]> =>
      (JSON.parse(assertOk(await jobd(...other, ...more))) as { job: Job }).job.headerNames;
    assert.deepEqual(await headersAfter('--header', 'x-a: e'), ['X-B', 'x-a']);
    assert.deepEqual(await headersAfter('--no-headers'), ['X-B']);
    const bare = [
      '--no-headers',
      '--cron',
      '5 3 1 1 *',
      '--tz',
      'UTC',
      '--method',
      'POST',
      '--data',
      'x',
      '--json',
    ];
    const changed = JSON.parse(assertOk(await jobd('jobs', 'update', 'new', ...bare))) as {
      job: Job;
    };
    assert.deepEqual(changed.job.headerNames, []);
    assert.deepEqual([changed.job.scheduleType, changed.job.body], ['cron', 'x']);
    assertOk(await jobd('jobs', 'update', 'new', '--no-data', '--json'));
    assert.equal(fields(assertOk(await jobd('jobs', 'pause', 'new')))['status'], 'paused');
    assert.equal(fields(assertOk(await jobd('jobs', 'resume', 'new')))['status'], 'new');
    assertEnds(
      await jobd('jobs', 'update', 'new', '--timeout', '61'),
      2,
      /--timeout must be between 1s and 1m, got 61s/,
    );
    assertEnds(await jobd('jobs', 'delete', 'new'), 2, /--yes/);
    const deleted = await jobd('jobs', 'delete', 'new', '--yes');
    assert.equal(deleted.exitCode, 0, deleted.stderr);
    assert.equal(deleted.stdout, '', 'messages go to stderr');
    assertEnds(await jobd('jobs', 'get', 'new'), 3, /no job named new/);
  });

  await t.test('every flag of create is sent', async () => {
    const body = join(daemon.dataDir, 'body.json');
    writeFileSync(body, '{"ü":1}\n');
    const flags = ['--every', '5m', '--method', 'post', '--data', `@${body}`, '--timeout', '10s'];
    const others = ['--retries', '2', '--notes', 'a note', '--paused', '--json', '--tz', 'utc'];
    const secret = join(daemon.dataDir, 'header.txt');
    writeFileSync(secret, 'x-b:d\r\n\n');
    const headers = ['--header', 'X-A: b: c', '--header', `@${secret}`];
    const stdout = assertOk(await create('full', '/ok', ...flags, ...others, ...headers));
    const { job } = JSON.parse(stdout) as { job: Job };
    const { id: _, createdAt: __, ...rest } = job;
    assert.deepEqual(rest, {
      name: 'full',
      url: `${sink.url}/ok`,
      method: 'POST',
      headerNames: ['X-A', 'x-b'],
      body: '{"ü":1}\n',
      scheduleType: 'period',
      cronExpr: null,
      timezone: 'UTC',
      periodSeconds: 300,
      timeoutSeconds: 10,
      retries: 2,
      notes: 'a note',
      paused: true,
      status: 'paused',
      nextRunAt: null,
      lastRunAt: null,
      lastDurationMs: null,
      downReason: null,
    });
  });

  await t.test('a curl command defines the call', async () => {
    const curl = `curl -fsS -u me:pw --json '{"a":1}' -m 7 ${sink.url}/ok > /dev/null`;
    const args = [
      'jobs',
      'create',
      '--name',
      'copied',
      '--paused',
      '--retries',
      '1',
      '--json',
      '--every',
      '1h',
    ];
    const made = await runCommand([...args, '--curl', '-'], daemon.env, `${curl}\n`);
    assert.equal(made.exitCode, 0, made.stderr);
    assert.equal(made.stderr, 'ignored (no effect on the request): >/dev/null -f -s -S\n');
    const { job } = JSON.parse(made.stdout) as { job: Job };
    const { url, method, body, timeoutSeconds, retries, headerNames } = job;
    assert.deepEqual(
      [url, method, body, timeoutSeconds, retries],
      [`${sink.url}/ok`, 'POST', '{"a":1}', 7, 1],
    );
    assert.deepEqual(headerNames.toSorted(), ['Accept', 'Authorization', 'Content-Type']);
    const bad = await jobd('jobs', 'create', '--name', 'x', '--curl', 'curl -n -F a=b "$URL" | jq');
    assertEnds(bad, 2, /\$URL \(.*variables.*\| jq \(.*other command.*-n \(.*-F \(/);
    const never = await jobd('jobs', 'create', '--name', 'x', '--curl', `curl -n -F a=b ${url}`);
    assertEnds(never, 2, /-n \(.*Basic.*-F \(.*multipart/);
    const other = await jobd('jobs', 'create', '--name', 'x', '--curl', `fetch("${url}")`);
    assertEnds(
      other,
      2,
      /--curl is not read: this is a call of fetch in JavaScript: .*Copy as cURL/,
    );
    const times = await jobd('jobs', 'create', '--name', 'x', '--curl', '0 9 * * *');
    assertEnds(times, 2, /--curl must be a command/);
    assert.equal((await jobd('jobs', 'delete', 'copied', '--yes')).exitCode, 0);
  });

  await t.test('a body can come from standard input', async () => {
    const { origin } = new URL(sink.url);
    const args = [
      'jobs',
      'create',
      '--name',
      'piped',
      '--url',
      origin,
      '--method',
      'PUT',
      '--every',
      '1h',
    ];
    const ran = await runCommand([...args, '--data', '-', '--json'], daemon.env, 'from a pipe');
    const { job } = JSON.parse(assertOk(ran)) as { job: Job };
    assert.equal(job.body, 'from a pipe');
  });

  await t.test('the list has one tab-separated line per job, newest first', async () => {
    const name = 'evil\u001b]0;pwned\u0007\u001b[2J\tname\n';
    assertOk(await create(name, '/ok'));
    const stdout = assertOk(await jobd('jobs', 'list'));
    // oxlint-disable-next-line no-control-regex -- control characters must not appear
    assert.doesNotMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    const rows = stdout.trimEnd().split('\n');
    const cells = rows.map((row) => row.split('\t'));
    assert.deepEqual(
      cells.map((row) => row.length),
      [11, 11, 11, 11],
    );
    assert.deepEqual(
      cells.map((row) => row.slice(0, 3)),
      [
        ['evil name ', 'new', 'Every hour'],
        ['piped', 'new', 'Every hour'],
        ['full', 'paused', 'Every 5 minutes'],
        ['daily', 'new', `${farDaily} UTC`],
      ],
    );
    const { jobs } = JSON.parse(assertOk(await jobd('jobs', 'list', '--json'))) as { jobs: Job[] };
    assert.equal(jobs[0]?.name, name, 'JSON contains the name unchanged');
    assert.deepEqual(
      jobs.map(({ id }) => id),
      cells.map((row) => row[7]),
    );
  });

  // A key may ask 120 times a minute, which these tests do together.
  daemon.env['JOBD_API_KEY'] = assertOk(await jobd('key', 'create')).trim();

  await t.test('run prints the id of the queued run, and runs get shows its result', async () => {
    const id = assertOk(await jobd('jobs', 'run', 'daily')).trim();
    const run = await until('the end of the run', async () => {
      const stdout = assertOk(await jobd('runs', 'get', 'daily', id, '--json'));
      const found = (JSON.parse(stdout) as { run: Run }).run;
      return found.finishedAt === null ? null : found;
    });
    assert.equal(run.id, id);
    assert.deepEqual(fields(assertOk(await jobd('runs', 'get', 'daily', id))), {
      id,
      job: 'daily',
      'calls now': `GET ${sink.url}/ok`,
      status: 'success',
      source: 'manual',
      'scheduled for': run.scheduledFor,
      started: run.startedAt,
      finished: run.finishedAt,
      duration: `${run.durationMs} ms`,
      attempts: '1',
      http: '200',
      response: 'line 1 line 2',
    });
    const row = assertOk(await jobd('runs', 'list', 'daily'))
      .trimEnd()
      .split('\t');
    const durationMs = String(run.durationMs);
    assert.deepEqual(row, ['success', run.scheduledFor, '200', durationMs, '1', '-', id]);
    const list = JSON.parse(assertOk(await jobd('runs', 'list', 'daily', '--json'))) as RunList;
    assert.deepEqual(list.runs, [run]);
    assert.equal(list.totals.success, 1);
  });

  await t.test('a second manual run within the minute exits with 6', async () => {
    assertEnds(await jobd('jobs', 'run', 'daily'), 6, /once a minute: again in \d+ s$/m);
  });

  await t.test('run --wait shows the result, and exits with 0 or 10', async () => {
    const good = await jobd('jobs', 'run', 'piped', '--wait');
    assert.equal(fields(assertOk(good))['status'], 'success');

    assertOk(await create('fails', '/fails'));
    const bad = await jobd('jobs', 'run', 'fails', '--wait', '--json');
    assert.equal(bad.exitCode, 10, bad.stderr);
    const { run } = JSON.parse(bad.stdout) as { run: Run };
    assert.deepEqual([run.status, run.error], ['failed', 'http: 500']);
    const shown = fields(assertOk(await jobd('jobs', 'get', 'fails')));
    assert.deepEqual([shown['status'], shown['down because']], ['down', 'http: 500']);
  });

  await t.test(
    'a wait that times out exits with 124, a second run in the meantime with 5',
    async () => {
      assertOk(await create('slow', '/slow'));
      const waited = await jobd('jobs', 'run', 'slow', '--wait', '--timeout', '1');
      assert.equal(waited.exitCode, 124, waited.stderr);
      assert.match(fields(waited.stdout)['status'] ?? '', /^(queued|running)$/);
      await until('the call', () => held.length === 1);
      assertEnds(await jobd('jobs', 'run', 'slow'), 5, /executing/);
      held[0]?.end();
    },
  );

  await t.test('an unknown id exits with 3', async () => {
    const unknown = '01a1fc58-a505-7000-bebc-059153f75def';
    assertEnds(await jobd('jobs', 'get', 'nobody'), 3, /no job named nobody/);
    assertEnds(await jobd('jobs', 'run', unknown), 3, /no job with id/);
    assertEnds(await jobd('runs', 'list', 'nobody'), 3, /no job named nobody/);
    assertEnds(await jobd('runs', 'get', 'daily', unknown), 3, /no run with id/);
  });

  await t.test("a refused input exits with 2 and the server's message", async () => {
    assertEnds(
      await create('bad', '/ok', '--cron', '61 * * * *', '--tz', 'UTC'),
      2,
      /--cron: the minute field/,
    );
    assertEnds(
      await create('bad', '/ok', '--cron', '@daily', '--tz', 'Mars'),
      2,
      /--tz must be an IANA name/,
    );
    assertEnds(await create('bad', '/ok', '--method', 'TRACE'), 2, /--method must be one of/);
    assertEnds(await create('bad', '/ok', '--data', 'x'), 2, /--data is sent only with POST/);
    assertEnds(
      await create('bad', '/ok', '--every', '5s'),
      2,
      /--every must be between 1m and 365d, got 5s/,
    );
    assertEnds(await create('', '/ok'), 2, /--name must not be empty/);
  });

  await t.test('a body over its limit exits with 6', async () => {
    const args = ['--method', 'POST', '--data', 'b'.repeat(32_769)];
    assertEnds(await create('large', '/ok', ...args), 6, /--data must be at most 32768 characters/);
  });

  await t.test('a name that two jobs share is refused, and both ids are shown', async () => {
    assertOk(await create('twin', '/ok'));
    assertOk(await create('twin', '/other', '--allow-duplicate'));
    const ran = await jobd('jobs', 'run', 'twin');
    assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
    const [sentence, ...choices] = ran.stderr.trimEnd().split('\n');
    assert.equal(sentence, 'jobd: 2 jobs are named twin: use an id');
    assert.equal(choices.length, 2);
    assert.match(choices[0] ?? '', /^ {2}[0-9a-f-]{36} {2}twin {2}new {2}\S+\/other {2}created /);
  });

  await t.test('an unknown key exits with 4', async () => {
    const env = { ...daemon.env, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
    const refused = await runCommand(['jobs', 'list'], env);
    assert.deepEqual([refused.exitCode, refused.stdout], [4, '']);
    assert.match(
      refused.stderr,
      /^jobd: http:\S+ does not accept JOBD_API_KEY\n {2}the key is revoked/,
    );
  });
});
