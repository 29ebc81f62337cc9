/** Invalid jobs and the messages of their errors (docs/behavior.md#jobs). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

const url = 'http://127.0.0.1:1/';
const smallest = { name: 'a', url };
const astral = '😀';

type Row = [what: string, input: object, words: RegExp, status?: number];

/** Invalid inputs of a new job, and the message that names the rule, the field and the value. */
const refusedAsNew: readonly Row[] = [
  ['no name', { name: undefined }, /^name is required/],
  [
    'no url, but a wrong name of it',
    { url: undefined, ulr: 'x' },
    /^ulr is not a known field, did you mean url\?$/,
  ],
  ['no url', { url: undefined }, /^url is required/],
  ['a field of updates', { action: 'pause' }, /^action is not a known field/],
  ['a field that is only returned', { status: 'up' }, /^status is not a known field/],
  ['name, null', { name: null }, /^name must be a string, got null/],
  ['workspaceId, a number', { workspaceId: 5 }, /^workspaceId must be a string, got 5/],
];

/** The same of an update, too. */
const refused: readonly Row[] = [
  ['an unknown field', { colour: 'red' }, /^colour is not a known field.*cronExpr/],
  ['constructor', { constructor: 'x' }, /^constructor is not a known field/],

  ['name, a number', { name: 5 }, /^name must be a string, got 5/],
  ['name, empty', { name: '' }, /^name must not be empty/],
  ['name, spaces', { name: '   ' }, /^name must not be blank/],
  ['name, 121', { name: 'n'.repeat(121) }, /^name must be at most 120 characters, got 121/],
  ['name, 121 astral', { name: astral.repeat(121) }, /^name .* 120 characters, got 121/],

  ['url, a number', { url: 1 }, /^url must be a string, got 1/],
  ['url, empty', { url: '' }, /^url must/],
  ['url, a path', { url: '/backup' }, /^url must begin with http:\/\/ or https:\/\//],
  ['url, ftp', { url: 'ftp://example.com/' }, /^url must begin with http.*got ftp:/],
  ['url, javascript', { url: 'javascript:alert(1)' }, /^url must begin with http/],
  [
    'url, a password',
    { url: 'http://me:secret@example.com/' },
    /^url must not contain a user name/,
  ],
  ['url, a private address', { url: 'http://10.0.0.1/' }, /^url must lead to a public address/],
  ['url, link-local', { url: 'http://169.254.169.254/' }, /^url must lead to a public address/],
  ['url, an odd spelling', { url: 'http://0x7f.1/' }, /^url must write its address/],
  ['url, a space', { url: 'http://example.com/a b' }, /^url must not contain spaces/],
  ['url, 2049', { url: url.padEnd(2_049, 'a') }, /^url must be at most 2048 characters, got 2049/],

  ['method, lower case', { method: 'get' }, /^method must be one of GET, POST.*got "get"/],
  ['method, unknown', { method: 'TRACE' }, /^method must be one of.*got "TRACE"/],

  ['headers, an array', { headers: ['a: b'] }, /^headers must be an object, got an array/],
  ['headers, a number in it', { headers: { 'X-A': 5 } }, /^headers\.X-A must be a string/],
  ['headers, a name with a space', { headers: { 'X A': 'b' } }, /^headers must have names of/],
  ['headers, a line break', { headers: { 'X-A': 'q\r\nw' } }, /^headers: the value of X-A must/],
  ['headers, Host', { headers: { Host: 'q' } }, /^headers must not contain Host/],
  ['headers, proxies', { headers: { 'Proxy-Foo': 'q' } }, /^headers must not contain Proxy-Foo/],
  [
    'headers, the id of runs',
    { headers: { 'x-service-run-id': 'q' } },
    /^headers must not contain/,
  ],
  [
    'headers, twice',
    { headers: { 'X-A': 'q', 'x-a': 'w' } },
    /^headers must name each header once/,
  ],

  ['body, a number', { method: 'POST', body: 5 }, /^body must be a string or null/],
  [
    'body, an object',
    { method: 'POST', body: {} },
    /^body must be a string or null, got an object/,
  ],
  ['body with GET', { body: 'x' }, /^body is sent only with POST.*got method GET/],
  ['body with HEAD', { method: 'HEAD', body: '' }, /^body is sent only with POST.*got method HEAD/],
  [
    'body, 32769',
    { method: 'POST', body: 'b'.repeat(32_769) },
    /^body must be at most 32768 characters, got 32769/,
    413,
  ],

  ['scheduleType, unknown', { scheduleType: 'rate' }, /^scheduleType must be one of cron, period/],
  ['scheduleType, a number', { scheduleType: 5 }, /^scheduleType must be a string, got 5/],
  ['cronExpr, a number', { cronExpr: 5 }, /^cronExpr must be a string or null, got 5/],
  ['cronExpr, empty', { cronExpr: '' }, /^cronExpr must have 5 fields.*got 0/],
  ['cronExpr, 6 fields', { cronExpr: '0 0 * * * *' }, /^cronExpr must have 5 fields.*got 6/],
  ['cronExpr, minute 60', { cronExpr: '60 * * * *' }, /^cronExpr: the minute field.*59.*got "60"/],
  ['cronExpr, ?', { cronExpr: '0 0 ? * *' }, /^cronExpr: the day-of-month field.*write \*/],
  ['cronExpr, @reboot', { cronExpr: '@reboot' }, /^cronExpr must be.*@daily.*got "@reboot"/],
  ['cronExpr, 30 February', { cronExpr: '0 0 30 2 *' }, /^cronExpr never fires/],
  [
    'cronExpr, bad beside a period',
    { scheduleType: 'period', periodSeconds: 60, cronExpr: 'x' },
    /^cronExpr must have 5 fields/,
  ],

  ['timezone, unknown', { timezone: 'Europe/Atlantis' }, /^timezone must be an IANA.*got "Europe/],
  ['timezone, an offset', { timezone: '+02:00' }, /^timezone must be an IANA name.*got "\+02:00"/],
  ['timezone, local', { timezone: 'local' }, /^timezone must be an IANA name/],
  ['timezone, a number', { timezone: 5 }, /^timezone must be a string, got 5/],

  ['period without periodSeconds', { scheduleType: 'period' }, /^periodSeconds is required/],
  [
    'periodSeconds beside a cron expression',
    { cronExpr: '0 5 * * *', periodSeconds: 60 },
    /^periodSeconds has no effect while scheduleType is cron: set scheduleType to period too, or/,
  ],
  [
    'cronExpr beside a period',
    { scheduleType: 'period', periodSeconds: 60, cronExpr: '0 5 * * *' },
    /^cronExpr has no effect while scheduleType is period: set scheduleType to cron too, or leave/,
  ],
  [
    'null for a field that a period needs',
    { scheduleType: 'period', periodSeconds: null },
    /^periodSeconds is required/,
  ],

  [
    'spreadSeconds, over the period',
    { scheduleType: 'period', periodSeconds: 60, spreadSeconds: 61 },
    /^spreadSeconds must be at most periodSeconds, 60, got 61/,
  ],
  ['notBefore, a number', { notBefore: 5 }, /^notBefore must be a string or null, got 5/],
  ['notBefore, a date', { notBefore: '2999-12-01' }, /^notBefore must be a date and time such as/],
  ['notBefore, no date', { notBefore: '2999-02-29 10:00' }, /^notBefore must be a date and time/],
  ['notBefore, a far year', { notBefore: '3000-01-01T00:00Z' }, /^notBefore must be in the years/],
  ['notAfter, past', { notAfter: '2020-01-01T00:00Z' }, /^notAfter must be after now, got 2020-/],
  [
    'notAfter, before notBefore',
    { notBefore: '2999-01-02T00:00Z', notAfter: '2999-01-01T00:00Z' },
    /^notAfter must be after notBefore, 2999-01-02T00:00:00.000Z, got 2999-01-01/,
  ],
  [
    'nothing due in between',
    { cronExpr: '0 0 1 1 *', notBefore: '2998-02-01T00:00Z', notAfter: '2998-03-01T00:00Z' },
    /^it is never due between notBefore and notAfter/,
  ],
  ['runAt, past', { runAt: '2020-01-01T00:00Z' }, /^runAt must not be in the past, got 2020-01/],
  ['runAt, far', { runAt: '2999-01-01T00:00Z' }, /^runAt must be at most 5 years ahead, got 2999/],
  ['runAt, a date', { runAt: '2999-01-01' }, /^runAt must be a date and time such as 2026-12/],
  [
    'deleteAfterSeconds, for good',
    { deleteAfterSeconds: 60 },
    /^deleteAfterSeconds has no effect without runAt or/,
  ],
  ['notes, 4001', { notes: 'n'.repeat(4_001) }, /^notes must be at most 4000 characters, got 4001/],
  ['paused, a string', { paused: 'true' }, /^paused must be a boolean, got "true"/],
  ['paused, 1', { paused: 1 }, /^paused must be a boolean, got 1/],
];

/** What each number must be; `null` is fine where it says so. */
const bounds = [
  ['periodSeconds', 60, 31_536_000, 'an integer or null'],
  ['timeoutSeconds', 1, 60, 'an integer'],
  ['reportWithinSeconds', 1, 86_400, 'an integer or null'],
  ['spreadSeconds', 1, 3_600, 'an integer or null'],
  ['deleteAfterSeconds', 0, 31_536_000, 'an integer or null'],
  ['makeUpSeconds', 60, 604_800, 'an integer or null'],
  ['retries', 0, 2, 'an integer'],
] as const;

const outOfBounds = bounds.flatMap(([field, least, most, kind]): Row[] => [
  ...[least - 1, most + 1].map((value): Row => {
    const words = `^${field} must be between ${least} and ${most}, got ${value}$`;
    return [`${field}, ${value}`, { [field]: value }, new RegExp(words)];
  }),
  ...[`${least}`, least + 0.5, true].map((value): Row => {
    const words = `^${field} must be ${kind}, got ${JSON.stringify(value)}$`;
    return [`${field}, ${JSON.stringify(value)}`, { [field]: value }, new RegExp(words)];
  }),
]);

/** Rows that one key sends in a minute, two requests each; a longer table is split. */
const perKey = 40;

test('every invalid input is refused with its message, and nothing is stored', async (t) => {
  const { ask, newKey } = await startTestDaemon(t);
  const { job } = (await ask('POST', '/jobs', smallest)).body;
  let key = '';
  const both = [...refused, ...outOfBounds];
  const rows = [...both, ...refusedAsNew];
  for (const [index, [what, input, words, status = 400]] of rows.entries()) {
    if (index % perKey === 0) key = await newKey('write');
    const answer = await ask('POST', '/jobs', { ...smallest, ...input }, key);
    assertRefused(answer, status, words, what);
    if (index >= both.length) continue;
    const update = await ask('PATCH', `/jobs/${job.id}`, input, key);
    assertRefused(update, status, words, `${what}, in an update`);
  }
  assert.deepEqual((await ask('GET', '/jobs')).body.jobs, [job]);
});

test('an error message does not repeat possible secrets', async (t) => {
  const { ask } = await startTestDaemon(t);
  const secret = 'hunter2';
  const inputs = [
    { headers: { 'X-Token': `${secret}\n` } },
    { headers: { 'X-Token': [secret] } },
    { headers: secret },
    { method: 'POST', body: [secret] },
    { url: `http://me:${secret}@example.com/` },
  ];
  for (const input of inputs) {
    const { status, body } = await ask('POST', '/jobs', { ...smallest, ...input });
    assert.equal(status, 400);
    assert.doesNotMatch(body.error, new RegExp(secret), JSON.stringify(input));
  }
});
