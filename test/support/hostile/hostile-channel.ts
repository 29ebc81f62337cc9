/** Channel inputs that start valid and are then broken, above all the config of each kind. */

import * as fc from '../fast-check.ts';
import { hostileJson } from './hostile.ts';
import { spoilt } from './hostile-job.ts';
import type { Fields } from './hostile-job.ts';

const json = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<string> =>
  arbitrary.map((value) => JSON.stringify(value));

const token = fc.string({
  unit: fc.constantFrom('a', 'B', '9', '_'),
  minLength: 30,
  maxLength: 40,
});
const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const key = (length: number) =>
  fc.string({ unit: fc.constantFrom('a', 'B', '9'), minLength: length, maxLength: length });
const nowhere = 'http://127.0.0.1:1';

/** Valid configs, by type. */
const configs: Record<string, fc.Arbitrary<Record<string, string>>> = {
  webhook: fc.record(
    { url: fc.constantFrom(`${nowhere}/hook?a=b`, 'https://example.com/'), secret },
    { requiredKeys: ['url'] },
  ),
  email: fc.record({
    to: fc.constantFrom('ops@example.com', "o'brien+x@a.b-c.example", 'a@b.example, c@d.example'),
  }),
  slack: fc.record({ url: token.map((text) => `${nowhere}/services/${text}`) }),
  discord: fc.record({ url: token.map((text) => `${nowhere}/api/webhooks/1/${text}`) }),
  telegram: fc.record({
    botToken: token.map((text) => `12345:${text}`),
    chatId: fc.constantFrom('-100123', '@ops'),
  }),
  ntfy: fc.record(
    { url: token.map((text) => `${nowhere}/${text}`), token },
    { requiredKeys: ['url'] },
  ),
  teams: fc.record({ url: token.map((text) => `${nowhere}/workflows/1?sig=${text}`) }),
  matrix: fc.record({
    url: fc.constantFrom(nowhere, `${nowhere}/matrix/`),
    room: fc.constantFrom('!room:example.org', '!room'),
    token,
  }),
  gotify: fc.record({ url: fc.constantFrom(nowhere, `${nowhere}/gotify/`), token }),
  pushover: fc.record(
    { token: key(30), user: key(30), priority: fc.constantFrom('-2', '0', '2') },
    { requiredKeys: ['token', 'user'] },
  ),
  pagerduty: fc.record(
    { routingKey: key(32), region: fc.constantFrom('us', 'eu') },
    { requiredKeys: ['routingKey'] },
  ),
  opsgenie: fc.record(
    { apiKey: key(36), region: fc.constantFrom('us', 'eu') },
    { requiredKeys: ['apiKey'] },
  ),
};

/** Values that look valid, or would be harmful if concatenated with others. */
const hostileValue = fc.oneof(
  fc.constantFrom(
    'ops@example.com\r\nBcc: all@example.com',
    'ops@example.com,all@example.com',
    'Ops <ops@example.com>',
    '"a b"@example.com',
    'ops@example.com\u0000',
    'ops@exämple.com',
    'http://user:password@example.com/',
    'http://127.0.0.1:1@10.0.0.1/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    `${nowhere}/a\r\nX-A: b`,
    `${nowhere}/topic/../other`,
    `${nowhere}/?topic`,
    'tk_a\r\nX-A: b',
    'tk_\u0000',
    '12345:../../getUpdates?x=aaaaaaaaaaaaaa',
    '-100123&text=x',
    'whsec_',
    `whsec_${'A'.repeat(2_000)}`,
    '#room:example.org',
    '!room/../../x',
    '2.0',
    'EU',
    'a'.repeat(2_049),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

const names = [
  'url',
  'secret',
  'to',
  'botToken',
  'chatId',
  'token',
  'room',
  'user',
  'priority',
  'routingKey',
  'apiKey',
  'region',
  'password',
  '__proto__',
  '',
];
const hostileConfig = fc.oneof(
  json(fc.dictionary(fc.constantFrom(...names), hostileValue, { maxKeys: 3 })),
  fc
    .tuple(fc.constantFrom(...names), hostileJson)
    .map(([name, value]) => `{${JSON.stringify(name)}:${value}}`),
  ...Object.values(configs).map((config) =>
    json(
      fc
        .tuple(config, fc.constantFrom(...names), hostileValue)
        .map(([good, name, value]) => Object.assign({}, good, { [name]: value })),
    ),
  ),
);

const jobIds = fc.oneof(
  fc.constant('null'),
  json(fc.array(fc.uuid(), { maxLength: 3 })),
  json(fc.constant(Array.from({ length: 1_001 }, () => 'a'))),
);

const common = {
  name: json(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })),
  enabled: json(fc.boolean()),
  jobIds: fc.constant('null'),
  monitorIds: fc.constantFrom('null', '[]'),
  afterFailures: json(fc.integer({ min: 1, max: 100 })),
  alsoOn: json(fc.subarray(['missed', 'interrupted'])),
  remindEverySeconds: fc.oneof(fc.constant('null'), json(fc.integer({ min: 900, max: 604_800 }))),
};
const ownNames = [...Object.keys(common), 'type', 'config'];
const lookalikes = new Map([
  ['config', hostileConfig],
  ['jobIds', jobIds],
  ['monitorIds', jobIds],
  ['alsoOn', json(fc.array(fc.constantFrom('missed', 'Missed', 'failed', 'toString')))],
  ['remindEverySeconds', json(fc.constantFrom(0, 899, 900.5, 604_801, -1, '900'))],
  ['type', json(fc.constantFrom('webhook', 'email', 'slack', 'ntfy', 'Webhook', 'toString'))],
]);

const entries = fc
  .constantFrom(...Object.keys(configs))
  .chain((type) =>
    fc.record(
      { ...common, type: fc.constant(JSON.stringify(type)), config: json(configs[type]!) },
      { requiredKeys: ['name', 'type', 'config'] },
    ),
  )
  .map((record) => Object.entries(record) as Fields);

/** Bodies of createChannel, valid ones among them. */
export const hostileChannelInput = spoilt(entries, ownNames, lookalikes);

const slack = configs['slack'] ?? fc.constant({});
const changes = fc
  .record({ ...common, config: json(slack) }, { requiredKeys: [] })
  .map((record) => Object.entries(record) as Fields);

/** Bodies of updateChannel for a Slack channel, valid ones among them. */
export const hostileChannelUpdate = spoilt(changes, ownNames, lookalikes);
