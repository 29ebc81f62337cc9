/** What a mail server offers and answers, and what jobd makes of it. */

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import PostalMime from 'postal-mime';
import type { SMTPServerOptions } from 'smtp-server';
import { each } from '../support/each.ts';
import { startMailServer } from '../support/fakes/mail-server.ts';
import {
  addressCertificate,
  authority,
  expiredCertificate,
  foreignCertificate,
  goodCertificate,
} from './certificates.ts';
import { elsewhere, mail, mailerFor, refusal, startSecure } from './mail-support.ts';

const untrusted: [what: string, cert: string, ca: string | undefined][] = [
  ['by itself', addressCertificate, undefined],
  ['by a private authority', goodCertificate, undefined],
  ['for another name', foreignCertificate, authority],
  ['until last year', expiredCertificate, authority],
];
for (const scheme of ['smtp', 'smtps']) {
  for (const [what, cert, ca] of untrusted) {
    const start = (t: TestContext) =>
      startSecure(t, cert, {
        secure: scheme === 'smtps',
        disabledCommands: [],
        authOptional: true,
      });

    test(`${scheme}: a relay on this machine may have a certificate signed ${what}, if there is no password`, async (t) => {
      const { host, received } = await start(t);
      for (const name of [host, host.replace('127.0.0.1', 'localhost')]) {
        const sender = mailerFor(t, `${scheme}://${name}?from=jobd@example.com`, ca);
        assert.equal(await sender.send(mail, 60_000), null);
      }
      assert.deepEqual(each(received, 'secure'), [true, true]);
    });

    test(`${scheme}: elsewhere a certificate signed ${what} is refused, unless tls=insecure allows it`, async (t) => {
      const { host, received, users } = await start(t);
      const url = `${scheme}://${elsewhere(host)}?from=jobd@example.com`;
      const error = await refusal(mailerFor(t, url, ca), mail);
      assert.match(error, /^mail: .*certificate.*tls=insecure/i);
      assert.equal(received.length, 0);
      assert.equal(await refusal(mailerFor(t, `${url}&tls=insecure`, ca), mail), '');
      const withPassword = url.replace('://', '://ann:canary@');
      assert.equal(await refusal(mailerFor(t, `${withPassword}&tls=insecure`, ca), mail), '');
      assert.deepEqual(users, [{ username: 'ann', secure: true }]);
      assert.deepEqual(each(received, 'secure'), [true, true]);
    });
  }
}

test('tls=insecure sends no password without TLS', async (t) => {
  const { host, received } = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_user, _session, callback) => callback(null, { user: 'ann' }),
  });
  const url = `smtp://ann:canary@${elsewhere(host)}?from=jobd@example.com&tls=insecure`;
  assert.match(await refusal(mailerFor(t, url), mail), /STARTTLS/);
  assert.equal(received.length, 0);
});

test('a local relay that offers STARTTLS and cannot do it gets the mail nevertheless', async (t) => {
  const { createServer } = await import('node:net');
  const said: string[] = [];
  const replies: Record<string, string> = {
    EHLO: '250-relay\r\n250 STARTTLS',
    STARTTLS: '454 TLS not available due to local problem',
    DATA: '354 go on',
    '.': '250 queued',
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 relay\r\n');
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').slice(0, -1)) {
        const verb = line.split(' ', 1)[0] ?? '';
        said.push(verb);
        if (/^(?:[A-Z]{4,8}|\.)$/.test(verb)) socket.write(`${replies[verb] ?? '250 ok'}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const mailer = mailerFor(t, `smtp://127.0.0.1:${port}?from=jobd@example.com`);
  assert.equal(await refusal(mailer, mail), '');
  assert.deepEqual(said.slice(0, 4), ['EHLO', 'STARTTLS', 'MAIL', 'RCPT']);
  await mailer[Symbol.asyncDispose]();
});

const refusals: [what: string, isFinal: boolean, when: keyof SMTPServerOptions, code: number][] = [
  ['an unknown recipient', true, 'onRcptTo', 550],
  ['a recipient who comes later', false, 'onRcptTo', 450],
  ['the content', true, 'onData', 554],
  ['the content for now', false, 'onData', 452],
  ['a recipient before a login', false, 'onRcptTo', 530],
  ['the sender', false, 'onMailFrom', 550],
  ['the connection', false, 'onConnect', 554],
];
for (const [what, isFinal, when, responseCode] of refusals) {
  test(`a server that refuses ${what} with ${responseCode} ${isFinal ? 'is not asked' : 'is asked'} again`, async (t) => {
    const { host } = await startMailServer(t, {
      [when]: (...given: unknown[]) => {
        const callback = given.at(-1) as (error: Error) => void;
        const [stream] = given as [{ resume?: () => void }];
        stream.resume?.();
        callback(Object.assign(new Error('not this one'), { responseCode }));
      },
    });
    const failure = await mailerFor(t, `smtp://${host}?from=jobd@example.com`).send(mail, 60_000);
    assert.match(failure?.error ?? '', new RegExp(`^mail: .*${responseCode}.*not this one`));
    assert.equal(failure?.isFinal, isFinal);
  });
}

test('a wrong password is an operator’s trouble: the mail is tried again', async (t) => {
  const { host } = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_user, _session, callback) => callback(new Error('no')),
  });
  const failure = await mailerFor(t, `smtp://ann:wrong@${host}`).send(mail, 60_000);
  assert.match(failure?.error ?? '', /535/);
  assert.equal(failure?.isFinal, false);
});

test('the sender may have a name, and this machine another one', async (t) => {
  const names: string[] = [];
  const { host, received } = await startMailServer(t, {
    onMailFrom(_address, { hostNameAppearsAs }, callback) {
      names.push(hostNameAppearsAs);
      callback(null);
    },
  });
  for (const name of ['Jobd', 'Jobd, Büro', 'Ann (ops) jobd@example.net']) {
    const from = encodeURIComponent(`${name} <jobd@example.com>`);
    const mailer = mailerFor(t, `smtp://${host}?from=${from}&ehlo=cron.example.com`);
    assert.equal(await refusal(mailer, mail), '');
    const { from: envelope, raw } = received.at(-1) ?? assert.fail();
    assert.equal(envelope, 'jobd@example.com');
    const read = await PostalMime.parse(raw);
    assert.deepEqual(read.from, { address: 'jobd@example.com', name });
    assert.match(read.messageId ?? '', /@example\.com>$/);
  }
  assert.deepEqual(new Set(names), new Set(['cron.example.com']));
});
