/** Crontabs are read as cron reads them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCrontab } from '../../../src/wings/readers/crontab.ts';

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
  assert.deepEqual(
    { ...first, settings: [...(first?.settings ?? [])] },
    {
      number: 6,
      text: '30\t2  * * MON-FRI\tcurl  -s x  # why',
      prefix: '30\t2  * * MON-FRI\t',
      cronExpr: '30 2 * * mon-fri',
      command: 'curl  -s x  # why',
      input: null,
      settings: [['SHELL', '/bin/sh']],
      comment: 'Nightly backup',
    },
  );
  assert.deepEqual([second?.cronExpr, second?.command], ['@yearly', 'wget y']);
  assert.equal(second?.settings.get('CRON_TZ'), 'America/New_York');
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
  assert.deepEqual(
    broken.map(({ number }) => number),
    [2, 3, 4],
  );
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
