/** Messages to each kind of channel, checked against the public rules of those services. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Alert } from '../../../src/domain/alerts/alert.ts';
import { textOf } from '../../../src/domain/alerts/text.ts';
import type { ChannelConfig } from '../../../src/domain/alerts/kinds/kind.ts';
import {
  channelKinds,
  channelTypes,
  type ChannelType,
} from '../../../src/domain/alerts/kinds/registry.ts';
import { botToken, configs } from '../../support/records/channel-configs.ts';

interface Vectors {
  longest: number;
  escapes: [text: string, written: string][];
}

const file = join(import.meta.dirname, '..', '..', 'vectors', 'chat-formats.json');
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Vectors>;

const id = '0199c6f4-8310-7e5b-9a1c-7d2e4f6a8b90';

function failed(name: string, reason = 'http: 500'): Alert {
  const job = { id: 'the-job', name, status: 'down', downReason: reason };
  return { type: 'job.failed', timestamp: '2026-03-02T10:11:00.000Z', data: { job } };
}

/** The JSON that a chat service gets, and its text. */
function sent(type: ChannelType, alert: Alert) {
  const message = channelKinds[type].message(alert, configs[type], id);
  assert.equal(message.kind, 'http');
  assert.ok(message.kind === 'http');
  const document = JSON.parse(message.body) as Record<string, unknown>;
  const { title, shown, read } = textIn(document);
  assert.equal(typeof read, 'string');
  return { ...message, document, shown: String(title ?? shown ?? read), read: String(read) };
}

interface Card {
  attachments: [{ content: { body: { inlines: [{ text: string }] }[] } }];
}

/** Where each service has its text. */
function textIn(document: Record<string, unknown>) {
  const { title, payload, attachments } = document as Record<string, Record<string, unknown>>;
  if (attachments !== undefined) {
    const [{ content }] = (document as unknown as Card).attachments;
    const [shown, ...read] = content.body.map(({ inlines: [{ text }] }) => text);
    return { shown, read: read.join('\n') };
  }
  if (payload !== undefined) {
    return { shown: payload['summary'], read: (payload['custom_details'] as Named)['text'] };
  }
  // Opsgenie has a description beside its message.
  const { description, message, body, text, content } = document;
  if (description !== undefined) return { shown: message, read: description };
  return { title, read: text ?? content ?? body ?? message };
}

type Named = Record<string, unknown>;

/** Those whose text a service reads by rules of its own. */
const chats = channelTypes.filter((type) => type !== 'webhook' && type !== 'email');

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
    'mrkdwn',
    'link_names',
    'unfurl_links',
    'unfurl_media',
  ]);
  const discord = sent('discord', alert);
  assert.deepEqual(discord.document['allowed_mentions'], { parse: [] });
  assert.equal(slack.document['link_names'], false);
  assert.equal(slack.document['mrkdwn'], false, 'nothing is bold, struck or code');
  const telegram = sent('telegram', alert);
  assert.equal(telegram.url, `https://api.telegram.org/bot${botToken}/sendMessage`);
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

