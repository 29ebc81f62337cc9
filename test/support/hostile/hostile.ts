/**
 * Input that a careful client never sends, as fast-check arbitraries. JSON is made as text, so that
 * it can be wrong in ways that no serializer writes: `-0`, `1e400`, lone surrogates, `__proto__`.
 */

import * as fc from '../fast-check.ts';

/** Lengths around every limit of a text. */
const lengths = [0, 1, 119, 120, 121, 2_048, 2_049, 4_000, 4_001, 32_768, 32_769];

const oddTexts = fc.oneof(
  fc.anyText(40),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udc00', '\u0000', '\u2028', '\u202e', '😀', 'ß', '\r\n', ' '),
    maxLength: 20,
  }),
  fc.constantFrom(
    '',
    ' ',
    '__proto__',
    'constructor',
    'toString',
    '../../etc/passwd',
    "' or 1=1--",
  ),
);

/** A text of one character, of a length at a limit. */
const longText = fc
  .tuple(fc.constantFrom('a', 'é', '😀', '\u0000', '\ud800'), fc.constantFrom(...lengths))
  .map(([character, length]) => character.repeat(length));

const numberText = fc.oneof(
  fc.constantFrom('-0', '1e400', '-1e400', '1e-400', '9007199254740993', '60.0', '6e1', '0.1'),
  fc.constant('9'.repeat(400)),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const nested = fc
  .tuple(
    fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}']),
    fc.constantFrom(1, 10, 1_000, 20_000),
  )
  .map(
    ([[open, close], depth]) =>
      `${open.repeat(depth)}${open === '[' ? '' : '1'}${close.repeat(depth)}`,
  );

const oddJson = fc.constantFrom(
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"X-A":5}',
  '{"X-A":"q\\r\\nw"}',
  '{"Host":"a"}',
  '{"":""}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
);

/** The JSON of any value at all. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: oddTexts.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: longText.map((text) => JSON.stringify(text)) },
  { weight: 4, arbitrary: numberText },
  { weight: 4, arbitrary: oddJson },
  { weight: 3, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: nested },
);

/** A piece of a path or query, percent-encoded where a URL needs it, or encoded wrongly. */
export const hostilePiece: fc.Arbitrary<string> = fc.oneof(
  oddTexts.map(percentEncoded),
  fc.string({ maxLength: 30 }).map(percentEncoded),
  fc.constantFrom('%zz', '%', '%00', '%c3%28', '%2e%2e', '..', '.', ';', ':id', '*', 'a/b', '//'),
  fc.constantFrom(500, 501, 700).map((length) => 'a'.repeat(length)),
);

const parameterName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('limit', 'cursor') },
  { weight: 2, arbitrary: fc.constantFrom('status', 'before', 'days', 'count', 'month') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('limit[]', 'Limit', '__proto__', 'constructor', 'key', ''),
  },
  { weight: 1, arbitrary: hostilePiece },
);

const parameterValue = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 100 }).map(String) },
  { weight: 2, arbitrary: numberText.map(percentEncoded) },
  { weight: 2, arbitrary: fc.base64String({ maxLength: 60 }).map(percentEncoded) },
  // Cursors with a plausible content: an id, or a time and a source.
  { weight: 1, arbitrary: fc.constantFrom('failed,missed', 'success', ',', '2026-03-28T12:00Z') },
  { weight: 1, arbitrary: fc.uuid().map(base64url) },
  { weight: 1, arbitrary: fc.nat().map((at) => base64url(`${at} manual`)) },
  { weight: 2, arbitrary: hostilePiece },
);

/** A query with its question mark, or nothing. */
export const hostileQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(parameterName, parameterValue), { minLength: 1, maxLength: 3 })
      .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('?', '?&', '?limit', '?=', '??', '?limit=1?limit=2') },
);

/** A cursor of a list of the overview whose content is plausible, or nearly. */
const overviewCursor = fc
  .tuple(
    fc.constantFrom(
      'jobs-newest',
      'jobs-name',
      'jobs-due',
      'jobs-running',
      'jobs-missed',
      'trouble',
    ),
    fc.array(
      fc.oneof(
        fc.uuid(),
        fc.constantFrom('scheduled', 'manual', null, '', [], {}),
        fc.integer(),
        fc.double(),
        fc.anyText(9),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([list, parts]) => base64url(`overview-${list} ${JSON.stringify(parts)}`));

/** A query of a list of the overview. */
const listQuery = {
  q: fc.oneof(hostilePiece, oddTexts.map(percentEncoded), fc.constantFrom('%25', '_', '%5C')),
  cursor: fc.oneof(overviewCursor, hostilePiece),
  limit: fc.oneof(fc.constantFrom('1', '100', '101'), numberText.map(percentEncoded)),
};

export const hostileOverviewQuery: fc.Arbitrary<string> = queryOf({
  status: fc.oneof(
    fc.constantFrom('down', 'new', 'up', 'paused', 'running', 'missed', 'late'),
    hostilePiece,
  ),
  order: fc.oneof(fc.constantFrom('newest', 'due', 'name'), hostilePiece),
  ...listQuery,
});

const moment = fc.oneof(
  fc.date({ noInvalidDate: true }).map((at) => encodeURIComponent(at.toISOString())),
  fc
    .integer({ min: -10, max: 10 })
    .map((days) => new Date(Date.now() + days * 86_400_000).toISOString()),
  hostilePiece,
);

/** A query of the timetable. */
export const hostileTimetableQuery: fc.Arbitrary<string> = queryOf({
  from: moment,
  to: moment,
  ...listQuery,
});

function queryOf(parts: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  return fc
    .record(parts, { requiredKeys: [] })
    .map((query) => Object.entries(query).map(([name, value]) => `${name}=${value}`))
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

/**
 * Every byte that may occur in a header value. Line and headers together stay under the 16 KiB that
 * the connection accepts: anything larger never becomes a request.
 */
const headerText = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0x21, max: 0x7e }).map(String.fromCodePoint) },
    { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0xff }).map(String.fromCodePoint) },
    { weight: 1, arbitrary: fc.constantFrom(' ', '\t') },
  ),
  maxLength: 40,
});

/** The value of a header. */
export const hostileHeader: fc.Arbitrary<string> = fc.oneof(
  headerText,
  fc.constantFrom(0, 127, 128, 129, 1_000).map((length) => 'k'.repeat(length)),
  fc.constantFrom('', '__proto__', 'a, b', '"', 'a;b=c', '\u00ff'),
);

/**
 * Text that a path or query may contain; a lone surrogate becomes the bytes that UTF-8 would have
 * for it.
 */
function percentEncoded(text: string): string {
  return Array.from(text, (character) => {
    if (/[\w.~-]/.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    const bytes = isLone
      ? [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
      : [...Buffer.from(character)];
    return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  }).join('');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
