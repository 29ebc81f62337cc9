/** Ctrl-C, Ctrl-D and no at each kind of question, on a terminal. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { exitCodes, interruptedExitCode } from '../../../src/cli/exit-codes.ts';
import { program, runCommand, serveCommand } from '../../support/running/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

const noTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? false
    : 'script of util-linux is not installed';

interface Answered {
  /** What the command wrote after its question. */
  said: string;
  exitCode: number;
  /** Whether lines and their echo are as before. */
  isRestored: boolean;
}

/** Runs a command on a terminal and types `keys` once it has asked `question`. */
async function answer(
  args: readonly string[],
  { question, keys, env }: { question: string; keys: string; env: Record<string, string> },
): Promise<Answered> {
  const words = [...program, ...args].map((word) => `'${word}'`).join(' ');
  const settings = 'stty -a | tr " ;" "\\n\\n" | grep -E "^-?(icanon|echo|isig)$" | sort | xargs';
  const child = spawn(
    'script',
    ['-qec', `${settings}; ${words}; echo "code $?"; ${settings}`, '/dev/null'],
    { env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', SHELL: '/bin/sh', ...env } },
  );
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close');
  await until('the question', () => screen.includes(question));
  child.stdin.write(keys);
  await ended;
  const at = screen.indexOf(question);
  const [before, after] = [screen.slice(0, at), screen.slice(at + question.length)];
  const [said = '', exitCode = '', settingsAfter = ''] = after.split(/code (\d+)/);
  return {
    said: stripVTControlCharacters(said),
    exitCode: Number(exitCode),
    isRestored: before.includes('echo icanon isig') && settingsAfter.trim() === 'echo icanon isig',
  };
}

test(
  'Ctrl-C or no at any question ends the command with one line',
  { skip: noTerminal },
  async (t) => {
    const daemon = await serveCommand(t);
    const served = { ...daemon.env, XDG_CONFIG_HOME: temporaryDirectory(t) };
    const { stdout: keys } = await runCommand(['key', 'list', '--json'], served);
    const [key] = JSON.parse(keys).keys;
    const made = ['jobs', 'create', '--name', 'hello', '--url', 'http://127.0.0.1:1/', '--cron'];
    assert.equal((await runCommand([...made, '0 3 1 1 *'], served)).exitCode, 0);
    const questions: [args: readonly string[], question: string][] = [
      [['jobs', 'delete', 'hello'], '[y/N] '],
      [['key', 'revoke', key.id, '--data', daemon.dataDir], '[y/N] '],
      [['login', '--url', daemon.url], 'API key: '],
    ];
    for (const [args, question] of questions) {
      const asked = { question, env: served };
      assert.deepEqual(
        await answer(args, { ...asked, keys: '\u0003' }),
        {
          said: '\r\njobd: cancelled, nothing was changed\r\n',
          exitCode: interruptedExitCode,
          isRestored: true,
        },
        args.join(' '),
      );
      const refused = await answer(args, { ...asked, keys: '\u0004' });
      const refusedCode = question === 'API key: ' ? 2 : 1;
      assert.deepEqual([refused.exitCode, refused.isRestored], [refusedCode, true], args.join(' '));
      assert.match(refused.said, /^\r\njobd: (?:cancelled|standard input holds no API key).*\r\n$/);
    }
    const no = { question: '[y/N] ', keys: 'n\n', env: served };
    const declined = await answer(['jobs', 'delete', 'hello'], no);
    assert.deepEqual(
      [declined.exitCode, declined.said],
      [1, 'n\r\r\njobd: cancelled, nothing was changed\r\n'],
    );
    assert.match((await runCommand(['jobs', 'list'], served)).stdout, /hello/);
    assert.ok(exitCodes.some(([code]) => code === interruptedExitCode));
  },
);

test('no other file asks questions', () => {
  const root = join(import.meta.dirname, '..', '..', '..');
  const asking = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
    /setRawMode|createInterface/.test(readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(asking, ['src/cli/terminal/prompt.ts']);
});
