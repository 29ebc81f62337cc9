/** How commands print: for people on a terminal, for programs in a pipe. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../src/api/runs/contract.ts';
import {
  cellText,
  idCell,
  lengthOfShortIds,
  moment,
  relativeTime,
  state,
  urlCell,
} from '../../../src/cli/terminal/cell.ts';
import { parseMoment, parseSeconds } from '../../../src/cli/options.ts';
import { parsePeriod } from '../../../src/cli/schedule/schedule-options.ts';
import { parseDuration } from '../../../src/settings/setting.ts';
import { printFields, printJson, printRows } from '../../../src/cli/terminal/output.ts';
import type { Columns, Output } from '../../../src/cli/terminal/output.ts';
import { cutUrl, widthOf } from '../../../src/cli/terminal/text.ts';
import { waitForRun } from '../../../src/cli/runs/run-now.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';

const noWords = (): never => assert.fail('these are data');

function recorder(
  isTerminal: boolean,
  { width = 80, hasColour = false } = {},
): Output & { lines: string[] } {
  const lines: string[] = [];
  const data = (line: string): void => void lines.push(line);
  return { isTerminal, width, hasColour, lines, data, styled: data, say: noWords };
}

const rows = [
  { name: 'a', ms: 1 as number | null },
  { name: 'longer', ms: null },
];
const columns: Columns<(typeof rows)[0]> = {
  name: ({ name }) => name,
  ms: ({ ms }) => ms,
};

test('a table has titles and aligned columns on a terminal, tabs and no titles in a pipe', () => {
  const terminal = recorder(true);
  printRows(terminal, rows, columns);
  assert.deepEqual(terminal.lines, ['NAME    MS', 'a       1', 'longer  -']);
  const pipe = recorder(false);
  printRows(pipe, rows, columns);
  assert.deepEqual(pipe.lines, ['a\t1', 'longer\t-']);
  const empty = recorder(false);
  printRows(empty, [], columns);
  assert.deepEqual(empty.lines, [], 'no rows, no lines');
});

test('a last column that wraps is whole on a narrow terminal, the same in a pipe', () => {
  const detail = 'other users can read /var/lib/jobd (mode 0755): chmod 700 it';
  const findings = [{ check: 'disk', detail }];
  const shown: Columns<(typeof findings)[0]> = {
    check: (row) => row.check,
    detail: (row) => row.detail,
  };
  const terminal = recorder(true, { width: 40 });
  printRows(terminal, findings, shown, { wrapsLast: true });
  assert.deepEqual(terminal.lines, [
    'CHECK  DETAIL',
    'disk   other users can read',
    '       /var/lib/jobd (mode 0755): chmod',
    '       700 it',
  ]);
  const pipe = recorder(false);
  printRows(pipe, findings, shown, { wrapsLast: true });
  assert.deepEqual(pipe.lines, [`disk\t${detail}`]);
});

test('fields are aligned on a terminal and tab-separated in a pipe', () => {
  const fields = { id: 'x', 'next run': null, done: false };
  const terminal = recorder(true);
  printFields(terminal, fields);
  assert.deepEqual(terminal.lines, ['id        x', 'next run  -', 'done      false']);
  const pipe = recorder(false);
  printFields(pipe, fields);
  assert.deepEqual(pipe.lines, ['id\tx', 'next run\t-', 'done\tfalse']);
});

test('no external text can control a terminal, break a line or add a column', () => {
  const all = String.fromCharCode(...Array.from({ length: 0xa0 }, (_, code) => code));
  const texts = ['\u001b[2Jgone', '\u001b]0;title\u0007', '\u009b31mred', 'a\tb\nc\rd', all];
  // oxlint-disable-next-line no-control-regex -- control characters must not appear
  const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;
  for (const isTerminal of [true, false]) {
    for (const text of texts) {
      const output = recorder(isTerminal);
      printRows(output, [{ text }], { text: (row) => row.text });
      printFields(output, { text });
      assert.equal(output.lines.length, isTerminal ? 3 : 2);
      for (const line of output.lines) assert.doesNotMatch(line, control);
      assert.doesNotMatch(output.lines.at(-1)?.replace('text\t', '') ?? '', /\t/);
    }
    const output = recorder(isTerminal);
    printJson(output, { texts });
    assert.doesNotMatch(output.lines.join('').replaceAll('\n', ''), control);
    assert.deepEqual(JSON.parse(output.lines.join('')), { texts }, 'JSON loses nothing');
  }
});

test('no text can reverse the text direction, in tables and in JSON', () => {
  const steering =
    '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2066\u2067\u2068\u2069\ufeff';
  const text = `a${Array.from(steering).join('b')}c`;
  const output = recorder(true);
  printRows(output, [{ text }], { text: (row) => row.text });
  printFields(output, { text });
  printJson(output, { text });
  for (const character of steering) {
    assert.ok(!output.lines.join('').includes(character), character.codePointAt(0)?.toString(16));
  }
  assert.deepEqual(JSON.parse(output.lines.slice(3).join('')), { text }, 'JSON loses nothing');
});

const id = '019a9b1c-0000-7000-8000-000000000000';

test('a table fits its terminal: texts are cut, ids never, and wide characters count twice', () => {
  const things = [
    { id, name: 'a name that is rather long for a table of this width', ms: 12 },
    { id, name: '日本語の名前はとても長いです、本当に長いです', ms: null },
    { id, name: '👨‍👩‍👧 e\u0301', ms: 1 },
  ];
  const print = (width: number): string[] => {
    const output = recorder(true, { width });
    printRows(
      output,
      things,
      { id: (thing) => thing.id, name: (thing) => thing.name, ms: (thing) => thing.ms },
      { optional: ['ms'] },
    );
    return output.lines;
  };
  const wide = print(120);
  assert.ok(wide.some((line) => line.includes('rather long for a table of this width  12')));
  for (const width of [80, 60, 56, 54]) {
    const lines = print(width);
    assert.equal(lines.length, 4);
    for (const line of lines) assert.ok(widthOf(line) <= width, `${width}: ${line}`);
    assert.ok(lines.slice(1).every((line) => line.startsWith(id)));
    assert.equal(
      lines[0]?.includes('MS'),
      width >= 56,
      'optional columns are dropped when there is no space',
    );
  }
  const [, , japanese = '', family = ''] = print(56);
  assert.equal(japanese, `${id}  日本語の名前…   -`);
  assert.equal(widthOf(family), widthOf(`${id}  ${'x'.repeat(14)}  1`));
  assert.deepEqual(print(30).slice(0, 4), [
    `id    ${id}`,
    `name  ${things[0]?.name}`,
    'ms    12',
    '',
  ]);
});

test('a narrow terminal cuts names last and URLs in the middle, and hides the last optional column first', () => {
  const job = {
    name: 'nightly-report',
    schedule: '*/15 * * * * America/New_York',
    url: 'https://example.com/reports/nightly?token=abc',
    id,
  };
  const print = (width: number, isWide = false): string[] => {
    const output = recorder(true, { width });
    const shown: Columns<typeof job> = {
      name: ({ name }) => name,
      schedule: ({ schedule }) => schedule,
      url: ({ url }) => urlCell(url),
      id: (row) => idCell(row.id),
    };
    printRows(output, [job], shown, { optional: ['url', 'id'], leastText: 10, isWide });
    return output.lines[1]?.split(/ {2,}/) ?? [];
  };
  assert.deepEqual(print(80), [
    job.name,
    '*/15 * * * * America/N…',
    'example.com/rep…/nightly',
    id.slice(0, 13),
  ]);
  assert.deepEqual(print(48), [job.name, '*/15 * * * * A…', 'exampl…/nightly']);
  assert.deepEqual(print(33), [job.name, '*/15 * * * * Ame…']);
  assert.deepEqual(print(70, true), [job.name, '*/15 * * * * Am…', id]);
});

