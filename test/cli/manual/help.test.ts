/** Help, exit codes, environment variables, shell completion and the manual page. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Command } from 'commander';
import { allCommands, commandTree } from '../../../src/cli/manual/command-tree.ts';
import { exitCodes } from '../../../src/cli/exit-codes.ts';
import { standardOutput } from '../../../src/cli/terminal/output.ts';
import { createProgram } from '../../../src/serve/program.ts';
import { addedByWings } from '../../../src/serve/wings.ts';
import { errorCodes } from '../../../src/domain/errors.ts';
import { environment } from '../../../src/settings/variables.ts';
import { runCommand } from '../../support/running/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const { readCurl = () => assert.fail() } = addedByWings;
const program = await createProgram({ output: standardOutput, argv: [], exitCode: 0, readCurl });
const commands = allCommands(commandTree(program));
const leaves = commands.filter(({ children }) => children.length === 0);

test('each command has a description and examples, and --json unless it serves', () => {
  assert.ok(leaves.length > 40, `${leaves.length} commands`);
  for (const { path, description, epilogue, options } of leaves) {
    const name = path.join(' ');
    assert.match(description, /^[a-z].*[^.]$/, name);
    assert.match(epilogue, new RegExp(`Examples?:\\n[\\s\\S]*jobd ${name}\\b`), name);
    for (const line of epilogue.split('\n')) assert.ok(line.length <= 80, `${name}: ${line}`);
    const hasJson = options.some(({ long }) => long === 'json');
    assert.equal(hasJson, name !== 'serve', `${name} and --json`);
    for (const option of options)
      assert.notEqual(option.description, '', `${name} ${option.flags}`);
  }
  for (const { path, description } of commands) assert.notEqual(description, '', path.join(' '));
});

/** Words that follow a command or an option in prose, and are none of its values. */
const prose = /^(?:and|for|in|instead|of|or|sets|to|with)$/;
/** Commands that need so many of their optional arguments, or the option that stands in place of them. */
const needs: Readonly<Record<string, readonly [args: number, option: string]>> = {
  'runs replay': [2, '--since'],
  backup: [1, '--to'],
};

/** What lacks a command that begins a text, up to the end of its clause; null if it works as typed, or if words are about it. */
function lackOf(text: string): string | null {
  const [literal = ''] = text.split(/['"`](?=[,;)\s]|$)/);
  const [clause = ''] = literal.split(/[.,;:)]+(?=\s|$)|\\n/);
  const words = clause.split(' ').filter((word) => word !== '');
  const path: string[] = [];
  let command: Command = program;
  for (let next: Command | undefined = program; next !== undefined;) {
    command = next;
    next = command.commands.find((one) => one.name() === words[0]);
    if (next !== undefined) path.push(words.shift() ?? '');
  }
  const isProse = words[0] !== 'with' && /^[a-z]+$/.test(words[0] ?? '');
  if (path.length === 0 || command.commands.length > 0 || isProse) return null;
  const given = new Set<string>();
  let args = 0;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--help') return null;
    const options = [...command.options, ...program.options];
    const option = options.find(({ long, short }) => long === word || short === word);
    if (option !== undefined) {
      given.add(word);
      if (option.required && prose.test(words.shift() ?? 'or')) return `${word} has no value`;
    } else if (/^--[a-z]/.test(word)) return `${word} is no option`;
    else if (!prose.test(word)) args += 1;
    else if (word !== 'with') break;
  }
  const missing = command.registeredArguments.filter(({ required }) => required)[args];
  if (missing !== undefined) return `${missing.name()} is missing`;
  const option = command.options.find(
    ({ mandatory, long, short }) => mandatory && !given.has(long ?? '') && !given.has(short ?? ''),
  );
  if (option !== undefined) return `${option.long} is missing`;
  const [least, orElse] = needs[path.join(' ')] ?? [0, ''];
  return args < least && !given.has(orElse) ? `what to work on is missing` : null;
}

