/** What the journal of systemd gets: why jobd does not start is an error there, whatever says it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { program, programToServe, serveCommand } from '../support/running/command.ts';
import { startServe } from '../support/running/executable.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** Runs jobd with the journal as its stderr. Returns the lines that the journal gets. */
function inJournal(
  t: TestContext,
  args: readonly string[],
  { words = program, env = {} }: { words?: readonly string[]; env?: Record<string, string> } = {},
): string[] {
  const journal = join(temporaryDirectory(t), 'journal');
  const descriptor = openSync(journal, 'w');
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  const [file = '', ...first] = words;
  const ran = spawnSync(file, [...first, ...args], {
    env: { HOME: temporaryDirectory(t), JOURNAL_STREAM: `${dev}:${ino}`, ...env },
    stdio: ['ignore', 'ignore', descriptor],
    timeout: 60_000,
  });
  closeSync(descriptor);
  assert.notEqual(ran.status, 0);
  return readFileSync(journal, 'utf8').trimEnd().split('\n');
}

test('each line that says why jobd does not start is an error in the journal', async (t) => {
  const daemon = await serveCommand(t);
  const { port } = new URL(daemon.url);
  const broken = temporaryDirectory(t);
  writeFileSync(join(broken, 'jobd.db'), 'this is no database at all');
  const lost = temporaryDirectory(t);
  writeFileSync(join(lost, 'secret-key'), 'of an earlier database', { mode: 0o600 });
  const serve = ['serve', '--port', '0'];
  const rows: [args: string[], env: Record<string, string>, words: RegExp][] = [
    [['serve'], { JOBD_PORT: 'abc' }, /--port .* got abc/],
    [['serve'], { JOBD_ALLOW_TARGETS: 'here' }, /JOBD_ALLOW_TARGETS/],
    [['serve'], { JOBD_SECRET_KEY_FILE: '/absent' }, /JOBD_SECRET_KEY_FILE/],
    [['serve', '--port', port], {}, /is taken by another program/],
    [[...serve, '--data', daemon.dataDir], {}, /already serves/],
    [[...serve, '--data', broken], {}, /it is not a database/],
    [[...serve, '--data', lost], {}, /restore a backup/],
    [['serve', '--prot', '1'], {}, /unknown option/],
    [['serv'], {}, /serve/],
    [['doctor', '--ready'], { JOBD_PORT: '9' }, /no answer/],
  ];
  for (const [args, env, words] of rows) {
    const lines = inJournal(t, args, { env });
    assert.match(lines.join('\n'), words);
    for (const line of lines) assert.match(line, /^<3>|^$/, args.join(' '));
  }
  // Two lines are two entries.
  assert.ok(inJournal(t, [...serve, '--data', lost]).length > 1);
});

test('an error that nobody expected is one in the journal, with all lines of its stack', (t) => {
  const bug = `data:text/javascript,process.once('beforeExit', () => { throw new RangeError('a bug'); });`;
  const words = [process.execPath, '--import', bug, main];
  const lines = inJournal(t, ['--version'], { words });
  assert.match(lines[0] ?? '', /^<3>jobd: RangeError: a bug$/);
  assert.ok(lines.length > 1);
  for (const line of lines) assert.match(line, /^<3>/);
});

test('a stream that is not the journal gets no priorities, as in a command that a service runs', (t) => {
  const journal = openSync(join(temporaryDirectory(t), 'journal'), 'w');
  const { dev, ino } = fstatSync(journal, { bigint: true });
  closeSync(journal);
  const env = { JOURNAL_STREAM: `${dev}:${ino}` };
  for (const line of inJournal(t, ['serve'], { env: { ...env, JOBD_PORT: 'abc' } })) {
    assert.match(line, /^jobd: /);
  }
});

test('every line that the journal gets of a server is JSON', async (t) => {
  const journal = join(temporaryDirectory(t), 'journal');
  const descriptor = openSync(journal, 'a');
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  const command = [...program, 'serve', '--port', '0', '--data', temporaryDirectory(t)];
  const started = spawnSync(
    'sh',
    [
      '-c',
      `"$@" >>"$JOURNAL" 2>&1 & pid=$!
       until grep -q '"jobd started"' "$JOURNAL"; do kill -0 $pid || exit 1; sleep 0.1; done
       kill $pid; wait $pid`,
      'sh',
      ...command,
    ],
    {
      env: { PATH: process.env['PATH'], JOURNAL: journal, JOURNAL_STREAM: `${dev}:${ino}` },
      timeout: 60_000,
    },
  );
  closeSync(descriptor);
  assert.equal(started.status, 0);
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const messages = lines.map((line) => {
    assert.match(line, /^<6>/);
    return (JSON.parse(line.slice(3)) as { msg: string }).msg;
  });
  assert.deepEqual([messages[0], messages.at(-1)], ['jobd started', 'jobd stopped']);
});

const notLinux = process.platform === 'linux' ? false : 'needs /proc';

test('every command is called jobd, and keeps its command line', { skip: notLinux }, async (t) => {
  const dataDir = temporaryDirectory(t);
  const daemon = startServe(t, ['--data', dataDir], { cwd: process.cwd(), ...programToServe });
  await daemon.listening;
  const of = (file: string): string => readFileSync(`/proc/${daemon.pid}/${file}`, 'utf8');
  assert.equal(of('comm'), 'jobd\n');
  assert.ok(of('cmdline').includes('serve\0--port\0') && of('cmdline').includes(dataDir));
});
