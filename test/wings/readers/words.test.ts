/**
 * Commands are split into words as shells do; anything that depends on more than the text is
 * reported.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import {
  anyText,
  array,
  assert as check,
  constantFrom,
  property,
  string,
} from '../../support/fast-check.ts';
import { readShell } from '../../../src/wings/readers/words.ts';
import type { ShellCommand } from '../../../src/wings/readers/command-list.ts';
import { temporaryDirectory } from '../../support/directory.ts';

/** The only command of a text; one without words if there is none. */
function commandIn(text: string): ShellCommand {
  const [command, ...more] = readShell(text);
  assert.deepEqual(more, [], text);
  const none = {
    joint: '',
    text: '',
    words: [],
    ignored: [],
    adapted: [],
    unhonoured: [],
  } as const;
  return command ?? none;
}

function wordsOf(text: string): readonly string[] {
  const { words, unhonoured } = commandIn(text);
  assert.deepEqual(unhonoured, [], text);
  return words;
}

test('quotes, escapes and continued lines work as in a shell', () => {
  const rows: [text: string, words: string[]][] = [
    ['', []],
    ['  curl \t -X  POST ', ['curl', '-X', 'POST']],
    [`a'b c'"d e"f`, ['ab cd ef']],
    [`'' "" $''`, ['', '', '']],
    [`'a\\n'"\\n\\$\\\\\\"\\\`"`, ['a\\n\\n$\\"`']],
    ['a\\ b \\# c\\\nd \\\n e', ['a b', '#', 'cd', 'e']],
    ['"a\\\nb\nc"', ['ab\nc']],
    ['a # the rest | is words', ['a']],
    ['a#b https://example.com/?x=1#y', ['a#b', 'https://example.com/?x=1#y']],
    ['a $ "$" "5$ %"', ['a', '$', '$', '5$ %']],
    ['a\n\n# words\n  ', ['a']],
    ['\n\na;', ['a']],
    [`$'a\\tb\\'\\x41\\101\\u00e9\\U0001f600'`, [`a\tb'AAé😀`]],
    [`$'\\ud83d\\ude00 \\xc3\\xa9 \\cA\\e'`, ['😀 é \u0001\u001b']],
    [`é'ü'\\ß`, ['éüß']],
    ['a {} b?c d=*', ['a', '{}', 'b?c', 'd=*']],
  ];
  for (const [text, words] of rows) assert.deepEqual(wordsOf(text), words, text);
});

test('redirections that only discard output are ignored and listed', () => {
  const text = 'curl -s u >/dev/null 2>&1 2> /dev/null &>/dev/null </dev/null 3>&-';
  const { words, ignored, unhonoured } = commandIn(text);
  assert.deepEqual([words, unhonoured], [['curl', '-s', 'u'], []]);
  assert.deepEqual(
    ignored.map((remark) => remark.text),
    ['>/dev/null', '2>&1', '2>/dev/null', '&>/dev/null', '</dev/null', '3>&-'],
  );
  assert.deepEqual(wordsOf("curl '2'>/dev/null"), ['curl', '2'], 'a quoted number is a word');
});

