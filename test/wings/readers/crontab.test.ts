import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUserColumn, parseCrontab } from '../../../src/wings/readers/crontab.ts';
import { each } from '../../support/each.ts';

const read = (text: string, isSystem = false) => parseCrontab(text, { isSystem });

test('times, commands and preceding settings are read; the rest is skipped', () => {
  const { lines, broken } = read(
    `MAILTO=""
SHELL="/bin/sh"
# a comment

 # Nightly backup
30\t2  * * MON-FRI\tcurl  -s x  # why
 CRON_TZ = 'America/New_York'
@Annually wget y\r
`,
  );
  assert.deepEqual(broken, []);
  const [first, second] = lines;
  const { variables, ...rest } = first ?? assert.fail();
  assert.deepEqual([variables('SHELL'), variables('CRON_TZ')], ['/bin/sh', undefined]);
  assert.deepEqual(
    { ...rest, settings: [...rest.settings] },
    {
      number: 6,
      text: '30\t2  * * MON-FRI\tcurl  -s x  # why',
      prefix: '30\t2  * * MON-FRI\t',
      cronExpr: '30 2 * * MON-FRI',
      periodSeconds: null,
      times: [],
      command: 'curl  -s x  # why',
      input: null,
      settings: [['SHELL', '/bin/sh']],
      comment: 'Nightly backup',
    },
  );
  assert.deepEqual([second?.cronExpr, second?.command], ['@annually', 'wget y']);
  assert.equal(second?.settings.get('CRON_TZ'), 'America/New_York');
});

test('times that only some crons know are read as they are meant', () => {
  const rows: [times: string, cronExpr: string, periodSeconds: number | null, remarks: number][] = [
    ['-*/15 * * * *', '*/15 * * * *', null, 1],
    ['@every 90s', '', 90, 0],
    ['@every 1h30m', '', 5_400, 0],
    ['@300', '', 300, 0],
    ['0 0 L * 5l', '0 0 L * 5l', null, 0],
    ['0 9 * * 1\u20135', '0 9 * * 1-5', null, 1],
    ['59~10 * * * *', '59~10 * * * *', null, 0],
  ];
  for (const [times, cronExpr, periodSeconds, remarks] of rows) {
    const [line] = read(`${times} x`).lines;
    assert.deepEqual([line?.cronExpr, line?.periodSeconds], [cronExpr, periodSeconds], times);
    assert.equal(line?.times.length, remarks, times);
    assert.equal(line?.command, 'x');
  }
});

const minuteOf = (times: string, command: string) =>
  Number(read(`${times} ${command}`).lines[0]?.cronExpr.split(' ')[0]);

test('a value by chance is the same each time, within its range, and another for other lines', () => {
  const commands = Array.from({ length: 200 }, (_, index) => `x${index}`);
  for (const [times, from, to] of [
    ['~ * * * *', 0, 59],
    ['0~59 * * * *', 0, 59],
    ['50~ * * * *', 50, 59],
    ['~5 * * * *', 0, 5],
  ] as const) {
    const minutes = commands.map((command) => minuteOf(times, command));
    assert.ok(
      minutes.every((minute) => minute >= from && minute <= to),
      times,
    );
    assert.ok(new Set(minutes).size > (to - from) / 2, times);
    assert.deepEqual(minutes.slice(0, 1), [minuteOf(times, 'x0')]);
  }
});

test('a line sees the values that variables have above it', () => {
  const { lines } = read('A=1\n@daily x\nA=" 2 "\nB=$A\n@daily y\nA=3\n');
  const seen = lines.map(({ variables }) => ['A', 'B', 'C'].map(variables));
  assert.deepEqual(seen, [
    ['1', undefined, undefined],
    [' 2 ', '$A', undefined],
  ]);
});

const userIn = (command: string) => findUserColumn(read(`\n@daily ${command}`).lines);

test('a name before curl or wget is a user, unless it runs commands', () => {
  assert.deepEqual(userIn('deploy curl x'), { number: 2, user: 'deploy' });
  assert.deepEqual(userIn('www-data /usr/bin/wget x'), { number: 2, user: 'www-data' });
  for (const command of [
    'sudo curl x',
    'chronic wget x',
    '/opt/run curl x',
    'curl wget x',
    'a b',
  ]) {
    assert.equal(userIn(command), null, command);
  }
});

test('a percent sign ends the command unless it is escaped', () => {
  const [line] = read('* * * * * a \\% b%c\\%%d').lines;
  assert.deepEqual([line?.command, line?.input], ['a % b', 'c%\nd']);
});

test('a system crontab has a user column', () => {
  const [line] = read('* * * * * root curl x', true).lines;
  assert.equal(line?.command, 'curl x');
  assert.equal(read('* * * * * root', true).broken.length, 1);
  assert.equal(read('* * * * * root curl x').lines[0]?.command, 'root curl x');
});

test('an invalid line is reported with its number', () => {
  const { broken } = read('\ngarbage\n* * * *\n@daily\n');
  assert.deepEqual(each(broken, 'number'), [2, 3, 4]);
});

test('a line that is longer than cron reads is skipped, and a setting may have any character', () => {
  const { lines, broken } = read(
    `@daily ${'x'.repeat(131_072)}\nSHELL=\t"a\u2028b"\n@daily x\u2028y`,
  );
  assert.deepEqual(
    broken.map(({ number, text, reason }) => [number, text.length, reason]),
    [[1, 61, 'it has more than 131072 characters']],
  );
  assert.equal(lines[0]?.settings.get('SHELL'), 'a\u2028b');
  assert.equal(lines[0]?.command, 'x\u2028y');
});

const commentOf = (comment: string) => read(`${comment}\n@daily curl x`).lines[0]?.comment;

test('a name is taken from a comment that consists of words', () => {
  assert.equal(commentOf('## Send mails'), 'Send mails');
  assert.equal(commentOf('# m h dom mon dow command\n# Mail his data'), 'Mail his data');
  for (const comment of [
    '#',
    '# ----',
    '# 0 1 * * * curl y',
    '# @daily curl y',
    '# a\n# b',
    '# m h  dom mon dow   command',
    '#min hour day month weekday command',
    '# a\n',
    `# ${'a'.repeat(121)}`,
  ]) {
    assert.equal(commentOf(comment), null, comment);
  }
});