test('a URL loses its scheme, its query and its middle, in this order', () => {
  const url = 'https://example.com/reports/nightly?token=abc';
  const cuts: [width: number, cut: string][] = [
    [45, url],
    [44, 'example.com/reports/nightly?token=abc'],
    [36, 'example.com/reports/nightly…'],
    [27, 'example.com/report…/nightly'],
    [16, 'example…/nightly'],
    [10, 'exa…ightly'],
  ];
  for (const [width, cut] of cuts) assert.equal(cutUrl(url, width), cut);
  for (const text of [url, 'http://日本語.test/道/あいうえお', '/', 'x'.repeat(99)]) {
    for (let width = 8; width < 60; width += 1) assert.ok(widthOf(cutUrl(text, width)) <= width);
  }
});

test('colours appear only where wanted, and never without the word they stress', () => {
  const printWith = (output: ReturnType<typeof recorder>): string[] => {
    const states = ['up', 'down', 'new'].map((status) => ({ status }));
    printRows(output, states, { status: (row) => state(row.status), x: () => 1 });
    printFields(output, { status: state('failed') });
    return output.lines;
  };
  assert.deepEqual(printWith(recorder(true)), [
    'STATUS  X',
    'up      1',
    'down    1',
    'new     1',
    'status  failed',
  ]);
  assert.deepEqual(printWith(recorder(true, { hasColour: true })), [
    'STATUS  X',
    '\u001b[32mup    \u001b[39m  1',
    '\u001b[31mdown  \u001b[39m  1',
    'new     1',
    'status  \u001b[31mfailed\u001b[39m',
  ]);
});

