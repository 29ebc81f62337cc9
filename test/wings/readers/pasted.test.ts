/** What people paste into the editor. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, constantFrom, property, string } from '../../support/fast-check.ts';
import { readPasted } from '../../../src/wings/readers/pasted.ts';
import { parseCron } from '../../../src/domain/schedule/cron.ts';

const texts = (remarks: readonly { text: string }[]): string[] => remarks.map(({ text }) => text);

test('a curl command gives its whole call, and says what has no effect', () => {
  const { kind, draft, ignored, unhonoured } = readPasted(
    `$ curl -s -m 20 --retry 1 https://example.com/a \\\n  -H 'X-A: b' -d 'c=d'\n`,
  );
  assert.equal(kind, 'command');
  assert.deepEqual(draft, {
    name: 'example.com/a',
    method: 'POST',
    url: 'https://example.com/a',
    headers: { 'X-A': 'b', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'c=d',
    timeoutSeconds: 20,
    retries: 1,
  });
  assert.deepEqual([texts(ignored), unhonoured], [['-s'], []]);
});

test('a command gives what a job can take, and says what it cannot', () => {
  const { draft, unhonoured } = readPasted('/usr/bin/curl -L -k https://example.com | jq');
  assert.equal(draft, null);
  assert.deepEqual(texts(unhonoured), ['| jq', '-L', '-k']);
  const followed = readPasted('curl -L -X POST https://example.com');
  assert.deepEqual([followed.draft?.method, followed.draft?.url], ['POST', 'https://example.com']);
  assert.deepEqual(texts(followed.unhonoured), ['-L']);
  assert.equal(readPasted('wget -qO- https://example.com').draft?.url, 'https://example.com');
});

test('a URL gives a name and itself, and a user in it becomes a header', () => {
  assert.deepEqual(readPasted(' https://example.com/a?b[]=1 '), {
    kind: 'url',
    draft: { name: 'example.com/a', url: 'https://example.com/a?b[]=1' },
    ignored: [],
    unhonoured: [],
    problem: null,
  });
  const { draft } = readPasted('https://me:secret@example.com/');
  assert.equal(draft?.url, 'https://example.com/');
  assert.deepEqual(Object.keys(draft?.headers ?? {}), ['Authorization']);
  assert.equal(readPasted('https://exa mple.com').kind, 'unknown');
  assert.deepEqual(texts(readPasted('https://%').unhonoured), ['the URL']);
});

test('cron fields give only the schedule', () => {
  for (const text of ['*/5 * * * *', '30  2 1,15 jan-mar mon#1', '@daily', '0 0 L * 5L']) {
    const { kind, draft } = readPasted(text);
    assert.equal(kind, 'cron', text);
    assert.deepEqual(Object.keys(draft ?? {}), ['cronExpr']);
    parseCron(draft?.cronExpr ?? '');
  }
  assert.equal(readPasted('this is no cron line').kind, 'unknown');
  assert.equal(readPasted('* * * *').kind, 'unknown');
});

test('a line of a crontab gives the schedule and the call', () => {
  const { kind, draft, ignored } = readPasted(
    `MAILTO=me@example.com\nCRON_TZ=America/New_York\n# Nightly backup\n30 2 * * * curl -fsS https://example.com/backup >/dev/null`,
  );
  assert.equal(kind, 'crontab');
  assert.deepEqual(draft, {
    name: 'Nightly backup',
    method: 'GET',
    url: 'https://example.com/backup',
    headers: {},
    body: null,
    cronExpr: '30 2 * * *',
    timezone: 'America/New_York',
  });
  assert.deepEqual(texts(ignored), ['>/dev/null', '-f', '-s', '-S']);
});

test('of several lines the first that calls a URL is taken, and the others are counted', () => {
  const lines = '0 1 * * * backup.sh\n@midnight curl https://example.com/a\n5 * * * * date';
  const { draft, ignored } = readPasted(lines);
  assert.equal(draft?.cronExpr, '@daily');
  assert.equal(draft?.name, 'example.com/a');
  assert.deepEqual(texts(ignored), ['2 other lines']);
});

test('a line of a system crontab is read, too', () => {
  const { draft } = readPasted('17 * * * * root /usr/bin/curl https://example.com/hourly');
  assert.equal(draft?.url, 'https://example.com/hourly');
});

test('a zone that may not be that of the times is not taken', () => {
  const { draft, ignored } = readPasted('TZ=Asia/Tokyo\n0 1 * * * curl https://example.com');
  assert.equal(draft?.timezone, undefined);
  assert.deepEqual(texts(ignored), ['TZ']);
  const both = readPasted('TZ=Asia/Tokyo\nCRON_TZ=UTC\n0 1 * * * curl https://example.com');
  assert.deepEqual([both.draft?.timezone, both.ignored], ['UTC', []]);
});

test('what is not certain or not understood gives a problem and no draft', () => {
  const input = readPasted('0 1 * * * curl -d @- https://example.com%body');
  assert.equal(input.draft, null);
  assert.match(input.problem ?? '', /^% begins the standard input/);
  for (const text of ['', 'hello', 'curl', '0 1 * * * backup.sh', 'curlhttps://x']) {
    const { kind, draft, problem } = readPasted(text);
    assert.deepEqual([kind, draft], ['unknown', null], text);
    assert.match(problem ?? '', /^paste a curl/, text);
  }
  assert.match(readPasted('x'.repeat(8_192)).problem ?? '', /^paste a curl/);
  assert.match(
    readPasted('x'.repeat(8_193)).problem ?? '',
    /^it has more than 8192 characters: paste one command, .*jobd import crontab read/,
  );
});

test('many remarks are cut short', () => {
  const { unhonoured } = readPasted(
    `curl https://a.example ${'-k '.repeat(500)}${'{'.repeat(500)}`,
  );
  assert.ok(unhonoured.length <= 21, String(unhonoured.length));
});

test('no text makes it throw, and each gives a draft or says why not', () => {
  const word = constantFrom(
    'curl ',
    'wget ',
    '@daily ',
    '* * * * * ',
    'https://a ',
    '-H ',
    "'",
    '\n',
    '$(',
    '%',
  );
  check(
    property(string({ unit: word, maxLength: 12 }), (text) => {
      const { draft, unhonoured, problem } = readPasted(text);
      assert.ok(draft === null || problem === null, text);
      assert.ok(draft !== null || unhonoured.length > 0 || problem !== null, text);
    }),
  );
});
