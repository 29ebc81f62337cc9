/** The daemon as a process: it prints its address, logs, and stops on a signal. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { checkDirectory } from '../../../src/app/operator/doctor-file.ts';
import { startDaemon } from '../../../src/serve/daemon.ts';
import { serveConfig } from '../../../src/settings/config.ts';
import { storedRun } from '../../support/running/local.ts';
import { version } from '../../../src/version.ts';
import { programToServe, runCommand, serveCommand } from '../../support/running/command.ts';
import { startServe } from '../../support/running/executable.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { each } from '../../support/each.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

/** Every line of the log is a JSON object. */
function logLines(stderr: string): LogLine[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}

test('serve prints one line, logs JSON on stderr, and ends with 0 on SIGTERM', async (t) => {
  const daemon = await serveCommand(t);
  const { port } = new URL(daemon.url);
  assert.notEqual(port, '0');

  const other = temporaryDirectory(t);
  const taken = await runCommand(['serve', '--port', port], { JOBD_DATA: other });
  assert.equal(taken.exitCode, 1);
  assert.equal(taken.stdout, '');
  const address = `127.0.0.1:${port}`;
  assert.equal(
    taken.stderr.trimEnd(),
    `jobd: ${address} is taken by another program: choose another with --port, or stop it`,
  );

  const { exitCode, stdout, stderr } = await daemon.stop('SIGTERM');
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, `listening on ${daemon.url}`);
  const [started, stopping, stopped, ...more] = logLines(stderr);
  const servedUntil = null;
  const nothing = { jobs: 0, monitors: 0, nextDueAt: null };
  const place = { dataDir: daemon.dataDir, url: daemon.url, baseUrl: null, servedUntil, version };
  assert.deepEqual(started, { ...started, msg: 'jobd started', ...place, ...nothing });
  const wait = { signal: 'SIGTERM', calls: 0, waitMs: 30_000 };
  const msg = 'stopping, a second signal stops at once';
  assert.deepEqual(stopping, { ...stopping, msg, ...wait });
  assert.deepEqual([stopped?.msg, more], ['jobd stopped', []]);
  assert.ok(!stderr.includes(daemon.env['JOBD_API_KEY'] ?? ''), 'no key is logged');
});

test('serve says what the doctor says of a data directory that others can write to', async (t) => {
  const dataDir = temporaryDirectory(t);
  chmodSync(dataDir, 0o755);
  const open = async (): Promise<unknown[]> => {
    const logged: LogLine[] = [];
    const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
    const config = serveConfig({ data: dataDir, port: '0' }, {});
    await (await startDaemon(config, log))[Symbol.asyncDispose]();
    return logged
      .filter(({ code }) => code?.toString().startsWith('directory-'))
      .map(({ level, msg, error }) => [level, msg, error]);
  };
  assert.deepEqual(await open(), [], 'others may only look');
  chmodSync(dataDir, 0o777);
  const words = `other users can write to ${dataDir} (mode 0777): chmod 700 it`;
  assert.equal(checkDirectory(dataDir).detail, words);
  assert.deepEqual(await open(), [[40, 'see to this', words]]);
});

test('an unusable address or data directory is refused with a message', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const refusals: [string[], number, string][] = [
    [
      ['--host', '203.0.113.1'],
      1,
      'jobd: 203.0.113.1 is not an address of this machine: choose another with --host\n',
    ],
    [['--data', file], 1, `jobd: ${file} is not a directory\n`],
    [
      ['--mail-allow', ''],
      2,
      'jobd: --mail-allow has nothing in it: give it a value, or leave it out\n',
    ],
  ];
  for (const [flags, exitCode, words] of refusals) {
    const refused = await runCommand(['serve', '--port', '0', ...flags], { JOBD_DATA: directory });
    assert.deepEqual([refused.exitCode, refused.stderr], [exitCode, words]);
  }
});

