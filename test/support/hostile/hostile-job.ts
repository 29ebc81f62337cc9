/** Inputs that start valid and are then broken: one field, two, or the whole text. */

import * as fc from '../fast-check.ts';
import { hostileJson, hostilePiece } from './hostile.ts';

const json = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<string> =>
  arbitrary.map((value) => JSON.stringify(value));

/** Texts from the letters of a language, such as cron: most are invalid, deep inside. */
const made = (letters: readonly string[], maxLength: number, before = ''): fc.Arbitrary<string> =>
  json(
    fc.string({ unit: fc.constantFrom(...letters), maxLength }).map((text) => `${before}${text}`),
  );

const minute = fc.integer({ min: 0, max: 59 }).map(String);
const cron = fc
  .tuple(
    fc.oneof(minute, fc.constantFrom('*', '*/5', '0-30/7', '1,2,3')),
    fc.constantFrom('*', '3', '*/2', '9-17'),
    fc.constantFrom('*', '1', 'L', '1-7', '*/2'),
    fc.constantFrom('*', 'JAN', '2', '*/3'),
    fc.constantFrom('*', 'MON-FRI', '0', '5#2', '7L'),
  )
  .map((fields) => fields.join(' '));

const headers = fc.dictionary(
  fc.string({ unit: fc.constantFrom('X', '-', 'a', '1'), minLength: 1, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '9', '='), maxLength: 20 }),
  { maxKeys: 4 },
);

/** The JSON of a valid value for each field. */
const valid = {
  name: json(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })),
  url: json(
    fc.constantFrom('http://127.0.0.1:1/', 'https://example.com/a?b=c#d', 'http://93.184.216.34/'),
  ),
  method: json(fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE')),
  headers: json(headers),
  body: json(fc.option(fc.string({ maxLength: 50 }))),
  scheduleType: json(fc.constantFrom('cron', 'period')),
  cronExpr: json(fc.oneof(cron, fc.constantFrom('@daily', '@hourly'))),
  timezone: json(fc.constantFrom('UTC', 'Europe/Paris', 'America/New_York', 'australia/lord_howe')),
  periodSeconds: json(fc.integer({ min: 60, max: 31_536_000 })),
  timeoutSeconds: json(fc.integer({ min: 1, max: 60 })),
  retries: json(fc.integer({ min: 0, max: 2 })),
  awaitSeconds: json(fc.option(fc.integer({ min: 1, max: 86_400 }))),
  after: json(fc.constant(null)),
  onResult: json(fc.constantFrom(null, 'https://example.com/results?a=b')),
  notes: json(fc.string({ maxLength: 50 })),
};

