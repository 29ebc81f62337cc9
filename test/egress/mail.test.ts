/** Email that is really sent over SMTP, and parsed as a mail program does. */

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import type { SMTPServerOptions } from 'smtp-server';
import { channelKinds } from '../../src/domain/alerts/kinds/registry.ts';
import { parseMailServer } from '../../src/domain/alerts/mail-server.ts';
import { each } from '../support/each.ts';
import { addChannel, deliveriesOf } from '../support/records/channel.ts';
import { dueAt, dueOnce, setupEngine } from '../support/running/engine.ts';
import { startMailServer } from '../support/fakes/mail-server.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';
import {
  authority,
  expiredCertificate,
  foreignCertificate,
  goodCertificate,
} from './certificates.ts';
import { elsewhere, mail, mailerFor, refusal, startSecure } from './mail-support.ts';

test('an alert becomes an email whose subject is the job name and nothing else', async (t) => {
  const setup = await setupEngine(t);
  const { host, received } = await startMailServer(t);
  const mailer = mailerFor(t, `smtp://${host}?from=jobd@example.com`);
  const target = await startSink(t, (response) => response.writeHead(500).end());
  const name = 'Sicherung über Nacht\r\nBcc: all@example.com\r\n\r\n<b>body</b> 😀';
  await setup.addJob({ ...dueOnce, url: target.url, name });
  const config = { to: 'ops@example.com' };
  const channel = await addChannel(setup, '', { type: 'email', config });
  setup.clock.set(dueAt);
  await setup.start({ mailer });
  await until('the mail', () => received.length === 1);
  const [{ from, to, raw } = assert.fail()] = received;
  assert.deepEqual([from, to], ['jobd@example.com', ['ops@example.com']]);
  const read = await PostalMime.parse(raw);
  const oneLine = 'Sicherung über Nacht Bcc: all@example.com <b>body</b> 😀';
  assert.equal(read.subject, `[jobd] ${oneLine} failed`);
  assert.deepEqual(
    [read.to, read.cc, read.bcc],
    [[{ address: 'ops@example.com', name: '' }], undefined, undefined],
  );
  const [delivery] = await deliveriesOf(setup, channel);
  assert.equal(read.messageId, `<${delivery?.id}@example.com>`);
  assert.ok(read.text?.startsWith(`${oneLine} failed\nhttp: 500\n`), read.text);
  assert.match(read.html ?? '', /&lt;b&gt;body&lt;\/b&gt; 😀 failed/);
  assert.equal(read.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
});

test('a subject is shown as written, for any characters in a name', async (t) => {
  const { host, received } = await startMailServer(t);
  const mailer = mailerFor(t, `smtp://${host}?from=jobd@example.com`);
  const names = [
    'nightly backup',
    '=?utf-8?Q?Your_password_has_expired?=',
    'a =?utf-8?B?UGF5IG5vdw==?= b',
    'ü =?utf-8?q?evil?= =?utf-8?q?_word?=',
    '=?',
    '=?x?=\r\nBcc: all@example.com',
    '=?iso-8859-1?Q?=E9\u202egnp.exe',
    `=?utf-8?Q?${'A'.repeat(120)}?=`,
    'ö'.repeat(120),
    '😀'.repeat(120),
    `${'long '.repeat(23)}ü`,
    'x'.repeat(120),
    '\ud800 =?utf-8?q?a?=',
  ];
  for (const name of names) {
    const job = { id: 'j', name, status: 'down', downReason: null };
    const alert = {
      type: 'job.failed',
      timestamp: '2026-03-02T10:11:00.000Z',
      data: { job },
    } as const;
    const message = channelKinds.email.message(alert, { to: 'ops@example.com' }, 'i');
    assert.ok(message.kind === 'mail');
    assert.equal(await mailer.send({ ...message, id: 'i' }, 60_000), null);
    const { raw = '' } = received.at(-1) ?? {};
    const read = await PostalMime.parse(raw);
    assert.equal(read.subject, message.subject.toWellFormed(), name);
    assert.deepEqual([read.bcc, read.from?.name, read.to?.[0]?.name], [undefined, '', '']);
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
    assert.ok(
      head.split('\r\n').every((line) => line.length <= 140 && /^[\x20-\x7e]*$/.test(line)),
    );
    assert.doesNotMatch(head.replace(/^Subject: [^]*?\r\n(?! )/m, ''), /=\?/, 'in no other header');
  }
});

test('an address that looks like an encoded word is kept', async (t) => {
  const { host, received } = await startMailServer(t);
  const mailer = mailerFor(t, `smtp://${host}?from=jobd@example.com`);
  const to = '=?utf-8?q?all?=@example.com';
  assert.equal(await mailer.send({ ...mail, to: [to] }, 60_000), null);
  assert.deepEqual(received[0]?.to, [to]);
});

test('a mail goes to all recipients; if only some are refused, it says whom and does not try again', async (t) => {
  let code = 550;
  const { host, received } = await startMailServer(t, {
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('gone')) {
        callback(Object.assign(new Error(`no mailbox ${address}`), { responseCode: code }));
      } else callback();
    },
  });
  const mailer = mailerFor(t, `smtp://${host}?from=jobd@example.com`);
  const to = ['ann@example.com', 'ops@example.org'];
  assert.equal(await mailer.send({ ...mail, to }, 60_000), null);
  assert.deepEqual(received[0]?.to, to);
  const read = await PostalMime.parse(received[0]?.raw ?? '');
  assert.deepEqual(each(read.to ?? [], 'address'), to);
  const some = { ...mail, to: [...to, 'gone@example.net'] };
  const failure = await mailer.send(some, 60_000);
  assert.match(
    failure?.error ?? '',
    /^mail: refused for g…@example\.net, sent to the others: .*550/,
  );
  assert.equal(failure?.isFinal, true, 'the others would get it again');
  assert.deepEqual(received[1]?.to, to);
  code = 450;
  assert.equal((await mailer.send(some, 60_000))?.isFinal, false, 'it may pass');
});

