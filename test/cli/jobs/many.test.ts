/** Names that are taken, many jobs at once, and the runs of all of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../../src/api/jobs/contract.ts';
import type { ListedRun, Run } from '../../../src/api/runs/contract.ts';
import type { Api } from '../../../src/cli/client/api.ts';
import type { Context } from '../../../src/cli/context.ts';
import { actOn, type Many } from '../../../src/cli/many.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { each } from '../../support/each.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { startProxy } from '../../support/running/proxy.ts';
import { bearer, send } from '../../support/running/send.ts';

const lines = (stdout: string): string[] => stdout.trimEnd().split('\n').toSorted();

test('a name that is taken is refused, changed or repeated, as asked', async (t) => {
  const { jobd } = await serveCommand(t);
  const kinds = [
    ['jobs', '--url', 'https://example.com/a', '--every', '5m'],
    ['monitors', '--every', '5m'],
  ] as const;
  for (const [list, ...options] of kinds) {
    const create = (...more: string[]) =>
      jobd(list, 'create', '--name', 'twin', ...options, '--notes', 'one', '--json', ...more);
    assert.equal((await create()).exitCode, 0);
    const refused = await create();
    assert.deepEqual([refused.exitCode, refused.stdout], [5, ''], refused.stderr);
    assert.match(refused.stderr, /^jobd: there is a \w+ named twin already: --upsert changes it/);
    assert.match(refused.stderr, /\n {2}[0-9a-f-]{36} {2}twin {2}new .*created /);
    const changed = await create('--upsert', '--notes', 'two', '--paused');
    assert.equal(changed.exitCode, 0, changed.stderr);
    const [item] = Object.values(JSON.parse(changed.stdout) as Record<string, Job>);
    assert.deepEqual([item?.notes, item?.status], ['two', 'paused']);
    assert.equal((await create('--allow-duplicate')).exitCode, 0);
    const several = await create('--upsert');
    assert.equal(several.exitCode, 2, several.stderr);
    assert.match(several.stderr, /^jobd: 2 \w+s are named twin: use jobd \w+s update with an id\n/);
    const listed = JSON.parse((await jobd(list, 'list', '--json')).stdout) as Record<string, Job[]>;
    assert.equal(listed[list]?.length, 2);
  }
});

test('where a server fails in between, what was asked for until then is told', async (t) => {
  const { url, env } = await serveCommand(t);
  const sink = await startSink(t);
  const schedule = { scheduleType: 'period', periodSeconds: 3_600 };
  const jobs = Array.from({ length: 101 }, (_, index) => {
    return { key: `job-${index}`, name: `job ${index}`, url: sink.url, ...schedule };
  });
  const key = bearer(env['JOBD_API_KEY'] ?? '');
  const made = await send(`${url}/api/v1/definitions`, 'POST', { jobs }, key);
  assert.equal(made.status, 200, await made.text());
  let asked = 0;
  const breaking = await startProxy(t, url, (request) =>
    request.endsWith('/actions') && (asked += 1) === 2 ? { status: 500 } : null,
  );
  const ran = await runCommand(['jobs', 'run', '--all'], { ...env, JOBD_URL: breaking });
  assert.equal(ran.exitCode, 1, ran.stderr);
  assert.equal(lines(ran.stdout).length, 100);
  assert.match(lines(ran.stdout)[0] ?? '', /^job \d+\tqueued\t-\t-\t[0-9a-f-]{36}$/);
  assert.match(ran.stderr, /^stopped: asked for 100 of 101 runs\njobd: /m);
});

test('of many jobs that are run, one that was run a moment ago says when again, and others run', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  for (const name of ['other', 'just run']) {
    const job = { name, url: sink.url, labels: { a: 'b' } };
    assert.equal((await daemon.ask('POST', '/jobs', job)).status, 201);
  }
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const run = (...of: string[]) => runCommand(['jobs', 'run', ...of], env);
  assert.equal((await run('just run', '--wait')).exitCode, 0);
  clock.advance(18_000);
  const ran = await run('-l', 'a=b');
  assert.equal(ran.exitCode, 5, ran.stderr);
  const [refused, queued] = lines(ran.stdout);
  const because = 'a job can be run by hand once a minute: again in 42 s';
  assert.equal(refused, `just run\trefused\t-\t${because}\t-`);
  assert.match(queued ?? '', /^other\tqueued\t/);
});

test('many jobs are paused, resumed, run and deleted at once', async (t) => {
  const { jobd } = await serveCommand(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(path === '/broken' ? 500 : 200).end('answer');
  });
  for (const name of ['one', 'two', 'broken']) {
    const options = ['--name', name, '--url', `${sink.url}/${name}`, '--every', '1h'];
    assert.equal((await jobd('jobs', 'create', ...options)).exitCode, 0);
  }
  const paused = await jobd('jobs', 'pause', 'one', 'two', 'one');
  assert.deepEqual(
    [paused.exitCode, lines(paused.stdout)],
    [0, ['one\tpaused\t-', 'two\tpaused\t-']],
  );
  const again = await jobd('jobs', 'pause', '--all');
  assert.deepEqual(again, {
    exitCode: 0,
    stdout: 'broken\tpaused\t-\ntwo\twas paused already\t-\none\twas paused already\t-\n',
    stderr: 'paused 1 job, 2 were paused already\n',
  });
  const single = await jobd('jobs', 'pause', 'one');
  assert.deepEqual([single.exitCode, single.stderr], [0, 'one was paused already\n']);
  assert.equal((await jobd('jobs', 'resume', 'broken')).stderr, '');
  assert.equal((await jobd('jobs', 'resume', 'broken')).stderr, 'broken was not paused\n');
  const resumed = await jobd('jobs', 'resume', '--all', '--json');
  const { results } = JSON.parse(resumed.stdout) as {
    results: { name: string; error: null; changed: boolean }[];
  };
  assert.deepEqual(each(results, 'name', 'error', 'changed'), [
    ['broken', null, false],
    ['two', null, true],
    ['one', null, true],
  ]);
  assert.equal(resumed.stderr, '');

  const ran = await jobd('jobs', 'run', '--all', '--wait', '--json');
  assert.equal(ran.exitCode, 10, ran.stderr);
  const runs = (JSON.parse(ran.stdout) as { results: { name: string; run: Run }[] }).results;
  assert.deepEqual(
    runs.map(({ name, run }) => [name, run.status]),
    [
      ['broken', 'failed'],
      ['two', 'success'],
      ['one', 'success'],
    ],
  );

  const all = JSON.parse((await jobd('runs', 'list', '--json')).stdout) as { runs: ListedRun[] };
  assert.deepEqual(all.runs.map(({ job }) => job.name).toSorted(), ['broken', 'one', 'two']);
  const failed = await jobd('runs', 'list', '--status', 'failed,missed', '--since', '1h');
  const id = runs[0]?.run.id ?? '';
  assert.match(failed.stdout, new RegExp(`^broken\tfailed\t\\S+\t500\t\\d+\t1\t.*\t${id}\n$`));
  assert.equal((await jobd('runs', 'list', '--until', '1h')).stderr, 'no run matches\n');
  const limited = await jobd('runs', 'list', '--limit', '2');
  assert.deepEqual(
    [lines(limited.stdout).length, limited.stderr],
    [2, 'there are more than 2: see --limit\n'],
  );
  const ofOne = await jobd('runs', 'list', 'one', '--status', 'failed');
  assert.deepEqual([ofOne.stdout, ofOne.stderr], ['', 'no run matches\n']);

  for (const text of ['latest', 'failed', id.toUpperCase().slice(0, 20)]) {
    const got = await jobd('runs', 'get', 'broken', text, '--json');
    assert.equal(got.exitCode, 0, got.stderr);
    assert.equal((JSON.parse(got.stdout) as { run: Run }).run.id, id, text);
  }
  const receipt = await jobd('runs', 'receipt', 'broken');
  assert.equal(JSON.parse(receipt.stdout).payload.runId, id, receipt.stderr);
  const none = await jobd('runs', 'get', 'one', 'failed');
  assert.deepEqual(
    [none.exitCode, none.stderr],
    [3, 'jobd: one has no failed run among the 1 kept\n'],
  );
  assert.equal((await jobd('runs', 'get', 'one', 'yesterday')).exitCode, 2);
  assert.equal((await jobd('runs', 'get', 'one', '019a9b1c-7f3a')).exitCode, 3);

  const down = await jobd('jobs', 'list', '--status', 'down');
  assert.match(
    down.stdout,
    /^broken\tdown\t.*\thttp: 500\t\S+\/broken\t\S+\t-\t-\t-\n$/,
    down.stderr,
  );
  const listed = JSON.parse((await jobd('jobs', 'list', '--status', 'up', '--json')).stdout) as {
    jobs: Job[];
  };
  assert.deepEqual(listed.jobs.map(({ name }) => name).toSorted(), ['one', 'two']);
  assert.deepEqual(await jobd('jobs', 'list', '--status', 'paused'), {
    exitCode: 0,
    stdout: '',
    stderr: 'no job has the status paused\n',
  });
  const unknown = await jobd('jobs', 'list', '--status', 'donw');
  assert.deepEqual(
    [unknown.exitCode, unknown.stderr],
    [
      2,
      'jobd: --status must be one of down, new, up, paused, running, missed, held, got donw, did you mean down?\n',
    ],
  );
  assert.equal(
    (await jobd('monitors', 'list', '--status', 'late')).stderr,
    'no monitor has the status late\n',
  );

  const told = await jobd('runs', 'tail', '--no-follow', '--status', 'failed');
  assert.equal(told.exitCode, 0, told.stderr);
  assert.partialDeepStrictEqual(JSON.parse(told.stdout), { id, job: { name: 'broken' } });

  assert.match(
    (await jobd('jobs', 'pause')).stderr,
    /^jobd: either name the jobs or use --all, --status or --selector\n/,
  );
  assert.equal((await jobd('jobs', 'pause', 'one', '--all')).exitCode, 2);
  assert.match(
    (await jobd('jobs', 'delete', '--all')).stderr,
    /Delete 3 jobs and all their runs\?|Delete 3 jobs/,
  );
  const deleted = await jobd('jobs', 'delete', '--all', '--yes');
  assert.deepEqual([deleted.exitCode, lines(deleted.stdout).length], [0, 3]);
  assert.equal((await jobd('jobs', 'list')).stderr, 'there are no jobs\n');
});

/** Of all that listen, the newest one: the test runner would end the process. */
function pressCtrlC(): void {
  process.listeners('SIGINT').at(-1)?.('SIGINT');
}

