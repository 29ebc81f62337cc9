/**
 * `jobd schedule preview`: works offline, prints for people and for programs, refuses with a
 * message.
 */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { inTwoUnits } from '../../../src/domain/durations.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';
import { printPreview } from '../../../src/cli/schedule/preview.ts';
import { previewSchedule, type PreviewInput } from '../../../src/domain/schedule/preview-input.ts';
import { runCommand } from '../../support/running/command.ts';
import type { Ran } from '../../support/running/program.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const gap = ['30 2 * * *', '--from', '2026-03-28T12:00Z', '--count', '2'];
const zoneNote = 'time zone: Europe/Paris, as on this machine; --tz names another\n';
const gapNote = '2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead';

function preview(...args: string[]): Promise<Ran> {
  return runCommand(['schedule', 'preview', ...args], { TZ: 'Europe/Paris' });
}

test("in a pipe, a line has the due time in the schedule's zone and in UTC; notes are words", async () => {
  assert.deepEqual(await preview(...gap), {
    exitCode: 0,
    stdout:
      '2026-03-29T03:00:00.000+02:00\t2026-03-29T01:00:00.000Z\n' +
      '2026-03-30T02:30:00.000+02:00\t2026-03-30T00:30:00.000Z\n',
    stderr: `${zoneNote}${gapNote}\n`,
  });
});

test('--json prints the same document as the API', async () => {
  assert.deepEqual(await preview(...gap, '--json'), {
    exitCode: 0,
    stdout: `{"words":"At 02:30, every day","next":["2026-03-29T01:00:00.000Z","2026-03-30T00:30:00.000Z"],"notes":["${gapNote}"]}\n`,
    stderr: zoneNote,
  });
});

/** A promise, the arguments, and the due times in UTC, to the minute. */
const shown: [promise: string, args: string[], next: string[], notes?: RegExp][] = [
  [
    'a fixed time in an overlap',
    ['30 2 * * *', '--from', '2026-10-24T12:00Z', '--count', '1'],
    ['2026-10-25T00:30'],
    /\n2026-10-25 02:30 happens twice in Europe\/Paris; runs at the first\n$/,
  ],
  [
    'a zone in any letter case',
    ['@daily', '--tz', 'america/new_york', '--from', '2026-06-01T00:00+02:00', '--count', '1'],
    ['2026-06-01T04:00'],
  ],
  [
    'an interval counts from --from',
    ['--every', '90m', '--from', '2026-06-01T00:00Z', '--count', '2'],
    ['2026-06-01T01:30', '2026-06-01T03:00'],
  ],
  [
    'five due times are shown',
    ['0 * * * *', '--from', '2026-06-01T00:00Z'],
    [1, 2, 3, 4, 5].map((hour) => `2026-06-01T0${hour}:00`),
  ],
  [
    'options may come first',
    ['--tz', 'UTC', '--from', '2026-06-01T00:00Z', '--count', '1', '5 4 * * *'],
    ['2026-06-01T04:05'],
  ],
];

test('it shows the due times of such a job, without a server or store', async (t) => {
  const home = temporaryDirectory(t);
  for (const [promise, args, next, notes = /^(?:time zone: .*\n)?$/] of shown) {
    const env = { HOME: home, JOBD_URL: 'http://127.0.0.1:9', TZ: 'Europe/Paris' };
    const ran = await runCommand(['schedule', 'preview', ...args], env);
    assert.equal(ran.exitCode, 0, `${promise}: ${ran.stderr}`);
    assert.match(ran.stderr, notes, promise);
    const times = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[1]);
    assert.deepEqual(
      times,
      next.map((time) => `${time}:00.000Z`),
      promise,
    );
  }
  assert.deepEqual(readdirSync(home), []);
});

test('without --from it starts now', async () => {
  const before = Date.now();
  const { stdout } = await preview('* * * * *', '--count', '1', '--json');
  const { next } = JSON.parse(stdout) as { next: string[] };
  const due = Date.parse(next[0] ?? '');
  assert.ok(due > before && due <= Date.now() + 60_000, stdout);
});