test('user and password are sent; a refusal by the server is reported without them', async (t) => {
  const { host, received } = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === 'ann' && password === 'p@ss word') callback(null, { user: 'ann' });
      else callback(new Error('Invalid username or password'));
    },
    onRcptTo({ address }, _session, callback) {
      callback(address === 'ops@example.com' ? null : new Error('no such mailbox'));
    },
  });
  const good = mailerFor(t, `smtp://ann:p%40ss%20word@${host}`);
  assert.equal(await good.send(mail, 60_000), null);
  assert.equal(received[0]?.from, 'jobd@127.0.0.1');
  assert.match(await refusal(good, { ...mail, to: ['x@example.com'] }), /^mail: .*mailbox/);
  const bad = mailerFor(t, `smtp://ann:wr0ng@${host}`);
  const error = await refusal(bad, mail);
  assert.match(error, /^mail: .*Invalid/);
  assert.doesNotMatch(error, /wr0ng|\n/);
});

test('a missing or silent server is reported in time', async (t) => {
  const nobody = mailerFor(t, 'smtp://127.0.0.1:1');
  assert.match(await refusal(nobody, mail), /^mail: .*ECONNREFUSED/);
  const { createServer } = await import('node:net');
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const mute = mailerFor(t, `smtp://127.0.0.1:${port}`);
  assert.match(await refusal(mute, mail, 300), /^mail: /);
  await mute[Symbol.asyncDispose]();
});

const schemes: [scheme: string, options: SMTPServerOptions][] = [
  ['smtps', { secure: true }],
  // This server would accept the password earlier.
  ['smtp', { disabledCommands: [], allowInsecureAuth: true }],
];

for (const [scheme, options] of schemes) {
  test(`${scheme}: user and password are only sent over TLS, to a server with a valid certificate`, async (t) => {
    const { host, received, users } = await startSecure(t, goodCertificate, options);
    const mailer = mailerFor(t, `${scheme}://ann:canary-password@${host}`, authority);
    assert.equal(await mailer.send(mail, 60_000), null);
    assert.deepEqual(users, [{ username: 'ann', secure: true }]);
    assert.deepEqual(each(received, 'secure'), [true]);
  });

  const wrong: [what: string, cert: string, ca: string | undefined, words: RegExp][] = [
    ['an unknown authority', goodCertificate, undefined, /^mail: .*certificate/],
    ['another host', foreignCertificate, authority, /^mail: .*certificate/],
    ['a past year', expiredCertificate, authority, /^mail: certificate has expired/],
  ];
  for (const [what, cert, ca, words] of wrong) {
    test(`${scheme}: a certificate of ${what} is refused with its reason, before any password`, async (t) => {
      const { host, received, users } = await startSecure(t, cert, options);
      const mailer = mailerFor(t, `${scheme}://ann:canary-password@${host}`, ca);
      const error = await refusal(mailer, mail);
      assert.match(error, words);
      assert.doesNotMatch(error, /canary|Node/);
      assert.deepEqual([users, received], [[], []]);
    });
  }
}

