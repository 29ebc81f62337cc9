import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import {
  judgeAnswers,
  judgeDial,
  judgeUrl,
  parseAllowTarget,
  parseAllowTargets,
  type AllowedTarget,
} from '../../../src/domain/targets/target.ts';

interface Vectors {
  urls: { url: string; expect: 'allow' | 'reject'; why: string }[];
  dnsAnswers: { answers: string[]; expect: 'allow' | 'reject'; why: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/ssrf.json', import.meta.url), 'utf8'),
) as Vectors;

const none: readonly AllowedTarget[] = [];

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof JobdError, String(error));
    assert.equal(error.code, 'invalid_input');
    return error.message;
  }
  return '';
}

test('every URL vector is judged as listed, with its reason', () => {
  assert.ok(vectors.urls.length > 200);
  for (const { url, expect, why } of vectors.urls) {
    const reason = refusal(() => judgeUrl(url, none));
    assert.equal(reason === '' ? 'allow' : 'reject', expect, `${JSON.stringify(url)}: ${why}`);
    if (expect === 'reject') assert.match(reason, /^url must /);
  }
});

test('every set of DNS answers is judged as listed', () => {
  assert.ok(vectors.dnsAnswers.length > 30);
  for (const { answers, expect, why } of vectors.dnsAnswers) {
    const verdict = judgeAnswers(answers, 443, none, false);
    assert.equal(verdict.allowed ? 'allow' : 'reject', expect, `${answers.join()}: ${why}`);
  }
});

test('no URL vector that is refused for its spelling is accepted because of an allow entry', () => {
  const allow = parseAllowTargets(['8.8.8.8/32:*']);
  for (const { url, expect } of vectors.urls) {
    if (expect === 'allow' || /^https?:\/\/[a-z0-9.-]+(?::\d+)?\/?$/i.test(url)) continue;
    assert.notEqual(
      refusal(() => judgeUrl(url, allow)),
      '',
      url,
    );
  }
});

function urlOf(length: number, letter: string): string {
  const start = 'https://example.com/';
  return start + letter.repeat(length - start.length);
}

test('a URL has at most 2048 characters, counted as code points', () => {
  assert.equal(
    refusal(() => judgeUrl(urlOf(2048, 'a'), none)),
    '',
  );
  assert.equal(
    refusal(() => judgeUrl(urlOf(2048, '😀'), none)),
    '',
  );
  assert.match(
    refusal(() => judgeUrl(urlOf(2049, 'a'), none)),
    /2048 characters, got 2049/,
  );
  assert.match(
    refusal(() => judgeUrl(urlOf(2049, '😀'), none)),
    /2048 characters, got 2049/,
  );
});

test('an error about userinfo does not repeat the password', () => {
  const reason = refusal(() => judgeUrl('https://me:s3cret@example.com/', none));
  assert.match(reason, /user name or password/);
  assert.ok(!reason.includes('s3cret'));
});