test('Ctrl-C stops between two requests, and says what was done', async () => {
  const said: string[] = [];
  const rows: string[] = [];
  const output = {
    isTerminal: false,
    width: 80,
    hasColour: false,
    data: (line: string) => void rows.push(line),
    styled: (line: string) => void rows.push(line),
    say: (line: string) => void said.push(line),
  };
  const context: Context = { output, argv: [], exitCode: 0 };
  const found = Array.from({ length: 250 }, (_, index) => ({ id: `i${index}`, name: `n${index}` }));
  let requests = 0;
  const many: Many<unknown, unknown> = {
    noun: 'job',
    of: () => assert.fail('it is done by many'),
    async actOnMany(_, __, ids) {
      requests += 1;
      if (requests === 2) pressCtrlC();
      return ids.map(() => ({ error: null }));
    },
  };
  await actOn(context, many, {} as Api, 'pause', found, {});
  assert.deepEqual([requests, rows.length, context.exitCode], [2, 200, 130]);
  assert.deepEqual(said, ['stopped: paused 200 of 250 jobs']);
  const broken = { ...many, actOnMany: () => Promise.reject(new JobdError('unreachable', 'gone')) };
  await assert.rejects(actOn(context, broken, {} as Api, 'pause', found, {}), { message: 'gone' });
});