test('each command that a text advises works as it is typed', () => {
  const root = join(import.meta.dirname, '..', '..', '..');
  const lacks = globSync('src/**/*.ts', { cwd: root }).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/?\*|\/\/|(?:sudo )?jobd )/.test(line));
    return lines.flatMap((line) =>
      Array.from(line.matchAll(/(?<!after |`)\bjobd (?=(.*))/g), ([, text = '']) => text)
        .map((text) => [file, text, lackOf(text)].join(': '))
        .filter((found) => !found.endsWith(': ')),
    );
  });
  assert.deepEqual(lacks, []);
  for (const [text, lack] of [
    ['runs replay.', 'what to work on is missing'],
    ['runs replay ${quoted(name)} ${id}`', null],
    ['jobs get', 'job is missing'],
    ['jobs get shows it', null],
    ['serve --smtp-url or JOBD_SMTP_URL', '--smtp-url has no value'],
    ['apply, then wait', '--file is missing'],
  ] as const) {
    assert.equal(lackOf(text), lack, text);
  }
});

test('every exit code of an error is in the table that help and documentation show', async () => {
  const codes = exitCodes.map(([code]) => code);
  assert.deepEqual(
    codes,
    [...new Set(codes)].toSorted((a, b) => a - b),
  );
  for (const { exitCode } of Object.values(errorCodes)) assert.ok(codes.includes(exitCode));
  const shown = await runCommand(['help', 'exit-codes']);
  assert.equal(shown.stdout, exitCodes.map((row) => `${row.join('\t')}\n`).join(''));
  const root = join(import.meta.dirname, '..', '..', '..');
  const documentation = readFileSync(join(root, 'docs', 'command-line.md'), 'utf8');
  for (const [code, means] of exitCodes) {
    assert.match(
      documentation,
      new RegExp(`^\\| ${code} +\\| ${means.replace(/[()]/g, '\\$&')} +\\|$`, 'm'),
    );
  }
  const names = environment.map(([name]) => name);
  const rows = documentation.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|$/gm);
  const written = Array.from(rows, ([, name, meaning = '']) => [name, meaning.replace('\\|', '|')]);
  assert.deepEqual(written, environment);
  for (const file of ['config.ts', 'home.ts']) {
    const source = readFileSync(join(root, 'src/settings', file), 'utf8');
    for (const [name] of source.matchAll(/\b(?:JOBD|XDG)_[A-Z_]+/g)) {
      assert.ok(names.includes(name), `${name} is read, and not in the table`);
    }
  }
  const json = await runCommand(['help', 'environment', '--json']);
  assert.deepEqual(Object.keys(JSON.parse(json.stdout) as object), names);
});

test('help COMMAND equals --help, and an unknown command gets a suggestion', async () => {
  const [one, other] = await Promise.all([
    runCommand(['help', 'jobs', 'create']),
    runCommand(['jobs', 'create', '--help']),
  ]);
  assert.deepEqual(one, other);
  const unknown = await runCommand(['help', 'jobz']);
  assert.deepEqual([unknown.exitCode, unknown.stdout], [2, '']);
  assert.match(
    (await runCommand(['jobs', 'lst'])).stderr,
    /\(did you mean list\?\), see jobd help jobs\n$/,
  );
});

/** A `jobd` for completion with jobs of these names. */
function fakeJobd(t: TestContext, names: readonly string[]): string {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'jobd');
  writeFileSync(
    file,
    `#!/bin/sh\nprintf '%s' '${names.map((name) => `${name}\tup\tid\n`).join('')}'\n`,
  );
  chmodSync(file, 0o755);
  return directory;
}

const lacks = (shell: string): string | false =>
  spawnSync(shell, ['-c', 'true']).status === 0 ? false : `${shell} is not installed`;

