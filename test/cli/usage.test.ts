/** Usage errors and exit codes of the command line (docs/behavior.md#the-command-line). */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { version } from '../../src/version.ts';
import { startSink } from '../support/fakes/sink.ts';
import { startTarget } from '../support/fakes/target.ts';
import { program, runCommand } from '../support/running/command.ts';

const unknownKey = `cp_${'0'.repeat(64)}`;
/** A server that must not be called. */
const nowhere = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: unknownKey };

test('--version and --help print to stdout and exit with 0', async () => {
  assert.deepEqual(await runCommand(['--version']), {
    exitCode: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
  const help = await runCommand(['--help']);
  assert.equal(help.exitCode, 0);
  assert.equal(help.stderr, '');
  const commands = [
    'serve',
    'key',
    'account',
    'workspace',
    'signing-key',
    'jobs',
    'runs',
    'monitors',
    'ping',
    'channels',
    'schedule',
    'verify',
  ];
  for (const command of commands) {
    assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'));
  }
  const create = await runCommand(['jobs', 'create', '--help']);
  assert.equal(create.exitCode, 0);
  assert.match(create.stdout, /--cron <expr>[\s\S]*Examples?:\n {2}jobd jobs create/);
});

test('unknown input exits with 2 and a message on stderr', async () => {
  const rows: [args: string[], words: RegExp][] = [
    [[], /Usage: jobd/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['jobs', 'frobnicate'], /unknown command 'frobnicate'/],
    [['jobs', 'list', '--frob'], /unknown option '--frob'/],
    [['jobs', 'list', 'extra'], /too many arguments/],
    [
      ['jobs', 'create', '--name', 'a', '--cron', '30', '2', 'a', 'b', 'c'],
      /in quotes, .*: it arrived as 5 arguments\n$/,
    ],
    [
      ['schedule', 'preview', '0', '2', 'a', 'b', 'c'],
      /in quotes, .*: it arrived as 5 arguments\n$/,
    ],
    [['windows', 'del', 'a'], /did you mean delete\?/],
    [['-v'], /did you mean --version\?/],
    [['serve', '--allow-target', '127.0.0.1,lan'], /got "lan"/],
    [['serve', '--mail-allow', ' , '], /^jobd: --mail-allow has nothing in it/],
    [['jobs', 'get'], /missing required argument 'job'/],
    [['jobs', 'create', '--name', 'a'], /^jobd: say what to call: --url or --curl\n$/],
    [['serve', '--port'], /option '--port <port>' argument missing/],
    [['serve', '--port', 'abc'], /^jobd: --port \(or JOBD_PORT\) must be .*got abc\n$/],
    [['serve', '--allow-target', 'lan'], /^jobd: --allow-target \(or JOBD_ALLOW_TARGETS\).*"lan"/],
    [
      ['key', 'create', '--permission', 'admin'],
      /--permission must be one of read, write, got admin/,
    ],
  ];
  for (const [args, words] of rows) {
    const { exitCode, stdout, stderr } = await runCommand(args);
    assert.equal(exitCode, 2, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '', args.join(' '));
    assert.match(stderr, words);
  }
});

test('invalid input is refused before any request', async () => {
  const create = ['jobs', 'create', '--name', 'a', '--url', 'http://127.0.0.1:1/'];
  const rows: [args: string[], words: RegExp][] = [
    [[...create, '--cron', '@daily', '--every', '5m'], /use either --cron or --every, not both/],
    [[...create, '--curl', 'curl x'], /use either --curl or --url, not both/],
    [
      ['jobs', 'create', '--name', 'a', '--curl', 'lynx x'],
      /--curl is not read: paste a curl or wget command/,
    ],
    [['runs', 'tail', '--status', 'running'], /--status must be one of success, failed.*running/],
    [['runs', 'tail', '--since', 'soon'], /--since must be a duration such as.*"soon"/],
    [[...create, '--every', 'often'], /--every must be a duration such as 90s.*got often/],
    [[...create, '--timeout', '1.5'], /--timeout must be a duration/],
    [[...create, '--retries', 'abc'], /--retries must be a whole number.*got abc/],
    [[...create, '--retries', ''], /--retries must be a whole number.*got nothing/],
    [[...create, '--retries', '3'], /--retries must be a whole number between 0 and 2, got 3/],
    [[...create, '--header', 'novalue'], /--header must be 'Name: value'/],
    [[...create, '--header', ''], /--header must be 'Name: value'/],
    [[...create, '--header', '@/dev/null'], /--header must be 'Name: value', or @FILE with such/],
    [[...create, '--header', '@/no/such'], /--header @\/no\/such: there is no file \/no\/such\n/],
    [
      [...create, '--data', '@/no/such/file'],
      /--data @\/no\/such\/file: there is no file \/no\/such\/file\n/,
    ],
    [['jobs', 'run', 'a', '--timeout', 'soon'], /--timeout must be a duration.*got soon/],
    [['jobs', 'update', 'a', '--every', 'often'], /--every must be a duration.*got often/],
    [['runs', 'list', 'a', '--limit', '0'], /--limit must be a whole number between 1.*got 0/],
    [['runs', 'list', 'a', '--limit', '10001'], /--limit must be .* and 10000, got 10001/],
    [['runs', 'list', 'a', '--limit', ''], /--limit must be a whole number.*got nothing/],
  ];
  for (const [args, words] of rows) {
    const { exitCode, stdout, stderr } = await runCommand(args, nowhere);
    assert.equal(exitCode, 2, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.equal(stderr.trimEnd().split('\n').length, 1, 'one sentence');
  }
});

test('without a well-formed key no request is sent: 4', async () => {
  for (const key of ['', 'cp_123', 'cp_€', 'two\nlines']) {
    const env = { ...nowhere, JOBD_API_KEY: key };
    const { exitCode, stderr } = await runCommand(['jobs', 'list'], env);
    assert.equal(exitCode, 4, stderr);
    assert.match(stderr, /JOBD_API_KEY/);
    assert.ok(key === '' || !stderr.includes(key), 'a key is never repeated');
  }
});

test('a server that is unreachable or disconnects exits with 7 and is named', async () => {
  await using server = await startTarget((_, response) => {
    response
      .writeHead(200, { 'content-length': '100' })
      .write('{"jobs":', () => response.destroy());
  });
  const { url } = server;
  const env = { JOBD_URL: url, JOBD_API_KEY: unknownKey };
  const listJobs = async (words: RegExp): Promise<void> => {
    const { exitCode, stdout, stderr } = await runCommand(['jobs', 'list'], env);
    assert.equal(exitCode, 7, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.ok(stderr.startsWith(`jobd: no answer from ${url}: `), stderr);
  };
  await listJobs(/^[^\n]*\n$/);
  await server[Symbol.asyncDispose]();
  await listJobs(/ECONNREFUSED.*is jobd serve running, and is this its address\?\n$/);
});

test('a server that is not jobd is recognized as such', async (t) => {
  const pages = {
    '/api/v1/jobs?limit=100': [200, '<html>'],
    '/x/api/v1/jobs?limit=100': [418, '?'],
  };
  const { url } = await startSink(t, (response, { path }) => {
    const [status, page] = pages[path as keyof typeof pages];
    response.writeHead(Number(status)).end(page);
  });
  const env = { JOBD_URL: url, JOBD_API_KEY: unknownKey };
  const page = await runCommand(['jobs', 'list'], env);
  assert.deepEqual(page, {
    exitCode: 7,
    stdout: '',
    stderr: `jobd: ${url} does not answer like jobd; check its URL\n`,
  });
  const teapot = await runCommand(['jobs', 'list'], { ...env, JOBD_URL: `${url}/x` });
  assert.equal(teapot.exitCode, 7);
  const words = `jobd: ${url} does not answer like jobd (status 418); check its URL\n`;
  assert.equal(teapot.stderr, words);
});

test('a store that cannot be opened is reported with a message', async () => {
  const { exitCode, stderr } = await runCommand(['key', 'list'], { JOBD_DATA: '/dev/null/jobd' });
  assert.equal(exitCode, 3);
  assert.match(stderr, /^jobd: there is no database in \/dev\/null\/jobd \(JOBD_DATA\)/);
});

const noFull = existsSync('/dev/full') ? false : 'there is no /dev/full';

test('a failed write to stdout is reported, unless the reader is gone', { skip: noFull }, () => {
  const full = helpTo('> /dev/full');
  assert.equal(full.status, 1);
  assert.match(full.stderr, /^jobd: cannot write to stdout: ENOSPC.*\n$/);
  const unread = helpTo('| true');
  assert.deepEqual([unread.status, unread.stderr], [0, '']);
});

function helpTo(where: string) {
  return spawnSync('sh', ['-c', `"$0" "$@" ${where}`, ...program, '--help'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}