test('parts that depend on more than the text are reported, never guessed', () => {
  const rows: [text: string, named: string, reason: RegExp][] = [
    ['curl $URL', '$URL', /variables are not expanded/],
    ['curl "a${TOKEN:-x}b"', '${TOKEN:-x}', /variables are not expanded/],
    ['curl $1', '$1', /variables are not expanded/],
    ['curl "$(cat key)"', '$(cat key)', /runs no commands/],
    ['curl `cat key` x', '`cat key`', /runs no commands/],
    ['curl $"a"', '$"', /translated/],
    ['curl a > page.html', '>page.html', /writes no files/],
    ['curl a 2>> catalog', '2>>catalog', /writes no files/],
    ['curl a(b', '(b', /put it in quotes/],
    ['curl a)', ')', /put it in quotes/],
    ['(curl a', '( or {', /never closed/],
    ['{ curl a', '( or {', /never closed/],
    ['&& curl a', '&', /a command is missing/],
    ['curl a ||', '||', /a command is missing/],
    ['curl a?b=c&d=e', '&d=e', /put the URL in quotes/],
    ['curl -d @- < body', '<body', /standard input/],
    ['curl -d @- <<END', '<<END', /standard input/],
    ['curl a >', '>', /needs a file/],
    ['curl a > ; b', '>', /needs a file/],
    ['curl ~/a', '~/a', /directory/],
    ['curl a=~', '~', /directory/],
    ['curl $\\\na', '$', /next line/],
    ['curl a=b:~/c', '~/c', /directory/],
    ['curl *.txt', '*.txt', /files/],
    ['curl a{b,c}', '{b,c}', /braces/],
    ['curl a\r', 'a carriage return', /LF/],
    ['curl a \\', '\\', /text ends/],
    ["curl 'a", "'a", /never closed/],
    ['curl "a\\"', '"a\\"', /never closed/],
    ["curl $'a", "$'a", /never closed/],
    ["curl $'\\xff'", "$'\\xff'", /not UTF-8/],
    ["curl $'\\ud83d'", "$'\\ud83d'", /half a character/],
    ["curl $'\\0'", "$'\\0'", /NUL/],
    ["curl $'\\q'", "$'\\q'", /differ/],
  ];
  for (const [text, named, reason] of rows) {
    const unhonoured = readShell(text).flatMap((command) => command.unhonoured);
    assert.equal(unhonoured[0]?.text, named, text);
    assert.match(unhonoured[0]?.reason ?? '', reason, text);
  }
});

test('several commands are told apart, also in groups', () => {
  const rows: [text: string, commands: [joint: string, ...words: string[]][]][] = [
    [
      'a; b\nc',
      [
        ['', 'a'],
        [';', 'b'],
        [';', 'c'],
      ],
    ],
    [
      'a && b || c | d & e',
      [
        ['', 'a'],
        ['&&', 'b'],
        ['||', 'c'],
        ['|', 'd'],
        ['&', 'e'],
      ],
    ],
    [
      'a |& b',
      [
        ['', 'a'],
        ['|', 'b'],
      ],
    ],
    [
      '(a b; c) && d',
      [
        ['', 'a', 'b'],
        [';', 'c'],
        ['&&', 'd'],
      ],
    ],
    [
      '{ a; } || { b; }',
      [
        ['', 'a'],
        ['||', 'b'],
      ],
    ],
    [
      'a &&\n b',
      [
        ['', 'a'],
        ['&&', 'b'],
      ],
    ],
    ['echo { }', [['', 'echo', '{', '}']]],
    ['# words\n\na # more\n', [['', 'a']]],
    ['a "b;c" \'d|e\' f\\&g', [['', 'a', 'b;c', 'd|e', 'f&g']]],
  ];
  for (const [text, commands] of rows) {
    const read = readShell(text).map(({ joint, words }) => [joint, ...words]);
    assert.deepEqual(read, commands, text);
  }
  const [group] = readShell('(a) >/dev/null 2>&1').slice(1);
  assert.deepEqual([group?.words, group?.ignored.length], [[], 2]);
});

test('known variables are put in, where a shell makes one word of them', () => {
  const known = new Map([
    ['A', 'x'],
    ['SPACED', 'x y'],
    ['EMPTY', ''],
    ['LONG', 'x'.repeat(9_000)],
  ]);
  const read = (text: string) => readShell(text, (name) => known.get(name));
  const rows: [text: string, words: string[]][] = [
    ['c $A "${A}b" "$SPACED" \'$A\' "$EMPTY"', ['c', 'x', 'xb', 'x y', '$A', '']],
    ['B=1 C="2 3"; c "$B$C"', ['c', '12 3']],
    ['export A=y; c $A', ['c', 'y']],
  ];
  for (const [text, words] of rows) {
    const command = read(text).at(-1);
    assert.deepEqual([command?.words, command?.unhonoured], [words, []], text);
    assert.match(command?.adapted[0]?.reason ?? '', /keeps its value/);
  }
  for (const text of [
    'c $SPACED',
    'c $EMPTY',
    'c $B',
    'c ${A:-b}',
    'c "$LONG"',
    'A=$(b); c "$D"',
  ]) {
    assert.equal(read(text).at(-1)?.unhonoured.length, 1, text);
  }
  // What one command sets in another process is not seen.
  for (const text of ['(B=1); c $B', 'B=1 | c $B', 'true || B=1; c $B', 'B=1 c $B']) {
    assert.equal(read(text).at(-1)?.unhonoured[0]?.text, '$B', text);
  }
});

