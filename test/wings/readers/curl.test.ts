/** Curl and wget commands as jobs, compared with the requests of the real tools. */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { each } from '../../support/each.ts';
import {
  anyText,
  array,
  assert as check,
  constantFrom,
  oneof,
  property,
} from '../../support/fast-check.ts';
import { readCurl } from '../../../src/wings/readers/curl.ts';
import { readShell } from '../../../src/wings/readers/words.ts';
import { readWget } from '../../../src/wings/readers/wget.ts';
import type { ReadCall, WrittenCall } from '../../../src/wings/readers/written-call.ts';
import { startSink } from '../../support/fakes/sink.ts';

const url = 'https://example.com/a';

function wordsOf(text: string): readonly string[] {
  const commands = readShell(text);
  assert.ok(commands.length <= 1, text);
  const { words, unhonoured } = commands[0] ?? { words: [], unhonoured: [] };
  assert.deepEqual(unhonoured, [], text);
  return words;
}

function callOf({ call, unhonoured }: ReadCall): WrittenCall {
  assert.deepEqual(unhonoured, []);
  assert.ok(call !== null);
  return call;
}

const curl = (text: string): WrittenCall => callOf(readCurl(wordsOf(text)));
const wget = (text: string): WrittenCall => callOf(readWget(wordsOf(text)));

test('a curl command becomes the call that it makes', () => {
  const get: WrittenCall = {
    method: 'GET',
    url,
    headers: {},
    body: null,
    timeoutSeconds: null,
    retries: null,
  };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const post = { ...get, method: 'POST' as const, headers: form };
  const basic = { Authorization: 'Basic w7w6cDpx' };
  const rows: [text: string, call: WrittenCall][] = [
    [url, get],
    [`-fsS -o /dev/null --url ${url}`, get],
    [`-sSfo/dev/null -w '%{http_code}' ${url}`, get],
    ['example.com/a', { ...get, url: 'http://example.com/a' }],
    [`-m 10 --retry 2 ${url}`, { ...get, timeoutSeconds: 10, retries: 2 }],
    [`-m 0 ${url}`, get],
    [`-I ${url}`, { ...get, method: 'HEAD' }],
    [`-XDELETE ${url}`, { ...get, method: 'DELETE' }],
    [`-X PUT -X PATCH ${url}`, { ...get, method: 'PATCH' }],
    [`${url} -d a=1 --data-raw @b`, { ...post, body: 'a=1&@b' }],
    [`-d '' ${url}`, { ...post, body: '' }],
    [`-X PUT --data-binary '{}' ${url}`, { ...post, method: 'PUT', body: '{}' }],
    [
      `--data-urlencode 'a= é&' --data-urlencode '=x y' --data-urlencode 'z' ${url}`,
      { ...post, body: 'a=+%C3%A9%26&x+y&z' },
    ],
    [`-G -d a=1 -d b=2 ${url}`, { ...get, url: `${url}?a=1&b=2` }],
    [`-G -d b '${url}?a#c'`, { ...get, url: `${url}?a&b#c` }],
    [`--url-query 'a=b c' ${url}`, { ...get, url: `${url}?a=b+c` }],
    [
      `-H 'Content-Type: text/csv' -H 'X-Empty;' -d x ${url}`,
      { ...post, headers: { 'Content-Type': 'text/csv', 'X-Empty': '' }, body: 'x' },
    ],
    [
      `--json '{"a":' --json 1} ${url}`,
      {
        ...post,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: '{"a":1}',
      },
    ],
    [`-u ü:p:q ${url}`, { ...get, headers: basic }],
    ['https://%C3%BC:p%3Aq@example.com/a', { ...get, headers: basic }],
    [
      `-A agent -e ${url} -b a=1 -b b=2 --oauth2-bearer t -r 0-9 ${url}`,
      {
        ...get,
        headers: {
          Range: 'bytes=0-9',
          Authorization: 'Bearer t',
          Referer: url,
          'User-Agent': 'agent',
          Cookie: 'a=1;b=2',
        },
      },
    ],
    [`-H 'accept-encoding: br' --compressed ${url}`, get],
    [`-H 'Host: example.com' -H 'Connection: keep-alive' -H 'TE: trailers' ${url}`, get],
    [`-H 'Accept:' -H 'Expect:' ${url}`, get],
    [`-g '${url}?[1]'`, { ...get, url: `${url}?[1]` }],
    ['http://[2001:db8::1]/', { ...get, url: 'http://[2001:db8::1]/' }],
  ];
  for (const [text, call] of rows) assert.deepEqual(curl(text), call, text);
});