test('a script that creates many waits for the rate limit', async (t) => {
  const { env, url } = await serveCommand(t);
  const options = {
    jobs: ['--url', 'https://example.com/', '--every', '5m'],
    monitors: ['--every', '5m'],
    windows: ['--effect', 'mute', '--for', '1h', '--yes'],
    badges: [],
    channels: ['--type', 'webhook', '--url', 'https://example.com/'],
  };
  for (const [list, given] of Object.entries(options)) {
    const limited = { status: 429, headers: { 'retry-after': '1' } };
    const proxied = await startProxy(t, url, (_, count) => (count === 1 ? limited : null));
    const command = [list, 'create', '--name', 'one', ...given];
    const { exitCode, stderr } = await runCommand(command, { ...env, JOBD_URL: proxied });
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /^[^\n]+; waiting\n/);
  }
});

test('the due times of a new job are shown when the rate limit allows it', async (t) => {
  const { env, url } = await serveCommand(t);
  const limited = { status: 429, headers: { 'retry-after': '1' } };
  const waiting = new Set(['chain', 'due-times']);
  const proxied = await startProxy(t, url, (asked) => {
    return waiting.delete(/\/jobs\/[^/]+\/([\w-]+)/.exec(asked)?.[1] ?? '') ? limited : null;
  });
  const command = ['jobs', 'create', '--name', 'one', '--url', 'https://example.com/'];
  const made = await runCommand([...command, '--every', '5m'], { ...env, JOBD_URL: proxied });
  assert.deepEqual([made.exitCode, waiting.size], [0, 0], made.stderr);
  assert.match(made.stderr, /; waiting\n[^\n]+; waiting\n/);
  assert.match(made.stdout, /^next runs\t20/m);
});