test(
  'bash completes commands, options and names, and runs none of them',
  { skip: lacks('bash') },
  async (t) => {
    const { stdout: script } = await runCommand(['completion', 'bash']);
    const marker = join(temporaryDirectory(t), 'marker');
    const path = `${fakeJobd(t, ['backup', `$(touch ${marker})`, 'two words'])}:${process.env['PATH']}`;
    const complete = (...words: string[]): string[] => {
      const list = ['jobd', ...words].map((word) => `'${word}'`).join(' ');
      const asked = `${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _jobd; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', asked], {
        encoding: 'utf8',
        env: { PATH: path },
      })
        .split('\n')
        .filter((line) => line !== '');
    };
    assert.deepEqual(complete('jo'), ['jobs']);
    assert.deepEqual(complete('jobs', 'p'), ['pause']);
    assert.deepEqual(complete('jobs', 'create', '--cu'), ['--curl']);
    assert.deepEqual(complete('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(complete('jobs', 'get', 'ba'), ['backup']);
    assert.deepEqual(complete('jobs', 'get', ''), [
      'backup',
      `\\$\\(touch\\ ${marker}\\)`,
      'two\\ words',
    ]);
    assert.deepEqual(complete('jobs', 'create', '--after', 'ba'), ['backup']);
    assert.deepEqual(complete('jobs', 'create', '--tz', 'Europe/Par'), ['Europe/Paris']);
    assert.throws(() => readFileSync(marker), /ENOENT/, 'a name is no command');
  },
);

test('zsh accepts its completion script', { skip: lacks('zsh') }, async (t) => {
  const { stdout: script } = await runCommand(['completion', 'zsh']);
  const file = join(temporaryDirectory(t), '_jobd');
  writeFileSync(file, script);
  // _describe shows the words; here it prints them.
  const asked = `compdef() { :; }; _describe() { print -l -- "\${(@P)4}"; }; _files() { print files; }
    source ${file}; words=(jobd jobs p); CURRENT=3; _jobd; words=(jobd jobs create --cu); CURRENT=4; _jobd
    words=(jobd jobs create --tz ''); CURRENT=5; _jobd`;
  const shown = execFileSync('zsh', ['-fc', asked], { encoding: 'utf8' });
  assert.match(shown, /^pause:stop calling a job/m);
  assert.match(shown, /^--curl:take the request/m);
  assert.match(shown, /^Europe\/Paris$/m);
});

test('fish completes commands, options and names', { skip: lacks('fish') }, async (t) => {
  const { stdout: script } = await runCommand(['completion', 'fish']);
  const home = temporaryDirectory(t);
  const file = join(home, 'jobd.fish');
  writeFileSync(file, script);
  const env = { PATH: `${fakeJobd(t, ['backup'])}:${process.env['PATH']}`, HOME: home };
  const complete = (line: string): string =>
    execFileSync('fish', ['-N', '-c', `source ${file}; complete -C '${line}'`], {
      encoding: 'utf8',
      env,
    });
  assert.match(complete('jobd jo'), /^jobs\tcreate, change/);
  assert.match(complete('jobd jobs create --cu'), /^--curl\ttake the request/);
  assert.match(complete('jobd jobs get ba'), /^backup/);
  assert.match(complete('jobd jobs create --after ba'), /^backup/);
  assert.match(complete('jobd jobs create --tz Europe/Par'), /^Europe\/Paris/);
});

const noGroff = spawnSync('groff', ['--version']).status === 0 ? false : 'groff is not installed';

test('the manual page has every command and no warnings', { skip: noGroff }, async () => {
  const { stdout: page } = await runCommand(['man']);
  const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbou'], {
    input: page,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  for (const { path } of leaves)
    assert.ok(stdout.includes(`jobd ${path.join(' ')}`), path.join(' '));
  assert.match(stdout, /EXIT STATUS[\s\S]*124 +the wait timed out/);
  assert.match(stdout, /jobd schedule preview '30 2 \* \* \*'/, 'quotes can be pasted');
});