test('no password is sent to another machine without TLS, whatever the server offers', async (t) => {
  const users: (string | undefined)[] = [];
  const { host, received } = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username }, _session, callback) {
      users.push(username);
      callback(null, { user: username });
    },
  });
  const url = `smtp://ann:canary-password@${elsewhere(host)}?from=jobd@example.com`;
  const error = await refusal(mailerFor(t, url), mail);
  assert.match(error, /^mail: .*STARTTLS/i);
  assert.doesNotMatch(error, /canary/);
  assert.deepEqual([users, received], [[], []]);
});

test('without a password TLS is not required', async (t) => {
  const { host, received } = await startMailServer(t);
  const url = `smtp://${elsewhere(host)}?from=jobd@example.com`;
  assert.equal(await mailerFor(t, url).send(mail, 60_000), null);
  assert.equal(received.length, 1);
});

test('an error message does not quote a server that repeats the password', async (t) => {
  const password = 'canary-password';
  const { host } = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(_user, _session, callback) {
      const sent = Buffer.from(`\0ann\0${password}`).toString('base64');
      callback(new Error(`no ${password}, no ${sent}, no ${btoa(password)}`));
    },
  });
  const error = await refusal(mailerFor(t, `smtp://ann:${password}@${host}`), mail);
  assert.match(error, /no \[redacted\], no \[redacted\], no \[redacted\]$/);
});

const parse = (value: string) => parseMailServer({ name: '--smtp-url', value });

test('the URL of the mail server', () => {
  assert.equal(parse(''), null);
  assert.deepEqual(parse('smtp://mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    secure: false,
    user: null,
    password: null,
    from: { name: '', address: 'jobd@mail.example.com' },
    isInsecure: false,
    ehlo: null,
  });
  assert.deepEqual(
    parse('smtps://ann%40example.com:a%2Fb@[::1]:443/?from=x@example.org&tls=insecure&ehlo=[::1]'),
    {
      host: '::1',
      port: 443,
      secure: true,
      user: 'ann@example.com',
      password: 'a/b',
      from: { name: '', address: 'x@example.org' },
      isInsecure: true,
      ehlo: '[::1]',
    },
  );
  assert.equal(parse('smtp://ann%40example.com:s@h:80')?.from.address, 'ann@example.com');
  const senders: [text: string, name: string, address: string][] = [
    ['Jobd <jobd@example.org>', 'Jobd', 'jobd@example.org'],
    ['"Jobd, Ltd." <jobd@example.org>', 'Jobd, Ltd.', 'jobd@example.org'],
    ['<jobd@example.org>', '', 'jobd@example.org'],
  ];
  for (const [text, name, address] of senders) {
    const url = `smtp://h?from=${encodeURIComponent(text)}`;
    assert.deepEqual(parse(url)?.from, { name, address }, text);
  }
  assert.equal(parse('smtp://h:80')?.port, 80);
  assert.equal(parse('smtps://h')?.port, 465);
  const wrong = [
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://h/path',
    'smtp://h:99999',
    'smtp://h?proxy=http://x',
    'smtp://h?from=nobody',
    'smtp://h?from=a@b%0d%0aX: y',
    'smtp://h?from=A%0d%0aX: y <a@b>',
    'smtp://h?from=A <a@b> c',
    'smtp://h?from=A <a@b',
    'smtp://h?from=A <b> <a@b>',
    'smtp://h?tls=off',
    'smtp://h?ehlo=a%0d%0aRSET',
    'smtp://h?ehlo=',
    'smtp://u:%ZZs3cret@h',
  ];
  for (const value of wrong) {
    assert.throws(
      () => parse(value),
      ({ message }: Error) => {
        assert.match(message, /^--smtp-url must /);
        assert.doesNotMatch(message, /s3cret/);
        return true;
      },
    );
  }
});
