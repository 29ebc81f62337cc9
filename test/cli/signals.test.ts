/** What each signal does to jobd: it ends it or it does nothing, and no signal opens Node's debugger. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { startSink } from '../support/fakes/sink.ts';
import { program, programToServe, runCommand, startCommand } from '../support/running/command.ts';
import { startServe } from '../support/running/executable.ts';
import { storedRun } from '../support/running/local.ts';
import { until } from '../support/until.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

const notLinux = process.platform === 'linux' ? false : 'needs /proc';

/** What can be caught. */
const signals = (Object.keys(constants.signals) as NodeJS.Signals[]).filter(
  (signal) => signal !== 'SIGKILL' && signal !== 'SIGSTOP',
);
/** These stop a process that does not catch them, until SIGCONT. */
const stopping: ReadonlySet<string> = new Set(['SIGTSTP', 'SIGTTIN', 'SIGTTOU']);
/** These do nothing, or do nothing to a process whose program does not ask for them. */
const harmless: ReadonlySet<string> = new Set([
  'SIGUSR1',
  'SIGPIPE',
  'SIGXFSZ',
  'SIGCHLD',
  'SIGCONT',
  'SIGURG',
  'SIGWINCH',
  ...stopping,
]);

/** The ports on which a process listens. */
function portsOf(pid: number): number[] {
  const links = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        return ''; // closed meanwhile
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1),
  );
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const isOwn = state === '0A' && links.has(`socket:[${inode}]`);
    return isOwn ? [parseInt(local.split(':').at(-1) ?? '', 16)] : [];
  });
}

/** Whether a process catches a signal. */
function isCaught(pid: number, signal: NodeJS.Signals): boolean {
  const [, mask = '0'] =
    /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** The only child of a process. */
async function childOf(pid = 0): Promise<number> {
  return await until('the child', () =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]),
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
  if (stopping.has(signal)) process.kill(pid, 'SIGCONT');
}

test('no signal makes a server listen on another port', { skip: notLinux }, async (t) => {
  const daemon = startServe(t, ['--data', temporaryDirectory(t)], {
    cwd: process.cwd(),
    ...programToServe,
  });
  const url = await daemon.listening;
  const ports = [Number(new URL(url).port)];
  assert.deepEqual(portsOf(daemon.pid), ports);
  for (const signal of signals.filter((one) => harmless.has(one))) {
    send(daemon.pid, signal);
    assert.equal((await fetch(`${url}/healthz`)).status, 200, signal);
  }
  send(daemon.pid, 'SIGHUP');
  await until('the line about it', () => daemon.log().includes('SIGHUP is ignored without'));
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.deepEqual(portsOf(daemon.pid), ports);
  assert.equal(await daemon.stop('SIGTERM'), 0);
  await daemon.closed;
  // Node says so when it has opened its debugger, and when it could not.
  for (const line of daemon.log().trim().split('\n')) JSON.parse(line);
});

test('each other signal ends a command that waits', { skip: notLinux }, async (t) => {
  for (const signal of signals.filter((one) => !harmless.has(one))) {
    const waiting = startCommand(t, ['demo', '--port', '0']);
    let said = '';
    waiting.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    await until('its words', () => said.includes('listening'));
    const ports = portsOf(waiting.pid ?? 0);
    waiting.kill('SIGUSR1');
    assert.deepEqual(portsOf(waiting.pid ?? 0), ports);
    waiting.kill(signal);
    await until(`the end by ${signal}`, () => waiting.exitCode ?? waiting.signalCode);
    const { exitCode, signalCode } = waiting;
    const number = signalCode === null ? (exitCode ?? 0) - 128 : constants.signals[signalCode];
    assert.equal(number, constants.signals[signal]);
    assert.doesNotMatch(said, /ebugger|inspector/, 'it opened no debugger');
  }
});

const noProcessNamespace =
  spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0
    ? false
    : 'no process namespace can be made here';