test('quotes and spaces of web pages are read as plain ones, and said so', () => {
  const rows: [text: string, words: string[]][] = [
    ['c “a b” ‘c d’ „e f“', ['c', 'a b', 'c d', 'e f']],
    ['c ‘{“a”: 1}’', ['c', '{"a": 1}']],
    ['c --x=“a b”', ['c', '--x=a b']],
    ['c\u00a0a', ['c', 'a']],
  ];
  for (const [text, words] of rows) {
    const { words: read, adapted, unhonoured } = commandIn(text);
    assert.deepEqual([read, unhonoured], [words, []], text);
    assert.match(adapted[0]?.reason ?? '', /plain ones/, text);
  }
  for (const text of ["c 'it’s “a”'", 'c "it’s “a”"', 'c it’s']) {
    const { words, adapted } = commandIn(text);
    assert.equal(words[1], text.slice(2).replaceAll(/^['"]|['"]$/g, ''));
    assert.deepEqual(adapted, [], text);
  }
  assert.match(commandIn('c “a').unhonoured[0]?.reason ?? '', /never closed/);
});

test('any text is read without an exception, and nothing long is repeated', () => {
  const text = anyText(200);
  check(
    property(text, (any) => {
      for (const { unhonoured, ignored, adapted, text: shown } of readShell(any)) {
        for (const remark of [...unhonoured, ...ignored, ...adapted]) {
          assert.ok(remark.text.length <= 80);
        }
        assert.ok(shown.length <= 80);
      }
    }),
  );
});

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string): string => `"${text.replace(/[$`"\\]/g, '\\$&')}"`;
const ansi = (text: string): string =>
  `$'${Array.from(text, (c) => `\\U${c.codePointAt(0)?.toString(16).padStart(8, '0')}`).join('')}'`;

test('any text can be quoted and read back', () => {
  const text = string({ unit: 'grapheme' }).filter((some) => !some.includes('\0'));
  check(
    property(text, (any) => {
      const line = [single, double, ansi].map((quote) => quote(any)).join(' ');
      assert.deepEqual(wordsOf(line), [any, any, any]);
    }),
  );
});

const shells = ['/bin/dash', '/bin/bash'].filter(
  (name) => spawnSync(name, ['-c', ':']).status === 0,
);
const noShell = shells.length === 2 ? false : 'dash and bash are not both installed';

test('if nothing is reported, dash and bash read the same words', { skip: noShell }, (t) => {
  const cwd = temporaryDirectory(t);
  const pieces = `a b 7 \\ ' " \n \t $ # = ~ * ? { } ! \\\n \\" é 😀 > < & | ; 2>&1 $'`.split(' ');
  const unit = constantFrom(...pieces, ' ', ' ');
  let compared = 0;
  const line = array(unit, { maxLength: 12 }).map((parts) => `x ${parts.join('')}`);
  check(
    property(line, (text) => {
      const [command, ...more] = readShell(text);
      if (command === undefined || more.length > 0) return;
      const { words, unhonoured, ignored } = command;
      if (unhonoured.length > 0 || ignored.length > 0) return;
      for (const shell of text.includes("$'") ? ['/bin/bash'] : shells) {
        // If a text were read wrongly the shell could run a command: the PATH is empty.
        const script = `x() { for word; do printf '%s\\0' "$word"; done; }\n${text}`;
        const { stdout, status } = spawnSync(shell, ['-c', script], {
          cwd,
          env: { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' },
          encoding: 'utf8',
        });
        assert.equal(status, 0, text);
        assert.deepEqual(stdout.split('\0').slice(0, -1), words.slice(1), `${shell}: ${text}`);
        compared += 1;
      }
    }),
    { numRuns: 400 },
  );
  assert.ok(compared > 50, `${compared} compared`);
});
