/** Where `jobd ping` takes its URL from, and that no argument has to show it. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { splitWords } from '../../../src/cli/monitors/ping-url.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand } from '../../support/running/command.ts';

const noProc = existsSync('/proc/self/cmdline') ? false : 'arguments are read from /proc';

function split(line: string) {
  const argv = line.split(' ');
  const at = argv.indexOf('--');
  const words = argv.filter((word, index) => index !== at && !word.startsWith('--'));
  return splitWords(words.slice(3), argv);
}

test('the first word is the URL, unless all words are after --', () => {
  for (const [line, given, command] of [
    ['node jobd ping', null, []],
    ['node jobd ping URL', 'URL', []],
    ['node jobd ping --', null, []],
    ['node jobd ping URL --', 'URL', []],
    ['node jobd ping -- job', null, ['job']],
    ['node jobd ping --output -- job -a', null, ['job', '-a']],
    ['node jobd ping --output URL -- job -a', 'URL', ['job', '-a']],
    ['node jobd ping URL job', 'URL', ['job']],
    ['node jobd ping URL sh -- job', 'URL', ['sh', 'job']],
  ] as const) {
    assert.deepEqual(split(line), { given, command: [...command] }, line);
  }
});

test('the URL is an argument, the text of a file, or the variable', async (t) => {
  const sink = await startSink(t, (response) => response.end('{"ok":true}'));
  const file = join(temporaryDirectory(t), 'url');
  writeFileSync(file, `\n${sink.url}/ping/file \n`, { mode: 0o600 });
  const env = { JOBD_PING_URL: ` ${sink.url}/ping/variable\n` };
  const command = ['--', process.execPath, '-e', 'process.exitCode = 3'];
  for (const [args, exitCode, paths] of [
    [['--fail'], 0, ['/ping/variable/fail']],
    [[`@${file}`], 0, ['/ping/file']],
    [[`${sink.url}/ping/given`], 0, ['/ping/given']],
    [command, 3, ['/ping/variable/start', '/ping/variable/3']],
    [[`@${file}`, ...command], 3, ['/ping/file/start', '/ping/file/3']],
    [[`${sink.url}/ping/given`, ...command], 3, ['/ping/given/start', '/ping/given/3']],
  ] as const) {
    const before = sink.received.length;
    const ran = await runCommand(['ping', ...args], env);
    assert.deepEqual([ran.exitCode, ran.stderr], [exitCode, ''], args.join(' '));
    const received = sink.received.slice(before).map(({ path }) => path);
    assert.deepEqual(received, paths, args.join(' '));
  }
});

test('a URL that is missing or wrong is not repeated, and the command runs', async (t) => {
  const file = join(temporaryDirectory(t), 'url');
  writeFileSync(file, 'http://127.0.0.1:1/ping/secret\nhttp://127.0.0.1:1/ping/secret\n');
  const mustBe = 'must be the ping URL of a monitor, such as https://jobs.example.com/ping/5c1f…';
  for (const [args, env, sentence] of [
    [[], {}, 'there is no ping URL: name it, or set JOBD_PING_URL; jobd monitors get shows it'],
    [[], { JOBD_PING_URL: 'secret' }, `JOBD_PING_URL ${mustBe}`],
    [[`@${file}`], {}, `the text of ${file} ${mustBe}`],
    [[`@${file}.no`], {}, `the ping URL @${file}.no: there is no file ${file}.no`],
    [['secret'], {}, `the URL ${mustBe}`],
  ] as [string[], Record<string, string>, string][]) {
    const alone = await runCommand(['ping', ...args], env);
    assert.deepEqual([alone.exitCode, alone.stderr], [2, `jobd: ${sentence}\n`]);
    const words = ['--', process.execPath, '-e', 'console.log(1); process.exitCode = 4'];
    const around = await runCommand(['ping', ...args, ...words], env);
    assert.deepEqual(around, {
      exitCode: 4,
      stdout: '1\n',
      stderr: `jobd: no pings are sent: ${sentence}\n`,
    });
  }
});

test(
  'with a file or the variable, no argument of a process shows the URL',
  { skip: noProc },
  async (t) => {
    const sink = await startSink(t, (response) => response.end('{"ok":true}'));
    const file = join(temporaryDirectory(t), 'url');
    writeFileSync(file, `${sink.url}/ping/secret`);
    chmodSync(file, 0o600);
    // The arguments of `jobd ping`, which is the parent of the command.
    const script = `console.log(require('node:fs').readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8'))`;
    const command = ['--', process.execPath, '-e', script];
    const shown = async (args: string[], env = {}): Promise<string> =>
      (await runCommand(['ping', ...args, ...command], env)).stdout;
    assert.match(await shown([`${sink.url}/ping/secret`]), /ping\/secret/, 'what this avoids');
    for (const stdout of [
      await shown([`@${file}`]),
      await shown([], { JOBD_PING_URL: `${sink.url}/ping/secret` }),
    ]) {
      assert.match(stdout, /\0ping\0/);
      assert.doesNotMatch(stdout, /ping\/secret/);
    }
    assert.equal(sink.received.length, 6);
  },
);