test('every option that a job cannot honour is named, and no value is repeated', () => {
  const secret = 'hunter2';
  const rows: [text: string, named: string, reason: RegExp][] = [
    ['', 'no URL', /one URL/],
    [`${url} ${url}`, '2 URLs', /one URL/],
    [`-F file=${secret} ${url}`, '-F', /multipart/],
    [`-d @${secret} ${url}`, '-d', /reads no files/],
    [`--data-urlencode a@${secret} ${url}`, '--data-urlencode', /reads no files/],
    [`--json @${secret} ${url}`, '--json', /reads no files/],
    [`-b ${secret} ${url}`, '-b', /reads no files/],
    [`-H @${secret} ${url}`, '-H', /reads no files/],
    [`-H ${secret} ${url}`, '-H', /Name: value/],
    [`-K ${secret} ${url}`, '-K', /file/],
    [`-u ${secret} ${url}`, '-u', /password/],
    [`-T ${secret} ${url}`, '-T', /file/],
    [`-x ${secret} ${url}`, '-x', /connects/],
    [`--digest -u a:${secret} ${url}`, '--digest', /Basic/],
    [`-o ${secret} ${url}`, '-o', /writes no files/],
    [`-O ${url}`, '-O', /writes no files/],
    [`-m soon ${url}`, '-m soon', /number of seconds/],
    [`--retry -1 ${url}`, '--retry -1', /whole number/],
    [`--cacert ${secret} ${url}`, '--cacert', /certificates/],
    [`--proto-default ftp ${url}`, '--proto-default', /http and https/],
    [`--frobnicate ${secret} ${url}`, '--frobnicate', /does not know/],
    [`-X OPTIONS ${url}`, 'method OPTIONS', /GET, POST/],
    [`-X GET -d ${secret} ${url}`, 'a body', /no body with GET/],
    [`-I -d ${secret} ${url}`, 'data with --head', /only one/],
    [`-H 'Host: ${secret}' ${url}`, 'header Host', /comes from the url/],
    [`-H 'X-Service-Run-Id: ${secret}' ${url}`, 'header X-Service-Run-Id', /the service sets it/],
    [`-H 'a: ${secret}' -H 'A: ${secret}' ${url}`, 'header A', /once/],
    [`-H 'Cookie: a=${secret}' -b b=${secret} ${url}`, 'header Cookie', /once/],
    [`-A '' ${url}`, 'header user-agent', /always/],
    [`-d ${secret} -H Content-Type: ${url}`, 'header content-type', /always/],
    ['ftp://example.com/a', 'ftp', /http and https/],
    ['ftp.example.com', 'the URL', /http and https/],
    [`${url}/[1-3]`, 'brackets or braces in the URL', /several/],
    [`--request=POST ${url}`, '--request=POST', /does not know/],
    [`--frobnicate ${url}`, '--frobnicate', /does not know/],
    [`-%${secret} ${url}`, '-%', /does not know/],
    ['-X', '-X', /needs a value/],
    [`--next ${url}`, '--next', /one call/],
  ];
  for (const [text, named, reason] of rows) {
    const { call, unhonoured } = readCurl(wordsOf(text.replace('[1-3]', '"[1-3]"')));
    assert.equal(call, null, text);
    assert.equal(unhonoured[0]?.text, named, text);
    assert.match(unhonoured[0]?.reason ?? '', reason, text);
    assert.ok(!JSON.stringify(unhonoured).includes(secret), text);
  }
  const { unhonoured } = readCurl(wordsOf(`-x a --digest -F a=b ${url}`));
  assert.deepEqual(each(unhonoured, 'text'), ['-x', '--digest', '-F']);
});

