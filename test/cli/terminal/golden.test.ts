/**
 * Output on a terminal of 40, 80 and 120 columns and in a pipe, compared with the files in `goldens`;
 * and every exit code. `UPDATE_GOLDENS=1` rewrites the files; review the diff.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { exitCodes } from '../../../src/cli/exit-codes.ts';
import { assertGolden } from '../../support/checks/golden.ts';
import { program, runCommand, serveCommand, startCommand } from '../../support/running/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';

const noScript =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? false
    : 'script of util-linux is not installed';

/** Replaces what differs from run to run. Widths change with it, so gaps get one length. */
function normalised(screen: string, urls: readonly string[]): string {
  let shown = screen.replaceAll('\r\n', '\n').replaceAll('\u001b[', '<');
  for (const url of urls) shown = shown.replaceAll(url, 'http://SITE');
  return shown
    .replace(/\b127\.[\d.]*(?::\d+)?/g, 'SITE')
    .replace(/<(\d+)m/g, '<$1>')
    .replace(/(?:\r\S waiting for the run of \w+, \d+ s<K)+\r<K/g, '<spinner>\n')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/\b[A-Z][a-z]{2} \d{4}-\d\d-\d\d [\d:]+ [+-]\d\d:\d\d/g, 'LOCAL')
    .replace(/\bnow\b|\b(?:in )?\d+ (?:d|h|min|s)\b(?: \d+ (?:h|min|s)\b)?(?: ago)?/g, 'WHEN')
    .replace(/ {2,}/g, '  ')
    .replace(/\b\d+ ms\b/g, 'N ms')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]+)?/g, 'SHORT')
    .replace(/((?:200|503)(?:\t| {2}))\d+/g, '$1N');
}

function compare(name: string, screen: string): void {
  assertGolden(join(import.meta.dirname, 'goldens', `${name}.txt`), screen);
}