test('people see relative times, programs absolute ones', () => {
  const now = Date.UTC(2026, 0, 1);
  const times: [seconds: number, words: string][] = [
    [0.4, 'now'],
    [3, 'in 3 s'],
    [119, 'in 119 s'],
    [120, 'in 2 min'],
    [7_199, 'in 120 min'],
    [4 * 3_600 - 60, 'in 4 h'],
    [-(4 * 3_600 - 60), '4 h ago'],
    [-7_200, '2 h ago'],
    [-172_799, '48 h ago'],
    [172_800, 'in 2 d'],
    [-90 * 86_400, '90 d ago'],
  ];
  for (const [seconds, words] of times)
    assert.equal(relativeTime(now + seconds * 1_000, now), words);
  const at = '2020-01-01T00:00:00.000Z';
  const pipe = recorder(false);
  printRows(pipe, [{ at }], { at: (row) => moment(row.at), never: () => moment(null) });
  assert.deepEqual(pipe.lines, [`${at}\t-`]);
  const terminal = recorder(true);
  printFields(terminal, { at: moment(at) });
  assert.match(terminal.lines[0] ?? '', /^at  2020-01-01T00:00:00\.000Z, \d+ d ago$/);
});

test('what is no time is shown as it is', () => {
  assert.equal(cellText({ isTerminal: true }, moment('soon'), 0), 'soon');
  assert.equal(cellText({ isTerminal: true }, moment('1970-01-01T00:00:05Z'), 0), 'in 5 s');
});

test('an empty list says so to people', () => {
  const said: string[] = [];
  const output = { ...recorder(true), say: (line: string): void => void said.push(line) };
  printRows(output, [], columns, { none: 'there is nothing' });
  assert.deepEqual([output.lines, said], [[], ['there is nothing']]);
});

test('JSON is one line in a pipe', () => {
  const pipe = recorder(false);
  printJson(pipe, { a: [1, { b: null }] });
  assert.deepEqual(pipe.lines, ['{"a":[1,{"b":null}]}']);
});

test('durations are a number with s, m, h or d, and timeouts seconds too', async () => {
  const seconds = ['90s', '5m', '2h', '1d', '0s', '0'].map((text) =>
    parseDuration(text, '--every'),
  );
  assert.deepEqual(seconds, [90, 300, 7_200, 86_400, 0, 0]);
  assert.deepEqual(
    ['90', '5m', '0'].map((text) => parseSeconds(text, '--timeout')),
    [90, 300, 0],
  );
  assert.throws(
    () => parseDuration('5', '--every'),
    /^JobdError: --every needs a unit: write 5s, 5m, 5h or 5d$/,
  );
  assert.throws(
    () => parsePeriod('5'),
    /^JobdError: --every needs a unit: write 5m, 5h or 5d$/,
    'only what is taken',
  );
  assert.throws(() => parsePeriod('8000'), /: write 8000s, 8000m or 8000h$/);
  assert.throws(() => parsePeriod('900000000'), /^JobdError: --every must be a duration such as/);
  await assert.rejects(parseMoment('300000', '--since', 0), /^JobdError: --since must be a dur/);
  await assert.rejects(
    parseMoment('30', '--since', 0),
    /^JobdError: --since needs a unit: write 30s, 30m, 30h or 30d$/,
  );
  for (const text of ['', 'soon', '5 m', '1.5h', '-5m', '5w', 'm', '1h30m', '9999999999s']) {
    assert.throws(() => parseDuration(text, '--every'), /^JobdError: --every must be a duration/);
  }
});