test('an allow entry covers exactly its block and ports', () => {
  const rows: [string, string, number, boolean][] = [
    ['127.0.0.1', '127.0.0.1', 80, true],
    ['127.0.0.1', '127.0.0.1', 443, true],
    ['127.0.0.1', '127.0.0.1', 8080, false],
    ['127.0.0.1', '127.0.0.2', 80, false],
    ['10.0.0.0/8:8080', '10.255.255.255', 8080, true],
    ['10.0.0.0/8:8080', '10.255.255.255', 80, false],
    ['10.0.0.0/8:8080', '11.0.0.0', 8080, false],
    ['10.0.0.0/8:8080', '8.8.8.8', 80, true],
    ['10.0.0.0/8:*', '10.0.0.1', 65535, true],
    ['10.0.0.0/8:*', '10.0.0.1', 0, false],
    ['10.0.0.0/8:*', '::ffff:10.0.0.1', 80, false],
    ['[::1]', '::1', 80, true],
    ['[::1]/128:8080', '0:0::1', 8080, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[fd00::/8]:*', 'fdff::1', 9000, true],
    ['fd00::/8:*', 'fdff::1', 9000, true],
    ['fd00::/8', 'fdff::1', 443, true],
    ['::1', '::1', 443, true],
    ['::1', '::1', 8080, false],
    ['0.0.0.0/0:*', 'not-an-ip', 80, false],
  ];
  for (const [entry, address, port, allowed] of rows) {
    const verdict = judgeDial(address, port, parseAllowTargets([entry]));
    assert.equal(verdict.allowed, allowed, `${entry} and ${address} port ${port}`);
  }
});

test('an entry for a translation prefix only allows allowed IPv4 addresses inside it', () => {
  const rows: [string, string, number, boolean][] = [
    ['64:ff9b::/96', '64:ff9b::8.8.8.8', 80, true],
    ['64:ff9b::/96', '64:ff9b::8.8.8.8', 8080, false],
    ['64:ff9b::/96:8080', '64:ff9b::8.8.8.8', 8080, true],
    ['64:ff9b::/96', '64:ff9b::10.0.0.1', 80, false],
    ['64:ff9b::/96', '64:ff9b::127.0.0.1', 80, false],
    ['64:ff9b::/96', '64:ff9b::169.254.169.254', 80, false],
    ['64:ff9b::/96 10.0.0.0/8', '64:ff9b::10.0.0.1', 80, true],
    ['64:ff9b::/96:* 10.0.0.0/8', '64:ff9b::10.0.0.1', 8080, false],
    ['10.0.0.0/8', '64:ff9b::10.0.0.1', 80, false],
    ['[64:ff9b::10.0.0.1]/128:*', '64:ff9b::10.0.0.1', 80, false],
    ['[::/0]:*', '64:ff9b::10.0.0.1', 80, false],
    ['[::/0]:*', '64:ff9b:1::10.0.0.1', 80, false],
    ['[::/0]:*', '64:ff9b:1::8.8.8.8', 80, true],
    ['[::/0]:*', '::ffff:10.0.0.1', 80, false],
    ['[::/0]:*', '::ffff:8.8.8.8', 80, true],
    ['[::/0]:*', '::ffff:0:127.0.0.1', 80, false],
    ['[::/0]:*', '2002:7f00:1::', 80, false],
    ['[::/0]:*', '2002:7f00:801:808::', 80, false],
    ['[::/0]:*', '2002:808:808::1', 80, true],
    ['[::/0]:*', '2001::80ff:fffe', 80, false],
    ['[::/0]:*', '2001::f7f7:f7f7', 80, true],
    ['[::/0]:*', '::1', 80, true],
    ['[::/0]:*', 'fd00::1', 80, true],
  ];
  for (const [entries, address, port, allowed] of rows) {
    const verdict = judgeDial(address, port, parseAllowTargets(entries.split(' ')));
    assert.equal(verdict.allowed, allowed, `${entries} and ${address} port ${port}`);
  }
  const verdict = judgeDial('64:ff9b::a00:1', 80, parseAllowTargets(['64:ff9b::/96']));
  assert.ok(!verdict.allowed && /leads to 10\.0\.0\.1: .*private use/.test(verdict.reason));
});

test('an ambiguous allow entry is refused', () => {
  const bad = `x localhost 10.0.0.1/8 10.0.0.0/33 10.0.0.0/8:0 10.0.0.0/8:65536 10.0.0.0/8:http
    10.0.0.0/8: [10.0.0.0/8]:80 [10.0.0.1]:80 [::1 ::1]:80 [::1]/129 [::1]x [] 127.1 0x7f.0.0.1`;
  for (const entry of ['', ...bad.split(/\s+/)]) {
    assert.match(
      refusal(() => parseAllowTarget(entry)),
      /^allow-target must /,
      entry,
    );
  }
  for (const name of ['localhost', 'localhost:18110', 'http://127.0.0.1:18110']) {
    const words = /must be an address such as 127\.0\.0\.1:8080, .* but no name or URL, got "/;
    assert.match(
      refusal(() => parseAllowTarget(name)),
      words,
    );
  }
});

test('internal names and ports are accepted only if an allow entry could cover them', () => {
  const rows: [string[], string, boolean][] = [
    [[], 'http://localhost/', false],
    [['127.0.0.1'], 'http://localhost/', true],
    [['127.0.0.1'], 'http://localhost:8080/', false],
    [['127.0.0.1:8080'], 'http://localhost:8080/', true],
    [['127.0.0.1:8080'], 'http://db.internal:8080/', true],
    [['127.0.0.1:8080'], 'http://127.0.0.1:8080/', true],
    [['127.0.0.1:8080'], 'http://127.0.0.1/', false],
    [['127.0.0.1:8080'], 'http://127.0.0.2:8080/', false],
    [['[::1]:*'], 'http://[::1]:3000/', true],
    [['127.0.0.1:*'], 'http://0x7f.1/', false],
    [['127.0.0.1:*'], 'http://example.com:0/', false],
    [['127.0.0.1:*'], 'http://hidden.onion/', false],
    [['127.0.0.1:*'], 'http://user@127.0.0.1/', false],
  ];
  for (const [allow, url, passes] of rows) {
    const reason = refusal(() => judgeUrl(url, parseAllowTargets(allow)));
    assert.equal(reason === '', passes, `${url} with [${allow.join()}]: ${reason}`);
  }
});

test('one refused answer refuses a name, but localhost needs only one of its two covered', () => {
  const allow = parseAllowTargets(['127.0.0.1:*']);
  const both = ['127.0.0.1', '::1'];
  assert.equal(judgeAnswers(both, 80, allow, false).allowed, false);
  assert.deepEqual(judgeAnswers(both, 80, allow, true), {
    allowed: true,
    addresses: ['127.0.0.1'],
  });
  assert.equal(judgeAnswers(both, 80, none, true).allowed, false);
});

test('a refusal says how an address is allowed, but not that of a metadata service', () => {
  const rows = [
    ['http://127.0.0.1:3000/', 'jobd serve --allow-target 127.0.0.1:3000'],
    ['http://localhost:3000/', 'jobd serve --allow-target 127.0.0.1:3000'],
    ['http://[::1]/', 'jobd serve --allow-target [::1]'],
    ['http://nas.local/', 'jobd serve --allow-target ADDRESS'],
    ['http://example.com:8443/', 'jobd serve --allow-target ADDRESS:8443'],
  ] as const;
  for (const [url, command] of rows) {
    assert.ok(refusal(() => judgeUrl(url, [])).endsWith(`; to allow it: ${command}`), url);
    const target = command.split(' ').at(-1) ?? '';
    if (!target.startsWith('ADDRESS')) judgeUrl(url, parseAllowTargets([target]));
  }
  for (const address of ['169.254.169.254', '168.63.129.16', '[fe80::1]']) {
    const said = refusal(() => judgeUrl(`http://${address}/`, []));
    assert.match(said, /; refused on purpose: the metadata service/);
    assert.doesNotMatch(said, /--allow-target/);
  }
});

test('localhost and names below it are judged as the loopback addresses that they lead to', () => {
  const other = parseAllowTargets(['10.0.0.0/8:*', '127.0.0.1:3000']);
  for (const host of ['localhost', 'LOCALHOST', 'app.localhost']) {
    for (const allow of [none, other]) {
      const said = (name: string) => refusal(() => judgeUrl(`http://${name}:8080/`, allow));
      assert.match(said(host), /^url must lead to a public address: 127\.0\.0\.1 is not public/);
      assert.equal(said(host), said('127.0.0.1'));
    }
    for (const allowed of ['127.0.0.1:8080', '[::1]:8080', '127.0.0.0/8:*']) {
      judgeUrl(`http://${host}:8080/`, parseAllowTargets([allowed]));
    }
  }
  for (const url of ['http://%6cocalhost/', 'http://localhost./', 'http://a..localhost/']) {
    assert.notEqual(
      refusal(() => judgeUrl(url, parseAllowTargets(['127.0.0.0/8']))),
      '',
      url,
    );
  }
});

test('a quote that a text program made is named', () => {
  for (const quote of ['“', '‘', '«', '„']) {
    const said = refusal(() => judgeUrl(`${quote}https://example.com/`, []));
    assert.equal(said, `url must be without the quote ${quote} before it`);
  }
});
