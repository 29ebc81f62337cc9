/**
 * Bodies that start as a valid one and are then broken: in one place, two, or the whole text. Which places there are and what
 * fits them is in the description of the API.
 */

import { resolve, type Schema } from '../../../src/api/description/components.ts';
import * as fc from '../fast-check.ts';
import { hostileJson } from './hostile.ts';

/** JSON, which may say what no serializer writes. */
type Json = fc.Arbitrary<string>;

/** The names and indexes that lead to a value of a body. */
interface Place {
  steps: readonly string[];
  schema: Schema;
}

const json = <T>(arbitrary: fc.Arbitrary<T>): Json =>
  arbitrary.map((value) => JSON.stringify(value));

/** Texts from the letters of a language, such as cron: most are invalid, deep inside. */
const made = (letters: readonly string[], maxLength: number, before = ''): Json =>
  json(
    fc.string({ unit: fc.constantFrom(...letters), maxLength }).map((text) => `${before}${text}`),
  );

const commandParts = ['curl ', 'wget -qO- ', '@daily ', '* * * * * ', 'https://a ', '-H ', '-d '];
const urlParts = ['.', ':', '/', '@', '[', ']', '%', '?', '#', '\\', '0x7f', '127', '1', 'ß', '。'];
const headerNames = ['X-A', 'x-a', 'Host', 'TE', 'Proxy-A', '', 'a b', 'é', 'constructor'];
const nowhere = 'http://127.0.0.1:1';

/** Values that look valid, or would be harmful if concatenated with others. */
const harmful = json(
  fc.oneof(
    fc.constantFrom(
      'ops@example.com\r\nBcc: all@example.com',
      'ops@example.com,all@example.com',
      '"a b"@example.com',
      'ops@exämple.com',
      'http://user:password@example.com/',
      'http://127.0.0.1:1@10.0.0.1/',
      'file:///etc/passwd',
      `${nowhere}/a\r\nX-A: b`,
      `${nowhere}/topic/../other`,
      'tk_\u0000',
      '12345:../../getUpdates?x=aaaaaaaaaaaaaa',
      '-100123&text=x',
      `whsec_${'A'.repeat(2_000)}`,
      '!room/../../x',
      'a'.repeat(2_049),
    ),
    fc.anyText(60),
  ),
);

/** What nearly fits a place, by its name. */
const lookalikes: Readonly<Record<string, Json>> = {
  url: fc.oneof(made(urlParts, 12, 'http://'), harmful),
  onResult: made(urlParts, 12, 'http://'),
  cronExpr: made(
    ['*', '/', '-', ',', ' ', '0', '5', '31', '59', 'L', '#', 'W', '?', 'MON', '@'],
    14,
  ),
  timezone: made(['Europe', '/', 'Paris', 'UTC', 'Etc', 'GMT', '+', '-', '5', '02:00', 'local'], 4),
  from: made(['0', '2', '9', '-', ':', 'T', 'Z', '+', '.', '30'], 12, '2026-03-2'),
  text: made([...commandParts, "'", '\n', '$(', '%'], 20),
  code: made(['0', 'a', 'f'], 33),
  headers: json(
    fc.dictionary(
      fc.constantFrom(...headerNames),
      fc.string({ unit: fc.constantFrom('a', ' ', '\r\n', '\0', 'é', '\ud800'), maxLength: 5 }),
    ),
  ),
  config: json(fc.dictionary(fc.constantFrom('url', 'to', 'token', '__proto__'), fc.string())),
};
const otherNames = [
  '',
  'id',
  'status',
  'Name',
  '__proto__',
  'constructor',
  'workspaceId',
  '\ud800',
];

