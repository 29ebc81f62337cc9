/** What somebody sees who starts jobd for the first time, on a terminal. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { temporaryDirectory } from '../../support/directory.ts';
import { program, runCommand } from '../../support/running/command.ts';
import { makeStoreWithKey } from '../../support/running/prepare.ts';
import { until } from '../../support/until.ts';

const noTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? false
    : 'script (bsdutils) is not installed';

/** Starts serve on a terminal. Returns a function that reads what it has written there. */
function serveOnTerminal(
  t: TestContext,
  dataDir: string,
  more = '--log-level silent',
): () => string {
  const words = `exec '${program.join("' '")}' serve --port 0 --data '${dataDir}' ${more}`;
  const child = spawn('script', ['-qec', words, '/dev/null'], {
    env: { TERM: 'xterm', SHELL: '/bin/sh' },
  });
  t.after(() => child.kill('SIGKILL'));
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  return () => written;
}

test(
  'serve on a terminal names jobd open until there is a key',
  { skip: noTerminal },
  async (t) => {
    const dataDir = temporaryDirectory(t);
    const first = serveOnTerminal(t, dataDir);
    await until('the first steps', () => first().includes('runs list hello'));
    const lines = first().split('\r\n');
    assert.match(lines[0] ?? '', /^listening on http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(lines[1], `data is in ${dataDir}; Ctrl-C stops jobd`);
    assert.match(
      lines[2] ?? '',
      /^no key yet: .* open --data .*, in a second terminal, prints a link that signs you in$/,
    );
    const printed = await runCommand(['open', '--data', dataDir]);
    assert.match(printed.stdout, /^http:\/\/127\.0\.0\.1:\d+\/sign-in#code=\S+$/m);

    const other = temporaryDirectory(t);
    await makeStoreWithKey(other);
    const second = serveOnTerminal(t, other);
    await until('it serves', () => second().includes('Ctrl-C stops jobd\r\n'));
    assert.doesNotMatch(second(), /jobd open|no key yet/);
  },
);

test('serve on all addresses says who can reach it', { skip: noTerminal }, async (t) => {
  for (const host of ['0.0.0.0', '::']) {
    const shown = serveOnTerminal(t, temporaryDirectory(t), `--host ${host} --log-level silent`);
    await until('it serves', () => shown().includes('Ctrl-C stops jobd'));
    assert.match(
      shown(),
      /^listening on all addresses, port [1-9]\d*, without https: everybody in the network can reach it\r\n/,
    );
    const guess =
      /receipts and links say http:\S+, which only works on this machine: set --base-url/;
    assert.match(shown(), guess);
    const dataDir = temporaryDirectory(t);
    const given = `--host ${host} --base-url http://127.0.0.1:8080`;
    const told = serveOnTerminal(t, dataDir, given);
    await until('it serves', () => told().includes('Ctrl-C stops jobd'));
    assert.doesNotMatch(told(), /receipts and links say/);
  }
});

test(
  'on a terminal the log is for people, unless JSON is asked for',
  { skip: noTerminal },
  async (t) => {
    const human = serveOnTerminal(t, temporaryDirectory(t), '');
    await until('the line of the start', () => human().includes('nothing is due'));
    assert.match(
      stripVTControlCharacters(human()),
      /^\d\d:\d\d:\d\d {2}jobd \S+ started on http:/m,
    );
    const json = serveOnTerminal(t, temporaryDirectory(t), '--log-format json');
    await until('the line of the start', () =>
      /^\{"level":30,.*"msg":"jobd started"\}\r$/m.test(json()),
    );
  },
);