test(
  'as the first process of a container, a command is ended by what ends others',
  { skip: notLinux || noProcessNamespace },
  async (t) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
      const container = spawn('unshare', ['--pid', '--fork', '--kill-child', ...program, 'login'], {
        env: { HOME: temporaryDirectory(t) },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      t.after(() => container.kill('SIGKILL'));
      const pid = await childOf(container.pid);
      // Of these, Node itself does not catch this one.
      await until('its first moment', () => isCaught(pid, 'SIGQUIT'));
      process.kill(pid, signal);
      const code = await until(`the end by ${signal}`, () => container.exitCode);
      assert.equal(code, 128 + constants.signals[signal], signal);
    }
  },
);

test(
  'as the first process of a container, a command is ended by a signal that comes before it is loaded',
  { skip: notLinux || noProcessNamespace },
  async (t) => {
    const directory = temporaryDirectory(t);
    const [held, go, hold] = ['held', 'go', 'hold.cjs'].map((name) => join(directory, name));
    writeFileSync(
      hold ?? '',
      `const fs = require('node:fs');
       fs.writeFileSync(${JSON.stringify(held)}, '');
       const cell = new Int32Array(new SharedArrayBuffer(4));
       while (!fs.existsSync(${JSON.stringify(go)})) Atomics.wait(cell, 0, 0, 10);`,
    );
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const command = [process.execPath, '--require', hold ?? '', main, 'login'];
      const container = spawn('unshare', ['--pid', '--fork', '--kill-child', ...command], {
        env: { HOME: directory },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      t.after(() => container.kill('SIGKILL'));
      const pid = await childOf(container.pid);
      await until('Node runs', () => existsSync(held ?? ''));
      process.kill(pid, signal);
      writeFileSync(go ?? '', '');
      const code = await until(`the end by ${signal}`, () => container.exitCode);
      assert.equal(code, 128 + constants.signals[signal], signal);
      for (const file of [held, go]) rmSync(file ?? '');
    }
  },
);

const noScript =
  spawnSync('script', ['--version']).status === 0 ? false : 'script(1) is not installed';

test(
  'a server whose terminal is gone waits for its calls and stops',
  { skip: notLinux || noScript },
  async (t) => {
    const held: ServerResponse[] = [];
    const sink = await startSink(t, (response) => held.push(response));
    const dataDir = temporaryDirectory(t);
    const words = ['serve', '--port', '0', '--data', dataDir, '--allow-target', '127.0.0.1/32:*'];
    const command = ['exec', ...program, ...words].map((word) => `'${word}'`).join(' ');
    const terminal = spawn('script', ['-qc', command.replace("'exec'", 'exec'), '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { SHELL: '/bin/sh', PATH: process.env['PATH'] },
    });
    t.after(() => terminal.kill('SIGKILL'));
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    const [, url = ''] = await until('the server', () => /listening on (http:\S+)/.exec(shown));
    const pid = await childOf(terminal.pid);
    t.after(() => spawnSync('kill', ['-KILL', String(pid)]));
    const key = (await runCommand(['key', 'create'], { JOBD_DATA: dataDir })).stdout.trim();
    const env = { JOBD_URL: url, JOBD_API_KEY: key };
    const job = ['jobs', 'create', '--name', 'slow', '--url', sink.url, '--every', '1h'];
    assert.equal((await runCommand(job, env)).exitCode, 0);
    const runId = (await runCommand(['jobs', 'run', 'slow'], env)).stdout.trim();
    await until('the request at the target', () => held[0]);
    terminal.kill('SIGKILL');
    await until('the stop', async () => (await fetch(`${url}/readyz`)).status === 503);
    // A shell and the system may both tell it that the terminal is gone.
    process.kill(pid, 'SIGHUP');
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    held[0]?.end('late');
    await until('its end', () => spawnSync('kill', ['-0', String(pid)]).status !== 0);
    assert.deepEqual(await storedRun(dataDir, runId), { status: 'success', responseBody: 'late' });
  },
);
