/** Channels over the API, an extension (docs/behavior.md#alerts). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { openTestLocal } from '../../support/running/local.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { addEmailChannel } from '../../support/records/channel.ts';

const unknown = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';

test('a webhook channel shows its secret once, can be tested, and signs with that secret', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const sink = await startSink(t);
  const config = { url: `${sink.url}/hook` };
  const made = await ask('POST', '/channels', { name: 'ops', type: 'webhook', config });
  assert.equal(made.status, 201, made.body.error);
  const { channel, secret } = made.body;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { id, createdAt, ...rest } = channel;
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, {
    name: 'ops',
    type: 'webhook',
    destination: new URL(sink.url).host,
    enabled: true,
    jobIds: null,
    monitorIds: null,
    afterFailures: 1,
    alsoOn: [],
    selector: null,
    remindEverySeconds: null,
    lastDelivery: null,
    consecutiveFailures: 0,
    nextAttemptAt: null,
  });
  assert.deepEqual((await ask('GET', `/channels/${id}`)).body, { channel });

  const tested = await ask('POST', `/channels/${id}/test`);
  assert.equal(tested.status, 202);
  assert.equal(tested.body.delivery.status, 'pending');
  await until('the test', () => sink.received.length === 1);
  const [{ headers, body } = assert.fail()] = sink.received;
  const alert = new Webhook(secret).verify(body, headers as Record<string, string>);
  assert.deepEqual(alert, {
    type: 'test',
    timestamp: tested.body.delivery.createdAt,
    data: { workspace: (await ask('GET', '/me')).body.workspace, channel: { id, name: 'ops' } },
  });
  assert.equal(headers['webhook-id'], tested.body.delivery.id);
  assert.match(String(headers['webhook-signature']), /^v1,\S+ v1a,\S+$/);

  const delivered = await until('its record', async () => {
    const { deliveries } = (await ask('GET', `/channels/${id}/deliveries`)).body;
    return deliveries[0].status === 'delivered' && deliveries;
  });
  assert.equal(delivered.length, 1);
  const shown = await ask('GET', '/channels');
  assert.deepEqual(shown.body.channels[0].lastDelivery, delivered[0]);
  const again = await ask('POST', `/channels/${id}/test`);
  assertRefused(again, 429, /once a minute/, 'a second test');
  assert.equal(again.headers.get('retry-after'), '60');
  for (const { body: answer } of [shown, again, tested]) {
    assert.ok(!JSON.stringify(answer).includes(secret));
    assert.ok(!JSON.stringify(answer).includes('/hook'), 'the URL is write-only');
  }
  await using local = await openTestLocal(dataDir);
  const [kept] = await local.store.db.selectFrom('channels').select('sealed').execute();
  assert.ok(kept, 'it is kept');
});

test('an update changes only the given fields; a webhook keeps its secret', async (t) => {
  const { ask } = await startTestDaemon(t);
  const [before, after] = await Promise.all([startSink(t), startSink(t)]);
  const job = (await ask('POST', '/jobs', { name: 'j', url: 'https://example.com/' })).body.job;
  const made = await ask('POST', '/channels', {
    name: 'ops',
    type: 'webhook',
    config: { url: before.url },
    afterFailures: 3,
    jobIds: [job.id],
  });
  const { channel, secret } = made.body;
  assert.deepEqual([channel.afterFailures, channel.jobIds], [3, [job.id]]);
  const path = `/channels/${channel.id}`;
  const empty = await ask('PATCH', path, {});
  assert.deepEqual(empty.body, { channel });
  const changes = { name: 'other', config: { url: after.url }, jobIds: null, enabled: false };
  const changed = await ask('PATCH', path, changes);
  const { config: _, ...visible } = changes;
  const destination = new URL(after.url).host;
  assert.deepEqual(changed.body, { channel: { ...channel, ...visible, destination } });
  await ask('POST', `${path}/test`);
  await until('the test, though it is disabled', () => after.received.length === 1);
  const [{ headers, body } = assert.fail()] = after.received;
  new Webhook(secret).verify(body, headers as Record<string, string>);
  assert.equal(before.received.length, 0);
  assert.deepEqual((await ask('DELETE', path)).body, { ok: true });
  assertRefused(await ask('GET', path), 404, /no channel with id/, 'it is gone');
  assertRefused(await ask('DELETE', path), 404, /no channel with id/, 'it is gone');
});

test('the answer of GET can be sent back unchanged, and read-only fields are refused', async (t) => {
  const { ask } = await startTestDaemon(t);
  const sink = await startSink(t);
  const input = { name: 'ops', type: 'webhook', config: { url: sink.url } };
  const { id } = (await ask('POST', '/channels', input)).body.channel;
  const path = `/channels/${id}`;
  const fresh = (await ask('GET', path)).body;
  assert.deepEqual((await ask('PATCH', path, fresh.channel)).body, fresh);
  await ask('POST', `${path}/test`);
  const read = await until('the test', async () => {
    const { body } = await ask('GET', path);
    return body.channel.lastDelivery.status === 'delivered' && body;
  });
  for (const lastDelivery of [read.channel.lastDelivery, null]) {
    const update = { ...read.channel, id: id.toUpperCase(), lastDelivery };
    assert.deepEqual((await ask('PATCH', path, update)).body, read);
  }
  const rows: [object, RegExp][] = [
    [{ id: '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90' }, /^id cannot be set, it is "/],
    [{ type: 'email' }, /^type cannot be set, it is "webhook": leave it out$/],
    [{ createdAt: '2026-01-01T00:00:00Z' }, /^createdAt cannot be set/],
    [{ config: {} }, /^config\.url is required for a webhook channel$/],
    [read, /^channel is not a known field: send what is inside channel$/],
  ];
  for (const [update, words] of rows) {
    assertRefused(await ask('PATCH', path, update), 400, words, JSON.stringify(update));
  }
  assertRefused(
    await ask('POST', '/channels', { ...input, type: 'email', config: {} }),
    400,
    /^config\.to is required for an email channel$/,
    'email',
  );
});

test('moving a channel drops its token: config is replaced as a whole', async (t) => {
  const { ask } = await startTestDaemon(t);
  const [own, other] = [await startSink(t), await startSink(t)];
  const config = { url: `${own.url}/topic`, token: 'tk_s3cret' };
  const made = await ask('POST', '/channels', { name: 'a', type: 'ntfy', config });
  const path = `/channels/${made.body.channel.id}`;
  await ask('PATCH', path, { config: { url: `${other.url}/topic` } });
  await ask('POST', `${path}/test`);
  await until('the test', () => other.received.length === 1);
  assert.equal(other.received[0]?.headers.authorization, undefined);
  assert.equal(own.received.length, 0);
});

test('a secret echoed where the response is cut leaves no part of itself', async (t) => {
  const { ask } = await startTestDaemon(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(403).end(`${'-'.repeat(185)}${path}`);
  });
  const config = { url: `${sink.url}/services/T000/secret-part` };
  const made = await ask('POST', '/channels', { name: 'chat', type: 'slack', config });
  const { id } = made.body.channel;
  await ask('POST', `/channels/${id}/test`);
  const tried = await until('an attempt', async () => {
    const { channel } = (await ask('GET', `/channels/${id}`)).body;
    return channel.lastDelivery.attempts === 1 && channel.lastDelivery;
  });
  assert.equal(tried.lastError, `http: 403, ${'-'.repeat(185)}[redacted]`);
});

test('a failed delivery is shown with its reason and without secrets', async (t) => {
  const { ask } = await startTestDaemon(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(503).end(`no such hook: ${path}`);
  });
  const config = { url: `${sink.url}/services/T000/secret-part` };
  const made = await ask('POST', '/channels', { name: 'chat', type: 'slack', config });
  assert.equal(made.body.secret, undefined);
  const { id } = made.body.channel;
  await ask('POST', `/channels/${id}/test`);
  const tried = await until('an attempt', async () => {
    const { channel } = (await ask('GET', `/channels/${id}`)).body;
    return channel.lastDelivery.attempts === 1 && channel.lastDelivery;
  });
  assert.equal(tried.status, 'pending');
  assert.equal(tried.lastError, 'http: 503, no such hook: [redacted]');
  const shown = await ask('GET', `/channels/${id}/deliveries/${tried.id}`);
  const [{ startedAt, durationMs, ...attempt }, ...others] = shown.body.attempts;
  assert.deepEqual(shown.body.delivery, tried);
  assert.deepEqual([attempt, others], [{ number: 1, httpStatus: 503, error: tried.lastError }, []]);
  assert.ok(startedAt >= tried.createdAt && startedAt <= tried.lastAttemptAt, startedAt);
  assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
  await ask('PATCH', `/channels/${id}`, { enabled: false });
  const { deliveries } = (await ask('GET', `/channels/${id}/deliveries`)).body;
  const [{ status, lastError }] = deliveries;
  assert.deepEqual([status, lastError], ['failed', 'the channel was disabled']);
});

const mail = (to: string) => ({ name: 'mail', type: 'email', config: { to } });

const nobody = 'smtp://127.0.0.1:1';

test('without a mail server no email channel is created, enabled or tested, and the answer says why', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const path = `/channels/${await addEmailChannel(dataDir)}`;
  const words =
    /^this jobd has no mail server, which an email channel needs: .*--smtp-url URL or JOBD_SMTP_URL$/;
  assertRefused(await ask('POST', '/channels', mail('a@example.com')), 409, words, 'create');
  assertRefused(await ask('POST', `${path}/test`), 409, words, 'test');
  assertRefused(await ask('PATCH', path, { enabled: true }), 409, words, 'enable');
  assert.equal((await ask('PATCH', path, { name: 'still off' })).status, 200);
});

test('email is only sent to addresses that the operator allows', async (t) => {
  const { ask } = await startTestDaemon(t, {
    flags: { mailAllow: ['ops@example.com', '.example.org'], smtpUrl: nobody },
  });
  const words =
    /^config\.to: the operator of this jobd does not allow mail to \S+@example\.(com|org)$/;
  assertRefused(await ask('POST', '/channels', mail('dev@example.com')), 400, words, 'another');
  const some = mail('ops@example.com, dev@example.com');
  assertRefused(await ask('POST', '/channels', some), 400, words, 'one of two');
  const made = await ask('POST', '/channels', mail('ops@Example.com,x@mail.example.org'));
  assert.equal(made.body.channel.destination, 'o…@Example.com, x…@mail.example.org');
  assert.equal(made.status, 201, made.body.error);
  const { id } = made.body.channel;
  const change = (to: string) => ask('PATCH', `/channels/${id}`, { config: { to } });
  assertRefused(await change('x@example.org'), 400, words, 'not of a subdomain');
  assert.equal((await change('x@mail.example.org')).status, 200);
});

test('invalid input is refused without repeating a secret', async (t) => {
  const { ask } = await startTestDaemon(t);
  const config = { url: 'https://example.com/' };
  const good = { name: 'a', type: 'slack', config };
  const rows: [input: object, words: RegExp][] = [
    [{ name: 'a', type: 'slack' }, /config is required/],
    [{ name: 'a', config }, /type is required/],
    [{ ...good, type: 'pager' }, /type must be one of webhook, email/],
    [{ ...good, name: ' ' }, /name must not be blank/],
    [{ ...good, config: 's3cret' }, /config must be an object, got a string/],
    [{ ...good, config: { url: 17 } }, /config\.url must be a string/],
    [{ ...good, config: { ...config, password: 's3cret' } }, /config\.password is not a known/],
    [
      { ...good, config: { ...config, token: 's3cret' } },
      /config\.token is not a field of a slack/,
    ],
    [{ ...good, config: { url: 'http://10.0.0.1/s3cret' } }, /config\.url must lead to a public/],
    [{ ...good, afterFailures: 0 }, /afterFailures must be between 1 and 100, got 0/],
    [{ ...good, jobIds: [unknown] }, /jobIds must be ids of jobs of the workspace, got/],
    [{ ...good, jobIds: 'x' }, /jobIds must be an array or null/],
    [
      { ...good, monitorIds: [unknown] },
      /monitorIds must be ids of monitors of the workspace, got/,
    ],
    [{ ...good, alsoOn: ['failed'] }, /alsoOn\.0 must be one of missed, interrupted/],
    [
      { ...good, remindEverySeconds: 899 },
      /remindEverySeconds must be between 900 and 604800, got/,
    ],
    [{ ...good, remindEverySeconds: 'x' }, /remindEverySeconds must be an integer or null, got/],
    [{ ...good, frob: 1 }, /frob is not a known field/],
  ];
  for (const [input, words] of rows) {
    const answer = await ask('POST', '/channels', input);
    assertRefused(answer, 400, words, JSON.stringify(input));
    assert.doesNotMatch(answer.body.error, /s3cret/);
  }
  assert.deepEqual((await ask('GET', '/channels')).body, { channels: [], nextCursor: null });
});

test('paging returns all channels, newest first', async (t) => {
  const { ask } = await startTestDaemon(t);
  const names = ['1', '2', '3'];
  for (const name of names) {
    await ask('POST', '/channels', {
      name,
      type: 'slack',
      config: { url: 'https://example.com/' },
    });
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await ask('GET', `/channels?limit=2${cursor}`);
    for (const { name } of body.channels) seen.push(name);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(seen, names.toReversed());
});

test('an expired account may read and delete channels, not create, change or test them', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const account = await addAccount(daemon, clock, 'pro');
  const input = { name: 'a', type: 'slack', config: { url: 'https://example.com/' } };
  const { id } = (await account.ask('POST', '/channels', input)).body.channel;
  await account.cancel();
  for (const [method, path, body] of [
    ['POST', '/channels', input],
    ['PATCH', `/channels/${id}`, { name: 'b' }],
    ['POST', `/channels/${id}/test`],
  ] as const) {
    assertRefused(await account.ask(method, path, body), 402, /subscription/, `${method} ${path}`);
  }
  assert.equal((await account.ask('GET', `/channels/${id}`)).status, 200);
  assert.equal((await account.ask('DELETE', `/channels/${id}`)).status, 200);
});