test('a time is an age, ISO 8601, or what the clocks of a zone show; a time of day is the last or the next one', async () => {
  const times: [text: string, now: string, direction: 1 | -1, at: string][] = [
    ['2h', '2026-11-24T12:00:00Z', -1, '2026-11-24T10:00:00.000Z'],
    ['2026-11-24T10:00Z', '2026-11-24T12:00:00Z', -1, '2026-11-24T10:00:00.000Z'],
    ['2026-11-24 22:00', '2026-11-24T12:00:00Z', -1, '2026-11-24T21:00:00.000Z'],
    ['22:00', '2026-11-24T12:00:00Z', -1, '2026-11-23T21:00:00.000Z'],
    ['22:00', '2026-11-24T12:00:00Z', 1, '2026-11-24T21:00:00.000Z'],
    ['11:00', '2026-11-24T12:00:00Z', 1, '2026-11-25T10:00:00.000Z'],
    ['22:00', '2026-10-25T05:00:00Z', -1, '2026-10-24T20:00:00.000Z'],
    ['02:30', '2026-10-25T05:00:00Z', -1, '2026-10-25T00:30:00.000Z'],
    ['22:00', '2026-10-24T21:00:00Z', 1, '2026-10-25T21:00:00.000Z'],
    ['02:30', '2026-03-28T20:00:00Z', 1, '2026-03-29T01:00:00.000Z'],
  ];
  for (const [text, now, direction, at] of times) {
    const found = await parseMoment(text, '--since', Date.parse(now), direction, 'Europe/Berlin');
    assert.equal(new Date(found).toISOString(), at, `${text} at ${now}`);
  }
  for (const text of ['tomorrow', '25:00', '2026-02-30 10:00', '']) {
    await assert.rejects(
      parseMoment(text, '--since', 0, -1, 'UTC'),
      /^JobdError: --since must be a duration such as 90m, 12h or 30d, a time of day such as 22:00, or a time/,
    );
  }
});

const getRun = (): never => assert.fail('an ended run is not requested');

test('the final state of an awaited run decides the exit code', async () => {
  const expected: [RunStatus, number][] = [
    ['success', 0],
    ['failed', 10],
    ['interrupted', 11],
    ['missed', 11],
  ];
  for (const [status, exitCode] of expected) {
    const run = { id: 'r', jobId: 'j', status } as Run;
    assert.deepEqual(await waitForRun(getRun, run, 1_000), { run, exitCode });
  }
  const queued = { id: 'r', jobId: 'j', status: 'queued' } as Run;
  assert.equal((await waitForRun(getRun, queued, 0)).exitCode, 124);
});

test('an id in a table is short on a terminal, also after words, and whole if it is asked for', () => {
  const ids = ['019a9b1c-7f3a-7000-8000-000000000001', '019a9b1c-7f3b-7000-8000-000000000002'];
  const things = [
    { who: idCell(ids[0] ?? '', 'key'), id: idCell(ids[0] ?? '') },
    { who: 'command ann', id: idCell(ids[1] ?? '') },
  ];
  const shown: Columns<(typeof things)[0]> = { who: ({ who }) => who, id: (thing) => thing.id };
  const print = (isTerminal: boolean, isWide: boolean): string[] => {
    const output = recorder(isTerminal, { width: 120 });
    printRows(output, things, shown, { isWide });
    return output.lines.map((line) => line.replace(/ {2,}/, '  '));
  };
  assert.deepEqual(print(true, false), [
    'WHO  ID',
    'key 019a9b1c-7f3a  019a9b1c-7f3a',
    'command ann  019a9b1c-7f3b',
  ]);
  assert.equal(print(true, true)[1], `key ${ids[0]}  ${ids[0]}`);
  assert.deepEqual(print(false, false), [`key ${ids[0]}\t${ids[0]}`, `command ann\t${ids[1]}`]);
});

test('ids of a table are cut to what tells them apart, and never below their time', () => {
  const [one, other] = [
    '01a1fc58-a505-7000-bebc-059153f75def',
    '01a1fc58-a505-7000-bed0-059153f75def',
  ];
  assert.equal(lengthOfShortIds([one]), 13);
  assert.equal(lengthOfShortIds([one, '01a1fc58-a506-7000-bebc-059153f75def']), 13);
  assert.equal(lengthOfShortIds([one, other]), 22);
  assert.equal(lengthOfShortIds([one, one]), 13, 'the same one twice');
});