test('what a job does in another way is done and named', () => {
  const rows: [text: string, named: string, reason: RegExp, call: Partial<WrittenCall>][] = [
    [`-fsSL ${url}`, '-L', /does not follow redirects/, { url }],
    [`-k ${url}`, '-k', /verifies certificates/, { url }],
    [`-4 ${url}`, '-4', /any address/, { url }],
    [`--http2-prior-knowledge ${url}`, '--http2-prior-knowledge', /HTTP\/1\.1/, { url }],
    [`--limit-rate 10k ${url}`, '--limit-rate', /own limits/, { url }],
    [`-m 61 ${url}`, '-m 61', /lowered to 60/, { timeoutSeconds: 60 }],
    [`-m 5.5 ${url}`, '-m 5.5', /rounded up to 6/, { timeoutSeconds: 6 }],
    [`-m 0.1 ${url}`, '-m 0.1', /rounded up to 1/, { timeoutSeconds: 1 }],
    [`--retry 5 ${url}`, '--retry 5', /lowered to 2/, { retries: 2 }],
    [`-X post ${url}`, 'method post', /sends POST/, { method: 'POST' }],
    [`-o /tmp/cron.log ${url}`, '-o', /keeps the start/, { url }],
    [`\u2013\u2013silent \u2013X PUT ${url}`, 'typographic dashes', /plain/, { method: 'PUT' }],
  ];
  for (const [text, named, reason, part] of rows) {
    const read = readCurl(wordsOf(text));
    const [remark] = read.adapted;
    assert.equal(remark?.text, named, text);
    assert.match(remark.reason, reason, text);
    for (const [name, value] of Object.entries(part)) {
      assert.equal(callOf(read)[name as keyof WrittenCall], value, text);
    }
  }
  assert.deepEqual(curl(`-O /dev/null ${url}`).url, url, 'curl takes /dev/null for a URL');
  assert.equal(curl(`--proto-default https --proto '=https' example.com/a`).url, url);
});

test('options without effect on the request are ignored and listed', () => {
  const { ignored } = readCurl(wordsOf(`-fsS --compressed -v -o /dev/null ${url}`));
  assert.deepEqual(each(ignored, 'text'), ['-f', '-s', '-S', '-v', '-o', '--compressed']);
});

test('commands copied from browsers are understood', () => {
  const text = readFileSync(
    join(import.meta.dirname, '..', '..', 'vectors', 'copied-as-curl.sh'),
    'utf8',
  );
  const call = curl(text.replace(/^curl /, ''));
  assert.equal(call.method, 'POST');
  assert.equal(call.url, 'https://shop.example.com/api/orders?page=2');
  assert.equal(call.body, '{"note":"it\'s 5 € for 😀","ok":true}');
  assert.equal(call.headers['sec-ch-ua'], '"Chromium";v="140", "Not=A?Brand";v="24"');
  assert.equal(call.headers['Cookie'], 'session=abc; theme=dark');
});