test('each service for people on call begins and ends one incident of a job, a monitor or a test', () => {
  const timestamp = '2026-03-02T10:11:00.000Z';
  const job = { id: 'the-job', name: 'backup', status: 'up', downReason: null };
  const monitor = { id: 'the-monitor', name: 'm', lastPingAt: null } as Alert['data']['monitor'];
  const alerts: [Alert, key: string, isOver: boolean][] = [
    [failed('backup'), 'jobd/job/the-job', false],
    [{ type: 'job.recovered', timestamp, data: { job } }, 'jobd/job/the-job', true],
    [
      { type: 'monitor.down', timestamp, data: { monitor: monitor! } },
      'jobd/monitor/the-monitor',
      false,
    ],
    [
      { type: 'monitor.up', timestamp, data: { monitor: monitor! } },
      'jobd/monitor/the-monitor',
      true,
    ],
    [
      { type: 'test', timestamp, data: { channel: { id: 'c', name: 'ops' } } },
      'jobd/channel/c',
      false,
    ],
  ];
  for (const [alert, key, isOver] of alerts) {
    const message = (type: ChannelType, more: ChannelConfig = {}) => {
      const made = channelKinds[type].message(alert, { ...configs[type], ...more }, id);
      assert.ok(made.kind === 'http');
      return { ...made, document: JSON.parse(made.body) as Record<string, Named> };
    };
    const isTest = alert.type === 'test';
    const page = message('pagerduty');
    assert.equal(page.url, 'https://events.pagerduty.com/v2/enqueue');
    const { routing_key: routingKey, event_action: action, dedup_key: dedupKey } = page.document;
    assert.deepEqual(
      [routingKey, action, dedupKey],
      [configs.pagerduty['routingKey'], isOver ? 'resolve' : 'trigger', key],
    );
    assert.equal(
      page.document['payload']?.['severity'],
      isOver ? undefined : isTest ? 'info' : 'critical',
    );
    assert.match(
      message('pagerduty', { region: 'eu' }).url,
      /^https:\/\/events\.eu\.pagerduty\.com\//,
    );

    const { url, headers, document } = message('opsgenie');
    assert.equal(headers['authorization'], `GenieKey ${configs.opsgenie['apiKey']}`);
    const alias = encodeURIComponent(key);
    const site = 'https://api.opsgenie.com/v2/alerts';
    assert.equal(url, isOver ? `${site}/${alias}/close?identifierType=alias` : site);
    assert.equal(document['alias'], isOver ? undefined : key);
    assert.equal(document['priority'], isOver ? undefined : isTest ? 'P5' : 'P1');
    assert.match(message('opsgenie', { region: 'eu' }).url, /^https:\/\/api\.eu\.opsgenie\.com\//);

    const isQuiet = isOver || isTest;
    const push = message('pushover', { priority: '2' }).document;
    assert.deepEqual(
      [push['priority'], push['retry'], push['expire']],
      isQuiet ? [0, undefined, undefined] : [2, 60, 3_600],
    );
    assert.equal(message('pushover').document['priority'], isQuiet ? 0 : 1);
    assert.equal(message('pushover', { priority: '-2' }).document['priority'], -2);
    assert.equal(message('gotify').document['priority'], isQuiet ? 4 : 8);
  }
});

test('Teams: a card of texts without Markdown; Matrix: a message that mentions nobody, sent once', () => {
  const teams = sent('teams', failed('*bold* <at>all</at>'));
  assert.equal(teams.url, configs.teams['url']);
  const { content, contentType } = (teams.document as unknown as { attachments: [unknown] })
    .attachments[0] as Named & { content: { type: string; msteams?: object; body: Named[] } };
  assert.deepEqual(
    [teams.document['type'], contentType, content.type, content.msteams],
    ['message', 'application/vnd.microsoft.card.adaptive', 'AdaptiveCard', undefined],
  );
  for (const block of content.body) {
    const [run] = block['inlines'] as [Named];
    assert.deepEqual([block['type'], run['type']], ['RichTextBlock', 'TextRun']);
  }
  const matrix = sent('matrix', failed('@room'));
  assert.deepEqual(
    [matrix.method, matrix.url],
    [
      'PUT',
      `https://matrix.example.org/_matrix/client/v3/rooms/!a%2Bb%3Aexample.org/send/m.room.message/${id}`,
    ],
  );
  assert.equal(matrix.headers['authorization'], 'Bearer syt_abc');
  assert.deepEqual([matrix.document['msgtype'], matrix.document['m.mentions']], ['m.text', {}]);
  const gotify = sent('gotify', failed('backup'));
  assert.equal(gotify.url, 'https://example.org/push/message');
  assert.equal(gotify.headers['x-gotify-key'], 'Aabc');
});

test('an answer of 2xx is judged where the service says in its body whether it took the alert', () => {
  const rows: [type: ChannelType, taken: string, refused: string][] = [
    ['pushover', '{"status":1,"request":"a"}', '{"user":"invalid","status":0}'],
    ['gotify', '{"id":25,"appid":5,"message":"m"}', '<html>Sign in</html>'],
    ['matrix', '{"event_id":"$a"}', '<html>Sign in</html>'],
  ];
  for (const [type, taken, refused] of rows) {
    const { isTaken } = channelKinds[type];
    assert.deepEqual(
      [isTaken?.(taken), isTaken?.(refused), isTaken?.('')],
      [true, false, false],
      type,
    );
  }
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
  const mail = channelKinds.email.message(failed(evil), configs.email, id);
  assert.ok(mail.kind === 'mail');
  assert.equal(mail.subject, `[jobd] ${title}`);
  for (const type of chats) {
    const { headers } = channelKinds[type].message(failed(evil), configs[type], id) as {
      headers: Record<string, string>;
    };
    assert.doesNotMatch(JSON.stringify(headers), /Bcc/);
  }
});

test('the HTML of an email shows names as they are written', () => {
  const mail = channelKinds.email.message(failed('<img src=x> & "b"', "<'>"), configs.email, id);
  assert.ok(mail.kind === 'mail');
  assert.match(mail.html, /&lt;img src=x&gt; &amp; &quot;b&quot; failed/);
  assert.match(mail.html, /&lt;&#39;&gt;/);
  assert.match(mail.text, /^<img src=x> & "b" failed\n<'>\n/);
});