/** Bodies for a schema, valid ones among them; `valid` are some of those. */
export function hostileBody(
  schema: Schema,
  components: Record<string, Schema>,
  valid: readonly object[],
): fc.Arbitrary<string | Buffer> {
  const places = placesOf(schema, components);
  const change = fc.constantFrom(...places).chain(({ steps, schema: wanted }) => {
    const own = [...lengthsOf(wanted, components), ...edgesOf(wanted, components)];
    const near = lookalikes[steps.at(-1) ?? ''] ?? harmful;
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.oneof(...fitting(wanted, components)) },
      { weight: 3, arbitrary: near },
      { weight: 2, arbitrary: own.length > 0 ? json(fc.constantFrom(...own)) : hostileJson },
      { weight: 3, arbitrary: hostileJson },
    );
    return fc.tuple(fc.constant(steps), value);
  });
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.array(change, { maxLength: 2 }))
    .map(([body, changes]) => textWith(body, changes));
  const names = [...otherNames, ...places.map(({ steps }) => steps[0] ?? '')];
  // A name may occur twice, as in any JSON text.
  const more = fc
    .tuple(changed, fc.constantFrom(...names), hostileJson)
    .map(([text, name, value]) => text.replace('{', () => `{${JSON.stringify(name)}:${value},`))
    .map((text) => text.replace(/,\}$/, '}'));
  return fc.oneof(
    { weight: 16, arbitrary: changed },
    { weight: 3, arbitrary: more },
    { weight: 2, arbitrary: hostileJson },
    { weight: 2, arbitrary: fc.tuple(changed, fc.nat(), fc.string({ maxLength: 2 })).map(garbled) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: changed.map((whole) => `\ufeff${whole}`) },
  );
}

/** The forms that a value may have, and what is in them. */
export function choicesOf(schema: Schema, components: Record<string, Schema>): Schema[] {
  const found = resolve(schema, components);
  return [found, ...(found.anyOf ?? []).flatMap((one) => choicesOf(one, components))];
}

function placesOf(
  schema: Schema,
  components: Record<string, Schema>,
  steps: readonly string[] = [],
): Place[] {
  return choicesOf(schema, components).flatMap(({ properties = {}, items }) => [
    ...(items === undefined ? [] : placesOf(items, components, [...steps, '0'])),
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const here = [...steps, name];
      return [{ steps: here, schema: inner }, ...placesOf(inner, components, here)];
    }),
  ]);
}

/** Values that fit, one arbitrary for each form. */
function fitting(schema: Schema, components: Record<string, Schema>): Json[] {
  const found = choicesOf(schema, components).flatMap(formsOf);
  return found.length > 0 ? found : [hostileJson];
}

function formsOf({ type = [], format, enum: words, ...bounds }: Schema): Json[] {
  if (words !== undefined) return [json(fc.constantFrom(...words))];
  const { minimum = 0, maximum = 1_000, minLength = 1 } = bounds;
  return [type].flat().map((one) => {
    if (one === 'integer' || one === 'number')
      return json(fc.integer({ min: minimum, max: maximum }));
    if (one === 'boolean') return json(fc.boolean());
    if (one === 'array') return fc.constantFrom('[]', '[null]');
    if (one === 'object') return fc.constant('{}');
    if (one === 'null') return fc.constant('null');
    if (format === 'uuid') return json(fc.uuid());
    if (format === 'date-time') return fc.constant('"2999-01-01T00:00:00Z"');
    return json(fc.string({ unit: 'grapheme', minLength, maxLength: minLength + 30 }));
  });
}

/** Texts and lists at their limits. */
function lengthsOf(schema: Schema, components: Record<string, Schema>): unknown[] {
  return choicesOf(schema, components).flatMap(({ maxLength, items }) => [
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength), '😀'.repeat(maxLength + 1)]),
    ...(items === undefined ? [] : [Array.from({ length: 1_001 }, () => 'a')]),
  ]);
}

/** Numbers at their limits. */
function edgesOf(schema: Schema, components: Record<string, Schema>): unknown[] {
  return choicesOf(schema, components).flatMap(({ minimum, maximum }) => [
    ...(minimum === undefined ? [] : [minimum, minimum - 1, minimum + 0.5, String(minimum)]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
  ]);
}

/** The JSON of a body with other values in some places. */
function textWith(
  body: object,
  changes: readonly (readonly [readonly string[], string])[],
): string {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (const [index, [steps]] of changes.entries()) {
    let at: Record<string, unknown> = copy;
    for (const [depth, step] of steps.slice(0, -1).entries()) {
      const isThere = typeof at[step] === 'object' && at[step] !== null;
      if (!isThere) at[step] = steps[depth + 1] === '0' ? [] : {};
      at = at[step] as Record<string, unknown>;
    }
    at[steps.at(-1) ?? ''] = `change ${index}`;
  }
  const text = JSON.stringify(copy);
  return changes.reduce(
    (all, [, value], index) => all.replace(`"change ${index}"`, () => value),
    text,
  );
}

/** The text with a piece inserted, or cut off there if the piece is empty. */
function garbled([text, at, piece]: [string, number, string]): string {
  const cut = at % (text.length + 1);
  return piece === '' ? text.slice(0, cut) : text.slice(0, cut) + piece + text.slice(cut);
}