test('a wget command becomes the call that it makes', () => {
  const get = { method: 'GET', url, headers: {}, body: null, timeoutSeconds: null, retries: null };
  assert.deepEqual(wget(`-q -O - ${url}`), get);
  assert.deepEqual(wget(`-qO- --timeout=10 --tries 3 ${url}`), {
    ...get,
    timeoutSeconds: 10,
    retries: 2,
  });
  assert.deepEqual(wget(`-nv --spider -U me ${url}`), {
    ...get,
    method: 'HEAD',
    headers: { 'User-Agent': 'me' },
  });
  assert.deepEqual(wget(`-O/dev/null --post-data a=1 --header 'X-A: b' ${url}`), {
    ...get,
    method: 'POST',
    headers: { 'X-A': 'b', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'a=1',
  });
  const rows: [line: string, named: string][] = [
    [`-O page ${url}`, '-O'],
    [`-qO- --ca-certificate=x ${url}`, '--ca-certificate'],
    [`-qO- --user a ${url}`, '--user'],
    [`-qO- --http-password=b ${url}`, '--password'],
    [`-qO- -t x ${url}`, '-t'],
    [`-qO- -e use_proxy=yes ${url}`, '-e'],
    [`-qO- --quiet=1 ${url}`, '--quiet'],
    [`-qO- -r ${url}`, '-r'],
  ];
  for (const [line, named] of rows) {
    const { call, unhonoured } = readWget(wordsOf(line));
    assert.deepEqual([call, unhonoured[0]?.text], [null, named], line);
  }
});

test('what a job does in another way than wget is done and named', () => {
  const rows: [line: string, named: string[], part: Partial<WrittenCall>][] = [
    [url, ['no -O /dev/null'], { url }],
    [`-P /tmp -q ${url}`, ['-P', 'no -O /dev/null'], { url }],
    [`-qO- --no-check-certificate ${url}`, ['--no-check-certificate'], { url }],
    [`-qO- -t 0 ${url}`, ['-t 0'], { retries: 2 }],
    [`-qO- --tries=inf ${url}`, ['--tries inf'], { retries: 2 }],
    [`-qO- -t 20 -T 900 ${url}`, ['-t 20', '-T 900'], { retries: 2, timeoutSeconds: 60 }],
    [`-qO- -t 1 --read-timeout=0.0 ${url}`, [], { retries: 0, timeoutSeconds: null }],
    [`-qO- -4 ${url}`, ['-4'], { url }],
    [`-O /dev/null -o /dev/null --background ${url}`, [], { url }],
  ];
  for (const [line, named, part] of rows) {
    const read = readWget(wordsOf(line));
    assert.deepEqual(each(read.adapted, 'text'), [...named, 'redirects'], line);
    for (const [name, value] of Object.entries(part)) {
      assert.equal(callOf(read)[name as keyof WrittenCall], value, line);
    }
  }
  assert.deepEqual(wget(`-qO- --user=bob --password='s:3' ${url}`).headers, {
    Authorization: 'Basic Ym9iOnM6Mw==',
  });
});

test('credentials may be longer than the argument limit of a function', () => {
  const user = `me:${'é'.repeat(100_000)}`;
  const { Authorization } = callOf(readCurl(['-u', user, url])).headers;
  assert.equal(Authorization, `Basic ${Buffer.from(user).toString('base64')}`);
});

test('for any words, the result is a call or a reason', () => {
  const word = oneof(
    anyText(20),
    constantFrom('-d', '-G', '-H', 'a:b', '-XPOST', '--', '-', '--constructor', '-m', '1', url),
    constantFrom(
      '--json',
      '-O',
      '--spider',
      '-b',
      'a=b',
      'http://a:%ff@b',
      '-u',
      ':',
      '-g',
      '[',
      '-I',
    ),
  );
  check(
    property(array(word, { maxLength: 6 }), (words) => {
      for (const read of [readCurl, readWget]) {
        const { call, unhonoured } = read(words);
        assert.equal(call === null, unhonoured.length > 0);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** Whether a tool is missing. */
const lacks = (name: string): string | false =>
  spawnSync(name, ['--version']).status === 0 ? false : `${name} is not installed`;

/** Headers that the tools add, and those of every message. */
const ownHeaders = new Set(['accept', 'accept-encoding', 'user-agent', 'host', 'connection']);

const asked = [
  '-d a=1 -d "b=2 3"',
  '--data-raw @x',
  "-d ''",
  '-d a --json b',
  "--json '{}' -H 'Accept: text/plain'",
  "--data-urlencode 'é=ü ~!*()' --data-urlencode = --data-urlencode 'a=b=c@d'",
  "-G -d a=1 --data-urlencode 'b= '",
  "-d x --url-query 'a= b' --url-query +b=c%20d",
  '-X PUT -d x -H content-type:text/csv',
  '-X DELETE',
  "-H 'X-A:  spaced  ' -H 'X-Empty;' -H 'Accept:'",
  '-u name:pass -e http://r.example/ -A agent -A later',
  '-u name:pass -H "Authorization: Mine"',
  '--oauth2-bearer token -r 5-9 --compressed',
  "-b 'a=1' -b 'b=2; c=3'",
  '-I',
];

for (const tool of ['curl', 'wget'] as const) {
  test(`a job sends the same request as ${tool}`, { skip: lacks(tool) }, async (t) => {
    const sink = await startSink(t);
    const site = sink.url.replace('http://', 'http://in%20url:pw@');
    const lines =
      tool === 'curl'
        ? [...asked.map((options) => `${options} ${sink.url}/p`), `'${site}?q#f' -G -d a`]
        : [
            `--post-data 'a=1 2' ${sink.url}/p`,
            `--method PUT --body-data x --header 'Content-Type: text/csv' ${sink.url}/p?q`,
            `--spider -U agent --referer=http://r.example/ ${sink.url}`,
            `--header 'X-A: 1' --header 'x-a:2' ${sink.url}`,
          ].map((line) => `--tries=1 -O /dev/null ${line}`);
    for (const line of lines) {
      const words = wordsOf(line);
      const call = callOf(tool === 'curl' ? readCurl(words) : readWget(words));
      const quiet = tool === 'curl' ? ['-q', '-s', '--noproxy', '*'] : ['-q', '--no-proxy'];
      await promisify(execFile)(tool, [...quiet, ...words], { env: {} });
      const real = sink.received.pop();
      assert.ok(real !== undefined, line);
      const target = new URL(call.url);
      assert.equal(
        `${call.method} ${target.pathname}${target.search}`,
        `${real.method} ${real.path}`,
      );
      assert.equal(call.body ?? '', real.body, line);
      const said = Object.entries(call.headers).map(([name, value]) => [name.toLowerCase(), value]);
      const sent = Object.entries(real.headers).filter(
        ([name]) => name !== 'content-length' && !(ownHeaders.has(name) && !saidName(said, name)),
      );
      assert.deepEqual(Object.fromEntries(said), Object.fromEntries(sent), line);
    }
    assert.ok(lines.length > 3);
  });
}

function saidName(said: readonly (string | undefined)[][], name: string): boolean {
  return said.some(([other]) => other === name);
}