const graceSeconds = json(fc.integer({ min: 0, max: 86_400 }));
const onlyOnCreate = { paused: json(fc.boolean()) };
const onlyOnUpdate = { action: json(fc.constantFrom('pause', 'resume')) };
const onlyOnPreview = {
  count: json(fc.integer({ min: 1, max: 100 })),
  from: json(
    fc
      .date({ min: new Date(0), max: new Date('2999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((at) => at.toISOString()),
  ),
};

/** Values that look valid. */
const close = new Map<string, fc.Arbitrary<string>>(
  Object.entries({
    url: made(
      [
        '.',
        ':',
        '/',
        '@',
        '[',
        ']',
        '%',
        '?',
        '#',
        '\\',
        '0x7f',
        '127',
        '1',
        'ß',
        'xn--',
        '。',
        'a',
      ],
      12,
      'http://',
    ),
    cronExpr: made(
      ['*', '/', '-', ',', ' ', '0', '5', '31', '59', 'L', '#', 'W', '?', 'MON', '@'],
      14,
    ),
    timezone: made(
      ['Europe', '/', 'Paris', 'UTC', 'Etc', 'GMT', '+', '-', '5', '02:00', 'local'],
      4,
    ),
    from: made(['0', '2', '9', '-', ':', 'T', 'Z', '+', '.', '30'], 12, '2026-03-2'),
    headers: json(
      fc.dictionary(
        fc.constantFrom(
          'X-A',
          'x-a',
          'Host',
          'TE',
          'Proxy-A',
          '',
          'a b',
          'é',
          'constructor',
          'toString',
        ),
        fc.string({
          unit: fc.constantFrom('a', ' ', '\r\n', '\u0000', 'é', '\ud800'),
          maxLength: 5,
        }),
      ),
    ),
  }),
);

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

/** Fields: a name and the JSON of its value. A name may occur twice, as in any JSON text. */
export type Fields = [name: string, value: string][];

const names = Object.keys({
  ...valid,
  ...onlyOnCreate,
  ...onlyOnUpdate,
  ...onlyOnPreview,
  graceSeconds,
});

function spoiltField(
  ownNames: readonly string[],
  lookalikes: ReadonlyMap<string, fc.Arbitrary<string>>,
): fc.Arbitrary<[string, string]> {
  return fc
    .constantFrom(...ownNames, ...otherNames)
    .chain((name) =>
      fc.tuple(fc.constant(name), fc.oneof(lookalikes.get(name) ?? hostileJson, hostileJson)),
    );
}

/** Bodies made of these fields, valid ones among them; `lookalikes` look valid but are not. */
export function spoilt(
  fields: fc.Arbitrary<Fields>,
  ownNames: readonly string[] = names,
  lookalikes: ReadonlyMap<string, fc.Arbitrary<string>> = close,
): fc.Arbitrary<string | Buffer> {
  const changed = fc
    .tuple(fields, fc.array(spoiltField(ownNames, lookalikes), { maxLength: 2 }))
    .map(([given, changes]) => {
      const changedNames = new Set(changes.map(([name]) => name));
      return given.filter(([name]) => !changedNames.has(name)).concat(changes);
    });
  const text = changed.map(
    (all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`,
  );
  return fc.oneof(
    { weight: 16, arbitrary: text },
    { weight: 2, arbitrary: hostileJson },
    { weight: 2, arbitrary: fc.tuple(text, fc.nat(), fc.string({ maxLength: 2 })).map(garbled) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: text.map((whole) => `\ufeff${whole}`) },
  );
}

/** The text with a piece inserted, or cut off there if the piece is empty. */
function garbled([text, at, piece]: [string, number, string]): string {
  const cut = at % (text.length + 1);
  return piece === '' ? text.slice(0, cut) : text.slice(0, cut) + piece + text.slice(cut);
}

export const fieldsOf = (
  known: Record<string, fc.Arbitrary<string>>,
  requiredKeys: string[],
): fc.Arbitrary<Fields> =>
  fc.record(known, { requiredKeys }).map((record) => Object.entries(record) as Fields);

/** Bodies of createJob, valid ones among them. */
export const hostileJobInput = spoilt(
  fieldsOf({ ...valid, ...onlyOnCreate }, ['name', 'url', 'method']),
);

const definitionKey = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'backup', 'a.b_c-1') },
  { weight: 1, arbitrary: hostilePiece },
);

/** Bodies of the operations that apply definitions, valid ones among them; `input` makes what the noun can be created with. */
export const hostileDefinitions = (noun: string, input: fc.Arbitrary<string | Buffer>) =>
  fc
    .record({
      keys: fc.array(definitionKey, { minLength: 1, maxLength: 3 }),
      wanted: fc.oneof({ weight: 8, arbitrary: input }, fc.constant('null')),
      more: fc.constantFrom('', ',"dryRun":true', ',"dryRun":1', ',"adopt":"x"'),
      ofEach: fc.constantFrom(
        '',
        '',
        ',"adopt":"01a1fc58-a505-7000-bebc-059153f75def"',
        ',"adopt":1',
      ),
    })
    .map(({ keys, wanted, more, ofEach }) => {
      const definitions = keys.map(
        (key) => `{"key":${JSON.stringify(key)},"${noun}":${String(wanted)}${ofEach}}`,
      );
      return `{"definitions":[${definitions.join(',')}]${more}}`;
    });

/** Bodies of copyJob, valid ones among them. */
export const hostileCopy = spoilt(fieldsOf({ name: valid.name }, ['name']));

const actedIds = fc
  .array(fc.oneof({ weight: 8, arbitrary: fc.uuid() }, hostilePiece), { maxLength: 4 })
  .map((ids) => JSON.stringify(ids));

/** Bodies of actOnJobs, valid ones among them. The ids are of no job. */
export const hostileActions = spoilt(
  fieldsOf({ action: fc.constantFrom('"pause"', '"resume"', '"delete"'), ids: actedIds }, [
    'action',
    'ids',
  ]),
);

const commandParts = [
  'curl ',
  'wget -qO- ',
  '@daily ',
  '* * * * * ',
  'https://a ',
  '-H ',
  '-d ',
  "'",
  '\n',
  '$(',
  '%',
];

/** Bodies of readCommand, valid ones among them. */
export const hostileCommand = spoilt(fieldsOf({ text: made(commandParts, 20) }, ['text']));

/** Bodies of updateJob, valid ones among them. */
export const hostileJobUpdate = spoilt(fieldsOf({ ...valid, ...onlyOnUpdate }, []));

const { name, notes, scheduleType, cronExpr, timezone, periodSeconds } = valid;
const monitor = {
  name,
  notes,
  scheduleType,
  cronExpr,
  timezone,
  periodSeconds,
  graceSeconds,
};

/** Bodies of createMonitor, valid ones among them. */
export const hostileMonitorInput = spoilt(fieldsOf({ ...monitor, ...onlyOnCreate }, ['name']));

/** Bodies of updateMonitor, valid ones among them. */
export const hostileMonitorUpdate = spoilt(fieldsOf({ ...monitor, ...onlyOnUpdate }, []));

/** Bodies of previewSchedule, valid ones among them. */
export const hostilePreviewInput = spoilt(
  fieldsOf({ scheduleType, cronExpr, timezone, periodSeconds, ...onlyOnPreview }, []),
);

/** Bodies of completeRun, valid ones among them. */
export const hostileEndOfWait = spoilt(
  fieldsOf({ status: fc.constantFrom('"success"', '"failed"'), message: json(fc.string()) }, [
    'status',
  ]),
);
