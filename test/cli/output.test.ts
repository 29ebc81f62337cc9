/** How commands print: for people on a terminal, for programs in a pipe. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../src/api/contract.ts';
import type { Client } from '../../src/cli/client.ts';
import { parseDuration } from '../../src/cli/duration.ts';
import { printFields, printJson, printRows } from '../../src/cli/output.ts';
import type { Columns, Output } from '../../src/cli/output.ts';
import { waitForRun } from '../../src/cli/wait.ts';
import type { RunStatus } from '../../src/domain/run.ts';

function recorder(isTerminal: boolean): Output & { lines: string[] } {
  const lines: string[] = [];
  const data = (line: string): void => void lines.push(line);
  return { isTerminal, lines, data, say: () => assert.fail('these are data') };
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

test('fields are aligned on a terminal and tab-separated in a pipe', () => {
  const fields = { id: 'x', 'next run': null, done: false };
  const terminal = recorder(true);
  printFields(terminal, fields);
  assert.deepEqual(terminal.lines, ['id        x', 'next run  -', 'done      false']);
  const pipe = recorder(false);
  printFields(pipe, fields);
  assert.deepEqual(pipe.lines, ['id\tx', 'next run\t-', 'done\tfalse']);
});

test('no text of others can steer a terminal, break a line or add a column', () => {
  const all = String.fromCharCode(...Array.from({ length: 0xa0 }, (_, code) => code));
  const texts = ['\u001b[2Jgone', '\u001b]0;title\u0007', '\u009b31mred', 'a\tb\nc\rd', all];
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
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

test('JSON is one line in a pipe', () => {
  const pipe = recorder(false);
  printJson(pipe, { a: [1, { b: null }] });
  assert.deepEqual(pipe.lines, ['{"a":[1,{"b":null}]}']);
});

test('durations are seconds, or a number with s, m, h or d', () => {
  const seconds = ['90', '90s', '5m', '2h', '1d', '0'].map((text) =>
    parseDuration(text, '--every'),
  );
  assert.deepEqual(seconds, [90, 90, 300, 7_200, 86_400, 0]);
  for (const text of ['', 'soon', '5 m', '1.5h', '-5m', '5w', 'm', '1h30m', '9999999999s']) {
    assert.throws(() => parseDuration(text, '--every'), /^JobdError: --every must be a duration/);
  }
});

test('the end of an awaited run decides the exit code', async () => {
  const client = {
    getRun: () => assert.fail('an ended run is not asked for'),
  } as unknown as Client;
  const expected: [RunStatus, number][] = [
    ['success', 0],
    ['failed', 10],
    ['interrupted', 11],
    ['missed', 11],
  ];
  for (const [status, exitCode] of expected) {
    const run = { id: 'r', jobId: 'j', status } as Run;
    assert.deepEqual(await waitForRun(client, run, 1_000), { run, exitCode });
  }
  const queued = { id: 'r', jobId: 'j', status: 'queued' } as Run;
  assert.equal((await waitForRun(client, queued, 0)).exitCode, 124);
});