test('invalid input exits with 2 and a message', async () => {
  const rows: [args: string[], words: RegExp][] = [
    [[], /use either a cron expression, in quotes, or --every/],
    [['@daily', '--every', '5m'], /use either a cron expression, in quotes, or --every/],
    [['0', '2', 'src', 'test', 'src'], /put the expression in quotes.*arrived as 5 arguments/],
    [['61 * * * *'], /the expression: the minute field takes 0 to 59, got "61"/],
    [[''], /the expression must have 5 fields/],
    [['0 0 30 2 *'], /the expression never fires: no date matches/],
    [['*/30 2 * 3 0L', '--tz', 'Europe/Paris'], /the expression never fires in Europe\/Paris/],
    [['@daily', '--tz', 'Mars'], /--tz must be an IANA name.*got "Mars"/],
    [['--every', '59s'], /--every must be between 1m and 365d, got 59s/],
    [['--every', 'often'], /--every must be a duration such as 90s.*got often/],
    [['--every', '5m', '--tz', '+02:00'], /--tz must be an IANA name/],
    [['@daily', '--count', '0'], /--count must be a whole number between 1 and 100, got 0/],
    [['@daily', '--count', '101'], /--count must be a whole number between 1 and 100, got 101/],
    [['@daily', '--count', ''], /--count must be a whole number.*got nothing/],
    [
      ['@daily', '--from', '2026-03-28'],
      /--from must be a date and time in ISO 8601.*"2026-03-28"/,
    ],
    [['@daily', '--from', '2026-03-28T12:00'], /with an offset or Z/],
    [['@daily', '--from', '1969-12-31T23:00Z'], /--from must be in the years 1970 to 2999/],
  ];
  for (const [args, words] of rows) {
    const { exitCode, stdout, stderr } = await preview(...args);
    assert.equal(exitCode, 2, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, /^jobd: [^\n]+\n$/);
    assert.match(stderr, words);
  }
});

/** The output of a terminal, and stderr. */
function onTerminal(input: PreviewInput, sinceNow: boolean, width = 80) {
  const lines: string[] = [];
  const said: string[] = [];
  const output: Output = {
    isTerminal: true,
    width,
    hasColour: false,
    data: (line) => void lines.push(line),
    styled: (line) => void lines.push(line),
    say: (line) => void said.push(line),
  };
  const now = Date.parse('2026-03-28T22:10:30Z');
  printPreview(output, previewSchedule(input, now), { sinceNow });
  return { lines, said };
}

test('on a terminal it is a table with the zone and the time until each run', () => {
  assert.deepEqual(onTerminal({ cronExpr: '30 2 * * *', count: 2 }, true), {
    lines: [
      'LOCAL (EUROPE/PARIS)          UTC                       IN',
      'Sun 29 Mar 2026 03:00 +02:00  2026-03-29T01:00:00.000Z  2 h 49 min',
      'Mon 30 Mar 2026 02:30 +02:00  2026-03-30T00:30:00.000Z  1 d 2 h',
    ],
    said: ['', gapNote],
  });
});

test('a narrow terminal shows local times whole, and not those in UTC', () => {
  for (const width of [50, 54, 62]) {
    const { lines } = onTerminal({ cronExpr: '30 2 * * *', count: 1 }, true, width);
    const row = 'Sun 29 Mar 2026 03:00 +02:00  2 h 49 min';
    assert.deepEqual(lines, ['LOCAL (EUROPE/PARIS)          IN', row], `${width}`);
  }
  const { lines } = onTerminal({ cronExpr: '30 2 * * *', count: 1 }, true, 39);
  assert.deepEqual(lines, ['LOCAL (EUROPE/PARIS)', 'Sun 29 Mar 2026 03:00 +02:00']);
});

test('seconds are shown where they matter, and times count from --from', () => {
  const from = '2026-03-28T12:00:00Z';
  const input = { scheduleType: 'period', periodSeconds: 90, count: 2, from } as const;
  assert.deepEqual(onTerminal({ ...input, timezone: 'Asia/Kathmandu' }, false), {
    lines: [
      'LOCAL (ASIA/KATHMANDU)           UTC                       AFTER',
      'Sat 28 Mar 2026 17:46:30 +05:45  2026-03-28T12:01:30.000Z  1 min 30 s',
      'Sat 28 Mar 2026 17:48:00 +05:45  2026-03-28T12:03:00.000Z  3 min',
    ],
    said: [],
  });
});

test('a duration is shown in its two largest units', () => {
  const rows: [ms: number, text: string][] = [
    [0, '0 s'],
    [1, '1 s'],
    [59_000, '59 s'],
    [59_001, '1 min'],
    [299_300, '5 min'],
    [61_000, '1 min 1 s'],
    [12_000_000, '3 h 20 min'],
    [3_600_000, '1 h'],
    [3_601_000, '1 h'],
    [86_400_000 + 59 * 60_000, '1 d'],
    [463 * 86_400_000 + 7_200_000, '463 d 2 h'],
  ];
  for (const [ms, text] of rows) {
    assert.equal(inTwoUnits(Math.ceil(ms / 1_000), { minute: 'min' }), text);
  }
});
