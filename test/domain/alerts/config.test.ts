/** The config of each kind: what is refused, and what people see of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig, configSecrets } from '../../../src/domain/alerts/config.ts';
import { destinationOf } from '../../../src/domain/alerts/destination.ts';
import type { ChannelConfig } from '../../../src/domain/alerts/kinds/kind.ts';
import { channelKinds, channelTypes } from '../../../src/domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../src/domain/alerts/kinds/registry.ts';
import { botToken as token, configs } from '../../support/records/channel-configs.ts';

const rules = { allowTargets: [], mailAllow: [] };

test('every kind accepts exactly its own fields', () => {
  for (const type of channelTypes) {
    checkConfig(type, configs[type], rules);
    checkConfig(type, channelKinds[type].example, rules);
    assert.throws(
      () => checkConfig(type, {}, rules),
      /config\.\w+ is required for (a [^eo]|an [eo])/,
    );
    const odd = { ...configs[type], frob: '1' };
    assert.throws(() => checkConfig(type, odd, rules), /config\.frob is not a field of a/);
  }
});

const manyAddresses = Array.from({ length: 51 }, (_, index) => `a${index}@example.com`).join(',');

test('invalid config is refused with a reason that repeats no secret', () => {
  const rows: [type: ChannelType, config: ChannelConfig, words: RegExp][] = [
    ['webhook', { url: 'http://192.168.1.5/' }, /^config\.url must lead to a public address/],
    ['webhook', { url: 'https://example.com:8443/' }, /^config\.url must use port 80 or 443/],
    ['webhook', { ...configs.webhook, secret: 's3cret' }, /^config\.secret must be whsec_ and/],
    ['webhook', { ...configs.webhook, secret: `whsec_${'A'.repeat(28)}` }, /24 to 64 bytes/],
    ['slack', { url: 'ftp://example.com/' }, /must begin with http/],
    ['discord', { url: 'http://localhost/' }, /^config\.url must/],
    ['telegram', { botToken: 's3cret', chatId: '1' }, /^config\.botToken must be the token/],
    ['telegram', { botToken: token, chatId: '1 2' }, /^config\.chatId must be .*"1 2"/],
    ['telegram', { botToken: `${token}/../x`, chatId: '1' }, /^config\.botToken must be/],
    ['ntfy', { url: 'https://ntfy.sh/' }, /^config\.url must end in a topic/],
    ['ntfy', { url: 'https://ntfy.sh/a/b' }, /^config\.url must end in a topic/],
    ['ntfy', { ...configs.ntfy, token: 's3cret\r\nX: y' }, /^config\.token must be an access/],
    ['email', { to: 'a@example.com, b' }, /^config\.to must be mail addresses .*"b"/],
    ['email', { to: 'a@example.com,' }, /^config\.to must be mail addresses .*""/],
    ['email', { to: 'a@example.com\r\nBcc: b@example.com' }, /^config\.to must be mail addresses/],
    ['email', { to: '"a b"@example.com' }, /^config\.to must be mail addresses/],
    ['email', { to: 'a@[127.0.0.1]' }, /^config\.to must be mail addresses/],
    ['email', { to: manyAddresses }, /^config\.to must be at most 50 addresses, got 51$/],
    ['teams', { url: 'http://localhost/' }, /^config\.url must/],
    [
      'matrix',
      { ...configs.matrix, room: '#ops:example.org' },
      /^config\.room must be the id of a/,
    ],
    ['matrix', { ...configs.matrix, room: '!a/../b' }, /^config\.room must be the id of a room/],
    ['matrix', { ...configs.matrix, url: 'https://example.com/?b' }, /must have no query/],
    ['matrix', { ...configs.matrix, token: 's3cret\r\nX: y' }, /^config\.token must be an access/],
    ['gotify', { ...configs.gotify, url: 'https://example.com/#b' }, /must have no query/],
    ['gotify', { ...configs.gotify, token: 's3cret\r\nX: y' }, /^config\.token must be the token/],
    ['pushover', { ...configs.pushover, user: 's3cret' }, /^config\.user must be 30 letters/],
    ['pushover', { ...configs.pushover, priority: '3' }, /^config\.priority must be .* -2 to 2/],
    ['pagerduty', { routingKey: 's3cret' }, /^config\.routingKey must be an integration key/],
    ['pagerduty', { ...configs.pagerduty, region: 'EU' }, /^config\.region must be us or eu/],
    ['opsgenie', { apiKey: 's3cret' }, /^config\.apiKey must be the key/],
    ['slack', { url: `https://example.com/${'x'.repeat(2_048)}` }, /at most 2048 characters/],
  ];
  for (const [type, config, words] of rows) {
    assert.throws(
      () => checkConfig(type, config, rules),
      ({ message }: Error) => {
        assert.match(message, words);
        assert.doesNotMatch(message, /s3cret/);
        return true;
      },
    );
  }
});

test('each address that the operator does not allow is named, and is a secret of its own', () => {
  const to = 'ann@example.com, bob@example.org, x@sub.example.org';
  const mailAllow = ['example.com'];
  assert.throws(() => checkConfig('email', { to }, { ...rules, mailAllow }), {
    message:
      'config.to: the operator of this jobd does not allow mail to bob@example.org, x@sub.example.org',
  });
  assert.ok(configSecrets('email', { to }).includes('bob@example.org'));
});

test('where a channel leads is shown without what is secret', () => {
  const shown = Object.fromEntries(
    channelTypes.map((type) => [type, destinationOf(type, configs[type])]),
  );
  assert.deepEqual(shown, {
    webhook: 'example.com',
    email: 'o…@example.com',
    slack: 'hooks.slack.com',
    discord: 'discord.com',
    telegram: 'api.telegram.org',
    teams: 'example.logic.azure.com',
    matrix: 'matrix.example.org',
    ntfy: 'ntfy.sh',
    gotify: 'example.org',
    pushover: 'api.pushover.net',
    pagerduty: 'events.pagerduty.com',
    opsgenie: 'api.opsgenie.com',
  });
  const to = 'ann@example.com, x@sub.example.org';
  assert.equal(destinationOf('email', { to }), 'a…@example.com, x…@sub.example.org');
  const hosts: [url: string, host: string][] = [
    ['https://eo7d2k3jfh2kd9.m.pipedream.net/', 'e….m.pipedream.net'],
    [
      'https://default0a1b2c.environment.api.powerplatform.com:443/a',
      'd….environment.api.powerplatform.com',
    ],
    ['http://127.0.0.1:8080/secret', '127.0.0.1:8080'],
    ['http://[::1]:8080/', '[::1]:8080'],
    ['https://ops-4.example.com/', 'ops-4.example.com'],
  ];
  for (const [url, host] of hosts) assert.equal(destinationOf('slack', { url }), host);
});
