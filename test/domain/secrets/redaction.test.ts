/** A job's secrets are found in the target's answer, wherever it was cut. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastCpuMs } from '../../support/cpu.ts';
import { seededRandom } from '../../support/dice.ts';
import * as fc from '../../support/fast-check.ts';
import { isSecretHeader } from '../../../src/domain/jobs/headers.ts';
import type { Response } from '../../../src/domain/runs/outcome.ts';
import {
  createRedactor,
  redact,
  redactResult,
  secretTexts,
} from '../../../src/domain/secrets/redaction.ts';

function redacted(changes: Partial<Response>, secrets: string[]): Response {
  const response: Response = {
    httpStatus: 200,
    location: null,
    retryAfter: null,
    body: '',
    truncated: false,
    broken: null,
    ...changes,
  };
  const result = redactResult({ kind: 'response', response }, createRedactor(secrets));
  assert.ok(result.kind === 'response');
  return result.response;
}

test('protocol headers are not secrets, all others are', () => {
  for (const name of ['Content-Type', 'ACCEPT', 'accept-language', 'User-Agent', 'Cache-Control']) {
    assert.equal(isSecretHeader(name), false, name);
    assert.deepEqual(secretTexts({ [name]: 'application/json' }), [], name);
  }
  for (const name of ['Authorization', 'X-Api-Key', 'Cookie', 'X-Accept', 'Content-Secret']) {
    assert.equal(isSecretHeader(name), true, name);
  }
});

const rows: [what: string, headers: Record<string, string>, said: string, kept: string][] = [
  ['a value', { 'X-Key': 'abcdefgh' }, 'key=abcdefgh.', 'key=[redacted].'],
  ['a value of seven characters', { 'X-Key': 'abcdefg' }, 'abcdefg', 'abcdefg'],
  ['a value twice', { 'X-Key': 'abcdefgh' }, 'abcdefgh abcdefgh', '[redacted] [redacted]'],
  ['a whole credential', { Authorization: 'Bearer abcdefgh' }, '"Bearer abcdefgh"', '"[redacted]"'],
  ['a credential', { authorization: 'Bearer abcdefgh' }, 'token abcdefgh', 'token [redacted]'],
  ['a short credential', { Authorization: 'Bearer abcdefg' }, 'abcdefg', 'abcdefg'],
  ['another scheme', { AUTHORIZATION: 'X-Own  abcd efgh' }, '<abcd efgh>', '<[redacted]>'],
  ['no scheme', { Authorization: 'abcdefgh' }, '<abcdefgh>', '<[redacted]>'],
  ['a password', { Authorization: `Basic ${btoa('ann:pass:word')}` }, 'pass:word', '[redacted]'],
  ['a user with it', { Authorization: `Basic ${btoa('ann:pass')}` }, '(ann:pass)', '([redacted])'],
  ['a cookie', { Cookie: 'a=1; sid=abcdefgh; b=2' }, 'sid is abcdefgh', 'sid is [redacted]'],
  ['a JSON echo', { 'X-Key': 'ab"cd\\efg' }, '{"k":"ab\\"cd\\\\efg"}', '{"k":"[redacted]"}'],
  [
    'a JSON echo of .NET',
    { 'X-Key': 'v+Ym\'F"y==' },
    '{"k":"v\\u002BYm\\u0027F\\u0022y=="}',
    '{"k":"[redacted]"}',
  ],
  [
    'a JSON echo of Go',
    { 'X-Key': 'us"er&p<w' },
    '{"k":"us\\"er\\u0026p\\u003cw"}',
    '{"k":"[redacted]"}',
  ],
  [
    'a JSON echo of Python',
    { 'X-Key': 'ab"clé-de' },
    '{"k":"ab\\"cl\\u00e9-de"}',
    '{"k":"[redacted]"}',
  ],
  [
    'a query in small letters',
    { 'X-Key': 'v+Ym/F y==' },
    '?k=v%2bYm%2fF%20y%3d%3d',
    '?k=[redacted]',
  ],
  ['a form', { 'X-Key': 'abc~def 123' }, 'k=abc%7Edef+123&l=1', 'k=[redacted]&l=1'],
  ['a JSON echo of PHP', { 'X-Key': 'ab/cd/efg' }, '{"k":"ab\\/cd\\/efg"}', '{"k":"[redacted]"}'],
  ['a query', { 'X-Key': 'ab/cd+efg=' }, '?k=ab%2Fcd%2Befg%3D', '?k=[redacted]'],
  ['overlapping values', { A: 'abcdefgh', B: 'efghijkl' }, '<abcdefghijkl>', '<[redacted]>'],
  ['a value in another', { A: 'abcdefgh', B: 'xxabcdefghxx' }, '<xxabcdefghxx>', '<[redacted]>'],
  ['other letters', { A: 'abcdefgh' }, 'ABCDEFGH', 'ABCDEFGH'],
];

for (const [what, headers, said, kept] of rows) {
  test(`the preview is redacted correctly: ${what}`, () => {
    assert.equal(redact(said, secretTexts(headers)), kept);
  });
}

test('a cut-off part of a secret is removed, but only at a cut', () => {
  const secrets = ['abcdefghijkl'];
  for (let cut = 1; cut < 12; cut += 1) {
    const body = `<${'abcdefghijkl'.slice(0, cut)}`;
    const expected = cut < 8 ? '<' : '<[redacted]';
    assert.equal(redacted({ body, truncated: true }, secrets).body, expected, `${cut} characters`);
    const broken = { reason: 'protocol', detail: 'the response body broke off' } as const;
    assert.equal(redacted({ body, broken }, secrets).body, expected, 'it broke off');
    assert.equal(redacted({ body }, secrets).body, body, 'it ended there');
  }
});

test('a preview stays within its byte limit and marks truncation', () => {
  const full = 'abcdefgh'.repeat(512);
  const separated = 'abcdefgh,'.repeat(455);
  assert.deepEqual(redacted({ body: full }, ['abcdefgh']), {
    ...redacted({}, []),
    body: '[redacted]',
  });
  const { body, truncated } = redacted({ body: separated }, ['abcdefgh']);
  assert.ok(Buffer.byteLength(body) <= 4096 && truncated);
  assert.equal(redacted({ body: 'ok', truncated: true }, ['abcdefgh']).truncated, true);
});

test('a redirect that repeats a secret does not reveal it', () => {
  const location = 'https://abcdefgh.example.com/';
  assert.doesNotMatch(redacted({ location }, ['abcdefgh']).location ?? '', /abcdefgh/);
  const long = `https://a:${'x'.repeat(2033)}@abcd`;
  assert.equal(long.length, 2048);
  assert.doesNotMatch(redacted({ location: long }, ['abcdefgh']).location ?? '', /abcd/);
});

test('a redirect to a path that is secret still shows its host', () => {
  for (const site of ['https://example.com', '//example.com:8443']) {
    const { location } = redacted({ location: `${site}/hooks/one?a=b` }, ['/hooks/one']);
    assert.equal(location, `${site}/[redacted]?a=b`);
  }
  const { location } = redacted({ location: '/hooks/one' }, ['/hooks/one']);
  assert.equal(location, '[redacted]');
});

/** These secrets could be formed by the marker itself. */
const secret = fc
  .string({
    unit: fc.constantFrom('a', 'b', 'A', 'B', '0', '1', '/', '"', '\\', ' ', '+', '=', 'é'),
    minLength: 8,
    maxLength: 40,
  })
  .filter((text) => text.trim() === text);
