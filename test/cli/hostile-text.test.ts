/** A server whose every text tries to control the terminal of the user. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { startSink } from '../support/fakes/sink.ts';
import { program, runCommand } from '../support/running/command.ts';
import { runProgram } from '../support/running/program.ts';

/**
 * Clears the screen, sets the title and colours, reverses text, rings the bell, goes back and
 * breaks the line.
 */
const steering =
  '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2066\u2028\b\r\nfake: line\tx\u007f';
const hostile = (text: string): string => `${text}${steering}`;
const controls =
  // oxlint-disable-next-line no-control-regex -- control characters must not appear
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const id = '019a9b1c-0000-7000-8000-000000000000';

const moment = hostile('2026-01-01T00:00:00.000Z');
const job = {
  id: hostile(id),
  name: hostile('name'),
  url: hostile('http://a.test/'),
  method: hostile('GET'),
  body: hostile('body'),
  scheduleType: 'cron',
  cronExpr: hostile('* * * * *'),
  timezone: hostile('Europe/Paris'),
  periodSeconds: null,
  timeoutSeconds: 30,
  retries: 0,
  notes: hostile('notes'),
  paused: true,
  headerNames: [hostile('X-A')],
  status: hostile('up'),
  nextRunAt: null,
  lastRunAt: moment,
  lastDurationMs: 1,
  downReason: hostile('down'),
  createdAt: moment,
};
const run = {
  id: hostile(id),
  jobId: id,
  source: hostile('manual'),
  status: hostile('failed'),
  scheduledFor: moment,
  startedAt: moment,
  finishedAt: null,
  attempts: 1,
  httpStatus: 200,
  durationMs: 1,
  responseBody: hostile('answer'),
  truncated: false,
  error: hostile('error'),
};

const chain = {
  after: { jobId: id, on: 'success', name: hostile('other') },
  followers: [{ id, name: hostile('follower'), on: 'failed' }],
};

/**
 * Answers the requests of the commands below; a failure has hostile text, the second one is final.
 */
async function startHostileServer(t: TestContext): Promise<Record<string, string>> {
  let failures = 0;
  const { url } = await startSink(t, (response, { path: asked }) => {
    const path = asked.replace(/^\/api\/v1|\?.*$/g, '');
    const answers: Record<string, object> = {
      [`/jobs/${id}`]: { job },
      [`/jobs/${id}/chain`]: chain,
      [`/jobs/${id}/runs`]: { runs: [run], nextCursor: null, totals: { failed: 1 } },
      [`/jobs/${id}/runs/${id}`]: { run },
      '/channels': { channels: [], nextCursor: null },
    };
    const answer = answers[path];
    if (answer === undefined) failures += 1;
    const refusal = failures > 1 ? 403 : 503;
    const status = answer === undefined ? refusal : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: hostile('refused') }));
  });
  return { JOBD_URL: url, JOBD_API_KEY: `cp_${'0'.repeat(64)}`, NO_COLOR: '1' };
}

test('impossible zones and times are shown as they are', async (t) => {
  const due = { ...job, paused: false, nextRunAt: '2026-01-01T00:00:00.000Z', timezone: 'UTC' };
  const period = { scheduleType: 'period', cronExpr: null };
  const jobs = [
    { ...due, timezone: 'No/Where' },
    { ...due, nextRunAt: 'soon' },
    { ...due, cronExpr: 'now and then' },
    { ...due, ...period, periodSeconds: 1e300 },
    { ...due, ...period, periodSeconds: 60, timezone: 'No/Where' },
  ];
  for (const one of jobs) {
    const alone = { after: null, followers: [] };
    const times = { next: ['soon', '2026-01-01T00:00:00.000Z'], notes: [] };
    const { url } = await startSink(t, (response, { path }) => {
      const ofJob = path.includes('/due-times') ? times : { job: one };
      response.end(JSON.stringify(path.endsWith('/chain') ? alone : ofJob));
    });
    const env = { JOBD_URL: url, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
    const { stdout, stderr, exitCode } = await runCommand(['jobs', 'get', id], env);
    assert.deepEqual([stderr, exitCode], ['', 0]);
    assert.ok(stdout.includes(one.nextRunAt), stdout);
  }
});

const commands = [
  ['jobs', 'get', id],
  ['jobs', 'pause', id],
  ['runs', 'list', id],
  ['runs', 'get', id, id],
  ['runs', 'tail'],
  ['jobs', 'list'],
  ['export'],
  ['monitors', 'list'],
  [`no such command ${steering}`],
];

test('no text from a server can control the terminal, in any command', async (t) => {
  const noScript = spawnSync('script', ['--version']).error !== undefined;
  for (const command of commands) {
    const env = await startHostileServer(t);
    const { stdout, stderr } = await runCommand(command, env);
    assert.notEqual(stdout + stderr, '');
    assert.doesNotMatch(stdout + stderr, controls, command.join(' '));
    if (noScript) continue;
    const words = [...program, ...command].map((word) => `'${word}'`).join(' ');
    const terminal = ['script', '--quiet', '--return', '--command', words, '/dev/null'];
    const ran = await runProgram(terminal, {
      env: { ...(await startHostileServer(t)), TERM: 'xterm', SHELL: '/bin/sh' },
    });
    assert.notEqual(ran.stdout, '');
    // The terminal itself ends lines with both.
    assert.doesNotMatch(ran.stdout.replaceAll('\r\n', '\n'), controls, command.join(' '));
  }
});

test('JSON output contains every text of a server unchanged', async (t) => {
  const env = await startHostileServer(t);
  const { stdout } = await runCommand(['jobs', 'get', id, '--json'], env);
  assert.deepEqual(JSON.parse(stdout).job.name, job.name);
  assert.doesNotMatch(stdout, controls);
});
