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
  const { draft, adapted, unhonoured } = readPasted(
    '/usr/bin/curl -L -k --digest https://example.com | jq',
  );
  assert.equal(draft, null);
  assert.deepEqual(
    [texts(unhonoured), texts(adapted)],
    [
      ['| jq', '--digest'],
      ['-L', '-k'],
    ],
  );
  const digest = readPasted('curl -L --digest -X POST https://example.com');
  assert.deepEqual([digest.draft?.method, digest.draft?.url], ['POST', 'https://example.com']);
  assert.deepEqual([texts(digest.unhonoured), texts(digest.adapted)], [['--digest'], ['-L']]);
  assert.equal(readPasted('wget -qO- https://example.com').draft?.url, 'https://example.com');
});

test('a URL gives a name and itself, and a user in it becomes a header', () => {
  assert.deepEqual(readPasted(' https://example.com/a?b[]=1 '), {
    kind: 'url',
    draft: { name: 'example.com/a', url: 'https://example.com/a?b[]=1' },
    ignored: [],
    adapted: [],
    unhonoured: [],
    problem: null,
  });
  assert.equal(readPasted('<https://example.com/a>').draft?.url, 'https://example.com/a');
  const { draft } = readPasted('https://me:secret@example.com/');
  assert.equal(draft?.url, 'https://example.com/');
  assert.deepEqual(Object.keys(draft?.headers ?? {}), ['Authorization']);
  assert.equal(readPasted('https://exa mple.com').kind, 'unknown');
  assert.deepEqual(texts(readPasted('https://%').unhonoured), ['the URL']);
});

test('cron fields give only the schedule', () => {
  for (const text of [
    '*/5 * * * *',
    '30  2 1,15 jan-mar mon#1',
    '@daily',
    '0 0 L * 5l',
    '@annually',
  ]) {
    const { kind, draft } = readPasted(text);
    assert.equal(kind, 'cron', text);
    assert.deepEqual(Object.keys(draft ?? {}), ['cronExpr']);
    parseCron(draft?.cronExpr ?? '');
  }
  for (const [text, problem] of [
    ['0 0 12 * * ?', /write 0 12 \* \* \*$/],
    ['cron(0 12 * * ? *)', /write 0 12 \* \* \*$/],
    ['rate(5 minutes)', /300 seconds \(--every 5m\)$/],
    ['@every 5m', /300 seconds \(--every 5m\)$/],
    ['Mon *-*-1..7 05:30', /systemd/],
    ['daily', /write @daily$/],
    ['99 * * * *', /^the minute field/],
    ['* * * * * *', /^the expression must have 5 fields/],
  ] as const) {
    const { kind, draft, problem: why } = readPasted(text);
    assert.deepEqual([kind, draft], ['cron', null], text);
    assert.match(why ?? '', problem, text);
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
  assert.equal(draft?.cronExpr, '@midnight');
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
  for (const text of ['', 'hello', '# curl', '0 1 * * * backup.sh', 'curlhttps://x']) {
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

const url = 'https://example.com/a';

test('the forms in which people copy a command are read', () => {
  for (const text of [
    `curl ${url}`,
    `curl.exe -s ${url}`,
    `$ curl ${url}`,
    `> curl ${url}`,
    `# curl ${url}`,
    `sudo curl ${url}`,
    `time curl ${url}`,
    `# nightly\n\ncurl ${url}`,
    `curl \\\r\n  -s \\\r\n  ${url}\r\n`,
    `curl -s “${url}”`,
    `TOKEN=x\ncurl -H "A: $TOKEN" ${url}`,
    `wget ${url}`,
    `A='b c'; curl -H "A: $A" ${url}`,
  ]) {
    const { kind, draft, unhonoured } = readPasted(text);
    assert.deepEqual([kind, draft?.url, unhonoured], ['command', url, []], text);
  }
  for (const text of [
    `0 0 L * * curl ${url}`,
    `CRON_TZ=UTC\n# words\n0 0 L * * flock -n /tmp/a curl ${url}`,
    `A=${url}\n-0 0 L * * wget -qO- $A`,
  ]) {
    const { kind, draft, unhonoured } = readPasted(text);
    assert.deepEqual([kind, draft?.url, unhonoured], ['crontab', url, []], text);
    assert.equal(draft?.cronExpr, '0 0 L * *');
  }
  const often = readPasted(`@every 5m curl ${url}`);
  assert.equal(often.draft?.cronExpr, undefined);
  assert.match(often.adapted[0]?.reason ?? '', /interval of 300 seconds/);
});

test('a request that is copied in another form is called by its name', () => {
  for (const [text, what] of [
    [`fetch("${url}", {\n  "method": "POST"\n});`, /fetch in JavaScript.*Copy as cURL/],
    [`await fetch("${url}")`, /fetch in JavaScript/],
    [`Invoke-WebRequest -Uri "${url}"`, /PowerShell/],
    [`$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\nx`, /PowerShell/],
    [`http POST example.com a=b`, /HTTPie/],
    [`https example.com/a`, /HTTPie/],
    [`GET /a HTTP/1.1\nHost: example.com`, /as it is sent/],
    [`curl ^"${url}^" ^\n  -H ^"a: b^"`, /cmd\.exe/],
    [`curl "${url}" ^\r\n  -H "a: b"`, /cmd\.exe/],
  ] as const) {
    const { kind, draft, problem } = readPasted(text);
    assert.deepEqual([kind, draft], ['unknown', null], text);
    assert.match(problem ?? '', what, text);
  }
});

test('many remarks are cut short', () => {
  const { unhonoured } = readPasted(
    `curl https://a.example ${'-n '.repeat(500)}${'{'.repeat(500)}`,
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
