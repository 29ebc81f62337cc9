/** Messages to each kind of channel, checked against the public rules of those services. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Alert } from '../../../src/domain/alerts/alert.ts';
import { textOf } from '../../../src/domain/alerts/text.ts';
import { checkConfig } from '../../../src/domain/alerts/config.ts';
import type { ChannelConfig } from '../../../src/domain/alerts/kinds/kind.ts';
import { channelKinds, channelTypes } from '../../../src/domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../src/domain/alerts/kinds/registry.ts';

interface Vectors {
  longest: number;
  escapes: [text: string, written: string][];
}

const file = join(import.meta.dirname, '..', '..', 'vectors', 'chat-formats.json');
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Vectors>;

const token = '12345:abcdefghijklmnopqrstuvwxyz_0123';
const rules = { allowTargets: [], mailAllow: [] };
const configs: Record<ChannelType, ChannelConfig> = {
  webhook: { url: 'https://example.com/hook', secret: `whsec_${'A'.repeat(32)}` },
  email: { to: 'ops@example.com' },
  slack: { url: 'https://hooks.slack.com/services/T/B/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x' },
  telegram: { botToken: token, chatId: '-100123' },
  ntfy: { url: 'https://ntfy.sh/my-topic', token: 'tk_abc' },
};

function failed(name: string, reason = 'http: 500'): Alert {
  const job = { id: 'the-job', name, status: 'down', downReason: reason };
  return { type: 'job.failed', timestamp: '2026-03-02T10:11:00.000Z', data: { job } };
}

/** The JSON that a chat service gets, and its text. */
function sent(type: ChannelType, alert: Alert) {
  const message = channelKinds[type].message(alert, configs[type]);
  assert.equal(message.kind, 'http');
  assert.ok(message.kind === 'http');
  const document = JSON.parse(message.body) as Record<string, unknown>;
  const read = document['text'] ?? document['content'] ?? document['message'];
  assert.equal(typeof read, 'string');
  return { ...message, document, shown: String(document['title'] ?? read), read: String(read) };
}

const chats = ['slack', 'discord', 'telegram', 'ntfy'] as const;

for (const type of chats) {
  const { longest, escapes } = vectors[type] ?? assert.fail(`no vectors for ${type}`);

  test(`${type}: names are escaped by its rules`, () => {
    for (const [text, written] of escapes) {
      const { shown } = sent(type, failed(text));
      assert.ok(shown.startsWith(`${written} failed`), `${text} became ${shown}`);
    }
  });

  test(`${type}: the longest name and reason stay within its limit`, () => {
    for (const character of ['&', '*', '😀', 'x', '\ud800']) {
      const alert = failed(character.repeat(120), character.repeat(50_000));
      const { read, body } = sent(type, alert);
      const size = type === 'ntfy' ? Buffer.byteLength(read) : read.length;
      assert.ok(size > 0 && size <= longest, `${character}: ${size}`);
      assert.ok(body.isWellFormed());
    }
  });
}

test('the endpoint of each chat service, and the fields beside the text', () => {
  const alert = failed('backup');
  const slack = sent('slack', alert);
  assert.equal(slack.url, configs.slack['url']);
  assert.deepEqual(Object.keys(slack.document), [
    'text',
    'link_names',
    'unfurl_links',
    'unfurl_media',
  ]);
  const discord = sent('discord', alert);
  assert.deepEqual(discord.document['allowed_mentions'], { parse: [] });
  assert.equal(slack.document['link_names'], false);
  const telegram = sent('telegram', alert);
  assert.equal(telegram.url, `https://api.telegram.org/bot${token}/sendMessage`);
  assert.equal(telegram.document['chat_id'], '-100123');
  assert.equal(telegram.document['parse_mode'], undefined);
  const ntfy = sent('ntfy', alert);
  assert.equal(ntfy.url, 'https://ntfy.sh/');
  assert.deepEqual([ntfy.document['topic'], ntfy.document['title']], ['my-topic', 'backup failed']);
  assert.deepEqual(ntfy.headers, {
    'content-type': 'application/json',
    authorization: 'Bearer tk_abc',
  });
});

test('Telegram: anything that looks like a mention is in a code entity', () => {
  const mentioned = ({ document, read }: ReturnType<typeof sent>): string[] => {
    const entities = document['entities'] as { type: string; offset: number; length: number }[];
    assert.ok(entities.every(({ type }) => type === 'code'));
    return entities.map(({ offset, length }) => read.slice(offset, offset + length));
  };
  const few = sent('telegram', failed('😀 @everyone and a@ops_1', 'http: 500, ask @ann'));
  assert.deepEqual(mentioned(few), ['@everyone', '@ops_1', '@ann']);
  assert.deepEqual(mentioned(sent('telegram', failed('backup'))), []);
  const many = sent('telegram', failed('x', '@a'.repeat(250)));
  assert.deepEqual(mentioned(many), [many.read]);
});

test('no name or reason can add a line, a header or a change of text direction', () => {
  const evil = 'a\r\nBcc: all@example.com\n\nb\u2028c\u202ed\u0000e\u0085f';
  const { title, lines } = textOf(failed(evil, `x\r\n${evil}`));
  assert.equal(title, 'a Bcc: all@example.com b c d e f failed');
  assert.ok(lines.every((line) => !/[\r\n\u2028\u202e]/.test(line)));
  const mail = channelKinds.email.message(failed(evil), configs.email);
  assert.ok(mail.kind === 'mail');
  assert.equal(mail.subject, `[jobd] ${title}`);
  for (const type of chats) {
    const { headers } = channelKinds[type].message(failed(evil), configs[type]) as {
      headers: Record<string, string>;
    };
    assert.doesNotMatch(JSON.stringify(headers), /Bcc/);
  }
});

test('the HTML of an email shows names as they are written', () => {
  const mail = channelKinds.email.message(failed('<img src=x> & "b"', "<'>"), configs.email);
  assert.ok(mail.kind === 'mail');
  assert.match(mail.html, /&lt;img src=x&gt; &amp; &quot;b&quot; failed/);
  assert.match(mail.html, /&lt;&#39;&gt;/);
  assert.match(mail.text, /^<img src=x> & "b" failed\n<'>\n/);
});

test('every kind accepts exactly its own fields', () => {
  for (const type of channelTypes) {
    checkConfig(type, configs[type], rules);
    checkConfig(type, channelKinds[type].example, rules);
    assert.throws(() => checkConfig(type, {}, rules), /config\.\w+ is required for (a [^e]|an e)/);
    const odd = { ...configs[type], frob: '1' };
    assert.throws(() => checkConfig(type, odd, rules), /config\.frob is not a field of a/);
  }
});

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
    ['email', { to: 'a@example.com, b@example.com' }, /^config\.to must be one mail address/],
    ['email', { to: 'a@example.com\r\nBcc: b@example.com' }, /^config\.to must be one mail/],
    ['email', { to: '"a b"@example.com' }, /^config\.to must be one mail address/],
    ['email', { to: 'a@[127.0.0.1]' }, /^config\.to must be one mail address/],
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