test('on SIGINT the call in flight may finish, and its result is stored', async (t) => {
  const daemon = await serveCommand(t);
  const held: ServerResponse[] = [];
  const sink = await startSink(t, (response) => held.push(response));
  const { jobd } = daemon;
  assert.equal(
    (await jobd('jobs', 'create', '--name', 'slow', '--url', sink.url, '--every', '1h')).exitCode,
    0,
  );
  const runId = (await jobd('jobs', 'run', 'slow')).stdout.trim();
  await until('the request at the target', () => held[0]);
  const stopped = daemon.stop('SIGINT');
  await until('the stop', () => daemon.log().includes('stopping'));
  const { stdout } = await jobd('runs', 'get', 'slow', runId);
  assert.match(stdout, /^status\trunning$/m, 'the API answers until the last call has ended');
  held[0]?.end('late');
  const { exitCode, stderr } = await stopped;
  assert.equal(exitCode, 0, stderr);
  const stopping = logLines(stderr).find(({ msg }) => msg.startsWith('stopping'));
  assert.equal(stopping?.['calls'], 1, 'it says how many calls it waits for');
  assert.deepEqual(
    logLines(stderr).filter(({ level }) => level > 30),
    [],
    'no warnings',
  );
  assert.deepEqual(await storedRun(daemon.dataDir, runId), {
    status: 'success',
    responseBody: 'late',
  });
});

test('serve on all addresses logs that its site URL is a guess', async (t) => {
  const started = (...args: string[]) =>
    startServe(t, ['--data', temporaryDirectory(t), ...args], {
      cwd: process.cwd(),
      ...programToServe,
    });
  const guessing = started('--host', '0.0.0.0');
  await until('the warning', () => guessing.log().includes('receipts and links say'));
  const warning = logLines(guessing.log()).find(({ level }) => level === 40);
  assert.match(warning?.msg ?? '', /only works on this machine: set --base-url \(JOBD_BASE_URL\)$/);
  assert.match(String(warning?.['siteUrl']), /^http:\/\/127\.0\.0\.1:\d+$/);

  const told = started('--host', '0.0.0.0', '--base-url', 'http://127.0.0.1:8080');
  await until('it listens', () => told.output().includes('listening on all addresses'));
  assert.equal(await told.stop(), 0);
  assert.doesNotMatch(told.log(), /receipts and links say/);
});

test('a variable that jobd does not know is named in the log, with the one that is meant', async (t) => {
  const daemon = startServe(t, ['--data', temporaryDirectory(t)], {
    cwd: process.cwd(),
    ...programToServe,
    env: { JOBD_ALOW_TARGETS: '10.0.0.0/8', JOBD_SOMETHING_ELSE: '1', JOBD_LOG_FORMAT: 'json' },
  });
  await daemon.listening;
  assert.equal(await daemon.stop('SIGTERM'), 0);
  await daemon.closed;
  const warnings = logLines(daemon.log()).filter(({ level }) => level === 40);
  assert.deepEqual(each(warnings, 'variable', 'meant'), [
    ['JOBD_ALOW_TARGETS', 'JOBD_ALLOW_TARGETS'],
    ['JOBD_SOMETHING_ELSE', null],
  ]);
});

test('systemd is told that jobd serves, when it answers, and that it stops', async (t) => {
  const directory = temporaryDirectory(t);
  const [told, socket] = [join(directory, 'told'), join(directory, 'notify')];
  const sender = `#!/bin/sh\necho "$@" to "$NOTIFY_SOCKET" >>'${told}'\n`;
  writeFileSync(join(directory, 'systemd-notify'), sender, { mode: 0o755 });
  const serve = (path: string) =>
    startServe(t, ['--data', temporaryDirectory(t)], {
      cwd: process.cwd(),
      ...programToServe,
      env: { NOTIFY_SOCKET: socket, PATH: path },
    });
  const daemon = serve(`${directory}:${process.env['PATH']}`);
  const url = await daemon.listening;
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  await until('systemd is told', () => existsSync(told) && readFileSync(told, 'utf8') !== '');
  assert.equal(await daemon.stop('SIGTERM'), 0);
  assert.deepEqual(readFileSync(told, 'utf8').split('\n'), [
    `--ready --status=serves ${url} to ${socket}`,
    `STOPPING=1 --status=stopping, waits for 0 calls in flight to ${socket}`,
    '',
  ]);

  const alone = serve(temporaryDirectory(t));
  await until('it says that nobody was told', () => alone.log().includes('systemd was not told'));
  assert.equal((await fetch(`${await alone.listening}/healthz`)).status, 200);
  assert.equal(await alone.stop('SIGTERM'), 0);
});
