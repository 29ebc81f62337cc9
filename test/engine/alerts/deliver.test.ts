/** One delivery attempt: no error reason repeats a secret, whatever the receiver answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../src/domain/alerts/alert.ts';
import type { ChannelConfig } from '../../../src/domain/alerts/kinds/kind.ts';
import type { ChannelType } from '../../../src/domain/alerts/kinds/registry.ts';
import type { TargetResult, FailureReason } from '../../../src/domain/runs/outcome.ts';
import { sealConfig } from '../../../src/domain/secrets/sealed-config.ts';
import type { Call, Egress } from '../../../src/egress/egress.ts';
import { deliver } from '../../../src/engine/alerts/deliver.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { testMasterKeyId, testVault } from '../../support/fakes/vault.ts';

const secret = `whsec_${Buffer.from('canary of a webhook, 32 bytes ..').toString('base64')}`;
const base = 'https://canary-in-the-host.example.com';

const canary30 = (name: string): string => `canary0${name}`.padEnd(30, '0');
const configs: readonly [ChannelType, ChannelConfig][] = [
  ['webhook', { url: `${base}/hooks/canary-hook-path?key=canary%2Dhook-query`, secret }],
  ['slack', { url: `${base}/services/T0/B0/canary-slack-token` }],
  ['discord', { url: `${base}/api/webhooks/1/canary_discord"token` }],
  ['telegram', { botToken: '12345:canary-telegram-0123456789', chatId: '@canarychat' }],
  ['ntfy', { url: `${base}/canary-ntfy-topic`, token: 'tk_canary0ntfy0token' }],
  ['teams', { url: `${base}/workflows/canary-flow/triggers?sig=canary-teams%2Fsignature` }],
  ['matrix', { url: base, room: '!canary+room:example.org', token: 'syt_canary_matrix_token' }],
  ['gotify', { url: `${base}/canary-path`, token: 'Acanary.gotify-token' }],
  ['pushover', { token: canary30('token'), user: canary30('user') }],
  ['pagerduty', { routingKey: 'canary0pagerduty0routing0key0012' }],
  ['opsgenie', { apiKey: 'canary-opsgenie-key-0123456789' }],
];

/** What a delivery is made with, whose every call ends with `reply`. */
const partsWith = (reply: (call: Call) => TargetResult) => ({
  egress: { call: async (call: Call) => reply(call) } as unknown as Egress,
  mailer: null,
  mailAllowance: { take: async () => 0 },
  signer: null,
  vault: testVault,
  clock: fakeClock(),
});

const alert: Alert = {
  type: 'test',
  timestamp: '2026-03-02T10:11:00.000Z',
  data: { channel: { id: 'c', name: 'ops' } },
};

const deliveryOf = (about: Alert) =>
  ({
    id: '0199c6f4-8310-7e5b-9a1c-7d2e4f6a8b90',
    channelId: 'c',
    event: about.type,
    subject: null,
    status: 'pending',
    attempts: 0,
    lastAttemptAt: null,
    lastError: null,
    createdAt: 0,
    payload: JSON.stringify(about),
  }) as const;

/** Everything that a well-meaning receiver may echo of a request. */
function echoes(config: ChannelConfig, { url, headers }: Call): string[] {
  const { pathname, search, hostname, searchParams } = new URL(url);
  const values = [...Object.values(config), url, pathname, `${pathname}${search}`, hostname];
  const parts = [
    ...pathname.split('/'),
    ...searchParams.values(),
    ...Object.entries(headers)
      .filter(([name]) => name === 'authorization' || name === 'x-gotify-key')
      .flatMap(([, value]) => [value, value.split(' ')[1] ?? '']),
    config['botToken']?.split(':')[1] ?? '',
    config['secret']?.slice('whsec_'.length) ?? '',
  ];
  return [...values, ...parts].filter((text) => text.length > 8);
}

const answer = (body: string, httpStatus = 401, location: string | null = null): TargetResult => ({
  kind: 'response',
  response: { httpStatus, location, retryAfter: null, body, truncated: false, broken: null },
});
const failure = (reason: FailureReason, detail: string): TargetResult => ({
  kind: 'failure',
  failure: { reason, detail },
});

const replies: [what: string, reply: (text: string) => TargetResult][] = [
  ['as it is', (text) => answer(`no such hook: ${text}!`)],
  ['in JSON', (text) => answer(JSON.stringify({ error: `not ${text}` }).replaceAll('/', '\\/'))],
  ['percent-encoded', (text) => answer(`/login?next=${encodeURIComponent(text)}`)],
  ['where the reason is cut', (text) => answer(`${'-'.repeat(195)}${text}`)],
  ['in a redirect', (text) => answer(text, 302, text)],
  ['in the host of a redirect', (text) => answer('', 302, `https://${text}.example.org/`)],
  ['in a failed lookup', (text) => failure('dns', `${text} has no address`)],
  ['in a certificate', (text) => failure('tls', `the certificate is for another host, ${text}`)],
];

for (const [type, config] of configs) {
  test(`${type}: no error reason contains its config, in any encoding`, async () => {
    const owner = { id: 'c', workspaceId: 'w', name: 'ops' };
    const sealed = sealConfig(owner, config, testVault, testMasterKeyId);
    const channel = { ...owner, type, sealed, unanswered: 0 };
    const delivery = deliveryOf(alert);
    const attempt = async (reply: (call: Call) => TargetResult): Promise<string> => {
      const { signal } = new AbortController();
      return (
        (await deliver(channel, delivery, partsWith(reply), signal)).error ??
        assert.fail('it arrived')
      );
    };
    const calls: Call[] = [];
    await attempt((call) => {
      calls.push(call);
      return answer('no');
    });
    const [call = assert.fail()] = calls;
    const texts = echoes(config, call);
    assert.ok(texts.some((text) => text.includes('canary')));
    for (const text of texts) {
      for (const [what, reply] of replies) {
        const error = await attempt(() => reply(text));
        assert.doesNotMatch(error, /canary/i, `${text} ${what}`);
        assert.ok(error.length < 400, error);
      }
      const thrown = await attempt(() => {
        throw new Error(`broke at ${text}`);
      });
      assert.match(thrown, /^jobd: broke at /);
      assert.doesNotMatch(thrown, /canary/i, `${text} thrown`);
    }
  });
}

test('an answer of 2xx that does not say that the alert was taken is a failure, with what it says', async () => {
  const owner = { id: 'c', workspaceId: 'w' };
  const config = { url: 'https://matrix.example.org', room: '!a:example.org', token: 'syt_abc' };
  const sealed = sealConfig(owner, config, testVault, testMasterKeyId);
  const channel = { ...owner, type: 'matrix', sealed, unanswered: 0, name: 'ops' } as const;
  const attempt = async (body: string): Promise<string | null> => {
    const parts = partsWith(() => answer(body, 200));
    const due = deliveryOf(alert);
    return (await deliver(channel, due, parts, new AbortController().signal)).error;
  };
  assert.equal(await attempt('{"event_id":"$1"}'), null);
  assert.equal(
    await attempt('<html>Sign in</html>'),
    'http: 200, but the answer does not say that the alert was taken, <html>Sign in</html>',
  );
});
