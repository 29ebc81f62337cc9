/** `jobd status`: one screen, and an exit code for scripts. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startSink } from '../support/fakes/sink.ts';
import { runCommand, serveCommand } from '../support/running/command.ts';
import { until } from '../support/until.ts';

test('status says what is down and what comes next, and ends with 1 if something is down', async (t) => {
  const { jobd, url } = await serveCommand(t);
  const well = await jobd('status');
  assert.deepEqual([well.exitCode, well.stderr], [0, '']);
  const server = `server\t${url}: ready\n`;
  const none = 'jobs\tnone\nmonitors\tnone\nlast 24 h\tnone\n';
  assert.equal(
    well.stdout,
    `${server}${none}last outage\tnone in the last 7 days\nnext due\tnone\n`,
  );
  const sink = await startSink(t, (response) => response.writeHead(500).end());
  const create = ['jobs', 'create', '--url', sink.url, '--every', '1h', '--name'];
  assert.equal((await jobd(...create, 'broken')).exitCode, 0);
  assert.equal((await jobd(...create, 'idle', '--paused')).exitCode, 0);
  assert.equal((await jobd('jobs', 'run', 'broken', '--wait')).exitCode, 10);
  // Counts are a second old at most.
  const down = await until('the counts', async () => {
    const shown = await jobd('status');
    return /^jobs\t2: 1 down, 1 paused$/m.test(shown.stdout) && shown;
  });
  assert.equal(down.exitCode, 1, down.stderr);
  assert.match(down.stdout, /^last 24 h\t1 failed$/m);
  assert.match(down.stdout, /^next due\tbroken, 20\S+Z$/m);
  assert.match(down.stdout, /^broken\tjob\t20\S+Z\t-\t-\thttp: 500$/m);
  const json = JSON.parse((await jobd('status', '--json')).stdout);
  assert.deepEqual(
    [json.server.trouble, json.overview.jobs.down, json.down[0].name, json.nextDue.name],
    [null, 1, 'broken', 'broken'],
  );
});

/** An account without a trial and limits, and a workspace with nothing in it. */
const me = { plan: { jobs: null }, usage: { jobs: 2, monitors: 0 }, expiresAt: null };
const states = { total: 0, down: 0 };
const empty = { jobs: states, monitors: states, lastDay: {}, mutes: [], holds: [], asOf: '' };
const lists = { jobs: [], monitors: [], channels: [], trouble: [], nextCursor: null };

/** A server that answers each path with all there is, and what is given for that path. */
async function startAnswers(t: TestContext, answerOf: (path: string) => object) {
  const { url, received } = await startSink(t, (response, { path }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ overview: empty, ...me, ...lists, ...answerOf(path) }));
  });
  const env = { JOBD_URL: url, JOBD_API_KEY: `cp_${'a'.repeat(64)}` };
  return { received, status: () => runCommand(['status'], env) };
}

test('status says that the account keeps jobs from being called or made', async (t) => {
  let account = {};
  const { status } = await startAnswers(t, () => account);
  const said = async (more: object) => {
    account = more;
    const { exitCode, stdout } = await status();
    return [exitCode, /^account\t(.*)$/m.exec(stdout)?.[1]];
  };
  assert.deepEqual(await said({ expiresAt: '2990-01-01T00:00:00.000Z' }), [0, undefined]);
  const expiresAt = '2025-01-01T00:00:00.000Z';
  const isOver = `expired ${expiresAt}: its jobs are not called`;
  assert.deepEqual(await said({ expiresAt }), [1, isOver]);
  const usage = { jobs: 90, monitors: 9 };
  assert.deepEqual(await said({ plan: { jobs: 100 }, usage }), [0, undefined]);
  const isFull = 'full: 99 of 99 jobs and monitors';
  assert.deepEqual(await said({ plan: { jobs: 99 }, usage }), [0, isFull]);
});

test('status says which channels wait, and why', async (t) => {
  const nextAttemptAt = new Date(Date.now() + 3_600_000).toISOString();
  const hook = { id: 'a', name: 'hook', nextAttemptAt, lastDelivery: { lastError: 'http: 500' } };
  const channels = [hook, { ...hook, id: 'b', name: 'other', nextAttemptAt: null }];
  const { status } = await startAnswers(t, () => ({ channels }));
  const { stdout } = await status();
  assert.match(stdout, /^channels\thook: alerts wait, next attempt in \d+ min \(http: 500\)$/m);
});

test('status says until when windows mute and hold what is down', async (t) => {
  const monitors = { total: 2, down: 2 };
  const jobs = { total: 2, running: 1, down: 2 };
  const overview = { ...empty, jobs, monitors };
  const [mutedUntil, heldUntil] = ['2990-01-01T00:00:00.000Z', '2990-01-02T00:00:00.000Z'];
  const down = {
    jobs: [{ id: 'a', name: 'shop', failingSince: null, downReason: null, mutedUntil, heldUntil }],
    monitors: [
      { id: 'b', name: 'backup', since: mutedUntil, heldUntil, missedDueAt: null },
      { id: 'c', name: 'copy', since: heldUntil, missedDueAt: '2025-01-01T00:00:00.000Z' },
    ],
  };
  const { status } = await startAnswers(t, (path) => ({
    overview,
    ...(path.includes('down') && down),
  }));
  const { stdout } = await status();
  assert.ok(
    stdout.endsWith(
      `shop\tjob\t-\t${mutedUntil}\t${heldUntil}\t-\nbackup\tmonitor\t${mutedUntil}\t-\t${heldUntil}\tits task reported a failure\ncopy\tmonitor\t${heldUntil}\t-\t-\tno successful ping since it was due at 2025-01-01T00:00:00.000Z\n`,
    ),
  );
  assert.match(stdout, /^jobs\t2: 2 down; 1 running\nmonitors\t2: 2 down$/m);
});

test('status asks for the last outage once, and says how far it was looked for', async (t) => {
  // In a hold, a job has a later time than its place in the list says.
  const due = [
    { id: 'a', name: 'held', nextRunAt: '2990-01-02T00:00:00.000Z' },
    { id: 'b', name: 'over', nextRunAt: null },
    { id: 'c', name: 'soon', nextRunAt: '2990-01-01T00:00:00.000Z' },
  ];
  const { status, received } = await startAnswers(t, (path) => ({
    jobs: path.includes('order=due') ? due : [],
    nextCursor: path.includes('trouble') ? 'more' : null,
    isPartial: true,
  }));
  const { stdout, stderr } = await status();
  assert.equal(stderr, '');
  assert.match(stdout, /^last outage\tnone among the newest 10,000 runs that were no success$/m);
  assert.match(stdout, /^next due\tsoon, /m);
  const asked = received.filter(({ path }) => path.includes('trouble'));
  assert.equal(asked.length, 1);
  assert.match(asked[0]?.path ?? '', /\?kind=outage&limit=5&since=20/);
});