const filler = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constant('日'.repeat(60)),
);

test('no preview contains a secret, for any surrounding text and any cut', () => {
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(fc.oneof(filler, fc.nat(3)), { maxLength: 12 }),
      fc.nat(600),
      (secrets, pieces, cutAt) => {
        const whole = pieces
          .map((piece) => (typeof piece === 'number' ? (secrets[piece] ?? '') : piece))
          .join('');
        const isCut = cutAt < whole.length;
        const kept = redact(whole.slice(0, cutAt), secrets, isCut);
        for (const each of secrets) assert.ok(!kept.includes(each), `${each} in ${kept}`);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('no part of a secret that the cut split is kept', () => {
  fc.assert(
    fc.property(secret, fc.nat(50), fc.nat(), (each, before, at) => {
      const text = '日'.repeat(before);
      const length = 1 + (at % (each.length - 1));
      const kept = redact(text + each.slice(0, length), [each], true);
      assert.equal(kept, length < 8 ? text : `${text}[redacted]`);
    }),
  );
});

test('a text without secrets is unchanged', () => {
  fc.assert(
    fc.property(filler, fc.array(secret), (text, secrets) => {
      fc.pre(!secrets.some((each) => text.includes(each)));
      assert.equal(redact(text, secrets), text);
    }),
  );
});

/** What `redact` is to do, as simply as possible: whatever a secret covers goes. */
function redactSimply(text: string, secrets: readonly string[], isCut: boolean): string {
  const spans: { start: number; end: number }[] = [];
  for (const each of secrets) {
    for (let start = 0; start < text.length; start += 1) {
      const rest = text.slice(start);
      if (rest.startsWith(each)) spans.push({ start, end: start + each.length });
      else if (isCut && each.startsWith(rest)) spans.push({ start, end: text.length });
    }
  }
  spans.sort((a, b) => a.start - b.start);
  let kept = '';
  let end = 0;
  for (let index = 0; index < spans.length;) {
    const { start, end: first } = spans[index] ?? assert.fail();
    let last = first;
    for (index += 1; (spans[index]?.start ?? Infinity) <= last; index += 1) {
      last = Math.max(last, spans[index]?.end ?? 0);
    }
    kept += text.slice(end, start) + (last - start < 8 ? '' : '[redacted]');
    end = last;
  }
  return kept + text.slice(end);
}

/** Of few letters, so that secrets overlap, contain and continue each other. */
const letters = (minLength: number, maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength }),
    fc.string({ unit: fc.constantFrom('a'), minLength, maxLength }),
    fc.string({
      unit: fc.constantFrom('a', '/', 'é', '\u{1f600}', '\ud83d'),
      minLength,
      maxLength,
    }),
  );

test('what any secret covers is redacted, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(letters(8, 20), { maxLength: 14 }),
      fc.array(fc.oneof(fc.nat(13), letters(0, 12)), { maxLength: 12 }),
      fc.nat(150),
      fc.boolean(),
      (secrets, pieces, cutAt, isCut) => {
        const whole = pieces
          .map((piece) => (typeof piece === 'number' ? (secrets[piece] ?? '') : piece))
          .join('');
        const text = whole.slice(0, cutAt);
        assert.equal(redact(text, secrets, isCut), redactSimply(text, secrets, isCut));
      },
    ),
    { numRuns: 5_000 },
  );
});