/** Runs a command on a terminal of this many columns, with both streams in one. */
async function onTerminal(
  args: readonly string[],
  { columns, env }: { columns: number; env: Record<string, string> },
): Promise<{ screen: string; exitCode: number }> {
  const words = [...program, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 40; ${words}`, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number]>;
  const screen = await text(child.stdout);
  return { screen, exitCode: (await ended)[0] };
}

test('output on terminals and in pipes equals the golden files', { skip: noScript }, async (t) => {
  const daemon = await serveCommand(t);
  const sink = await startSink(t, (response, { path }) => {
    response
      .writeHead(path === '/down' ? 503 : 200)
      .end('{"ok":true}\nzweite \u001b[31mZeile 日本');
  });
  const env = { ...daemon.env, XDG_CONFIG_HOME: temporaryDirectory(t) };
  const urls = [daemon.url, sink.url];
  const create = async (name: string, path: string): Promise<void> => {
    const when = ['--cron', '0 3 1 1 *', '--tz', 'America/New_York'];
    const made = await runCommand(
      ['jobs', 'create', '--name', name, '--url', sink.url + path, ...when],
      env,
    );
    assert.equal(made.exitCode, 0, made.stderr);
  };
  const empty = await onTerminal(['jobs', 'list'], { columns: 80, env });
  assert.equal(empty.screen, 'there are no jobs\r\n');
  await create('report', '/up');
  await create('日本語の名前を持つとても長い仕事', '/up');
  await create('down', '/down');
  for (const columns of [80, 120]) {
    const job = columns === 80 ? 'report' : 'down';
    const ran = await onTerminal(['jobs', 'run', job, '--wait'], { columns, env });
    assert.equal(ran.exitCode, columns === 80 ? 0 : 10);
    compare(`run-wait-${columns}`, normalised(ran.screen, urls));
    for (const args of [
      ['jobs', 'list'],
      ['jobs', 'get', job],
      ['runs', 'list', job],
      ['key', 'list'],
      ['workspace', 'list'],
    ]) {
      const { screen } = await onTerminal(args, { columns, env });
      compare(`${args.slice(0, 2).join('-')}-${columns}`, normalised(screen, urls));
    }
  }
  const narrow = await onTerminal(['jobs', 'list'], { columns: 40, env });
  compare('jobs-list-40', normalised(narrow.screen, urls));
  const plain = await onTerminal(['jobs', 'list'], { columns: 80, env: { ...env, NO_COLOR: '1' } });
  assert.ok(!plain.screen.includes('\u001b'), 'no colours with NO_COLOR');
  for (const args of [
    ['jobs', 'list'],
    ['jobs', 'get', 'down'],
    ['runs', 'list', 'down'],
  ]) {
    const { stdout, stderr, exitCode } = await runCommand(args, env);
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.ok(!stdout.includes('\u001b'));
    compare(`${args.slice(0, 2).join('-')}-pipe`, normalised(stdout, urls));
  }
  for (const args of [
    ['help'],
    ['jobs', 'create', '--help'],
    ['help', 'exit-codes'],
    ['help', 'environment'],
  ]) {
    const { screen } = await onTerminal(args, { columns: 80, env });
    for (const line of screen.split('\r\n')) assert.ok(line.length <= 80, line);
    compare(args.join('-').replace('---', '-'), screen.replaceAll('\r\n', '\n'));
  }
});

const key = `cp_${'0'.repeat(64)}`;
const id = '019a9b1c-0000-7000-8000-000000000000';

/** A server that answers with the status, or ends runs in the state, at the start of its path. */
async function startAnswers(t: Parameters<typeof startSink>[0]): Promise<string> {
  const { url } = await startSink(t, (response, { path, method }) => {
    const [, kind = ''] = path.split('/');
    const status = /^\d+$/.test(kind) ? Number(kind) : method === 'POST' ? 202 : 200;
    const [source, scheduledFor] = ['manual', '2026-01-01T00:00:00.000Z'];
    const state = method === 'POST' ? 'queued' : kind;
    const ended = { startedAt: null, finishedAt: null, durationMs: null, httpStatus: null };
    const rest = { attempts: 0, responseBody: null, truncated: false, error: null };
    const run = { id, jobId: id, source, status: state, scheduledFor, ...ended, ...rest };
    const body = status >= 400 ? { error: 'no' } : { job: { id, name: 'a' }, run };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return url;
}

test('every exit code matches the table', async (t) => {
  const site = await startAnswers(t);
  const wait = ['jobs', 'run', id, '--wait'];
  const rows: [code: number, kind: string, args: string[]][] = [
    [0, 'success', wait],
    [1, '500', ['jobs', 'list']],
    [1, '503', ['jobs', 'list']],
    [2, '400', ['jobs', 'list']],
    [2, '', ['jobs', 'lst']],
    [3, '404', ['jobs', 'get', id]],
    [4, '401', ['jobs', 'list']],
    [4, '403', ['jobs', 'list']],
    [5, '409', ['jobs', 'pause', id]],
    [6, '402', ['jobs', 'list']],
    [6, '413', ['jobs', 'list']],
    [6, '429', ['jobs', 'list']],
    [10, 'failed', wait],
    [11, 'missed', wait],
    [11, 'interrupted', wait],
    [124, 'running', [...wait, '--timeout', '1']],
  ];
  const seen = new Set<number>();
  for (const [code, kind, args] of rows) {
    const env = { JOBD_URL: `${site}/${kind}`, JOBD_API_KEY: key };
    const { exitCode, stderr } = await runCommand(args, env);
    assert.equal(exitCode, code, `${kind}: ${stderr}`);
    seen.add(code);
  }
  const away = await runCommand(['jobs', 'list'], {
    JOBD_URL: 'http://127.0.0.1:9',
    JOBD_API_KEY: key,
  });
  assert.equal(away.exitCode, 7);
  const tail = startCommand(t, ['runs', 'tail'], {
    JOBD_URL: 'http://127.0.0.1:9',
    JOBD_API_KEY: key,
  });
  await once(tail.stderr, 'data');
  tail.kill('SIGINT');
  assert.deepEqual(await once(tail, 'exit'), [130, null]);
  const all = [...seen, 7, 130].toSorted((a, b) => a - b);
  assert.deepEqual(
    all,
    exitCodes.map(([code]) => code),
  );
});