test('several texts are redacted by one redactor, each by itself', () => {
  const { redact: without } = createRedactor(['abcdefgh', 'abcdefghabcdefgh']);
  for (let round = 0; round < 2; round += 1) {
    assert.equal(without('<abcdefgh>'), '<[redacted]>');
    assert.equal(without('abcdefg', true), '');
    assert.equal(without('abcdefg'), 'abcdefg');
    assert.equal(without(''), '');
    assert.equal(without('', true), '');
  }
});

const manyLengths = (letter: string, size: number): string[] => {
  const found: string[] = [];
  for (let total = 0; total < size; total += found.at(-1)?.length ?? size) {
    found.push(letter.repeat(8 + found.length));
  }
  return found;
};

/** Another letter at each place. */
const letterAt = (n: number) => String.fromCharCode(0x4e00 + (n % 20_000));

interface Hostile {
  text: string;
  secrets: string[];
}

/** A long text and many secrets, by their size: what they have in common is costly to compare. */
const hostile: [what: string, of: (size: number) => Hostile][] = [
  ['one letter', (size) => ({ text: 'a'.repeat(size), secrets: manyLengths('a', size) })],
  [
    'one letter, then another',
    (size) => ({
      text: 'a'.repeat(size),
      secrets: manyLengths('a', size).map((each) => `${each}b`),
    }),
  ],
  [
    'half of the text',
    (size) => ({ text: 'ab'.repeat(size / 2), secrets: ['ab'.repeat(size / 4), 'a'.repeat(size)] }),
  ],
  [
    'many short ones',
    (size) => {
      const secrets = Array.from(
        { length: size / 10 },
        (_, n) => `a/b${String(n).padStart(7, '0')}`,
      );
      return { text: secrets.join(''), secrets };
    },
  ],
  [
    'one after another in many places',
    (size) => {
      const text = Array.from({ length: size / 2 }, (_, n) => `a${letterAt(n)}`).join('');
      return { text, secrets: [text.slice(0, size / 2), text.slice(size / 4), 'a'.repeat(size)] };
    },
  ],
];

/** As long, and all of it a secret, but nothing repeats: it needs as much memory, which is slower beside other programs. */
function harmless(size: number): Hostile {
  const random = seededRandom(size);
  const each = Array.from({ length: size }, () => letterAt(Math.floor(random() * 20_000)));
  const text = each.join('');
  return { text, secrets: [text] };
}

const redactionOf =
  ({ text, secrets }: Hostile) =>
  (): string =>
    redact(text, secrets, true);

const [short, long] = [8_192, 131_072];

test('redaction of a harmless text costs as much as that is long', async () => {
  const works = [harmless(short), harmless(long)].map(redactionOf);
  const [small = NaN, large = NaN] = await leastCpuMs(works);
  // It is about 20 times, as large tables are slower, and up to 90 times beside other programs. Quadratic is 256 times.
  assert.ok(large < 150 * Math.max(small, 2), `${small} ms, then ${large} ms`);
});

for (const [what, of] of hostile) {
  test(`redaction costs no more than that of a harmless text: ${what}`, async () => {
    const works = [of(long), harmless(long)].map(redactionOf);
    const [costMs = NaN, harmlessMs = NaN] = await leastCpuMs(works);
    // At most twice as much. Listing what overlaps took 4 times as much, what is quadratic takes 12 times.
    assert.ok(costMs < 3 * harmlessMs, `${costMs} ms, and ${harmlessMs} ms where nothing repeats`);
  });
}
