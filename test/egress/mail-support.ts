/** Mailers and mail servers of the tests about mail. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { parseMailServer } from '../../src/domain/alerts/mail-server.ts';
import { createMailer, type Mail, type Mailer } from '../../src/egress/mail.ts';
import { startMailServer } from '../support/fakes/mail-server.ts';
import { serverKey } from './certificates.ts';

/** A mailer that ends with the test. */
export function mailerFor(t: TestContext, value: string, ca?: string): Mailer {
  const server = parseMailServer({ name: '--smtp-url', value }) ?? assert.fail();
  const mailer = createMailer(server, ca === undefined ? {} : { ca });
  t.after(() => mailer[Symbol.asyncDispose]());
  return mailer;
}

export const mail = {
  id: 'the-id',
  to: ['ops@example.com'],
  subject: 's',
  text: 't',
  html: '<p>t</p>',
};

/** Why an email was not sent; empty if it was. */
export async function refusal(mailer: Mailer, sent: Mail, timeoutMs = 60_000): Promise<string> {
  return (await mailer.send(sent, timeoutMs))?.error ?? '';
}

/** A server that speaks TLS with this certificate, and the users that logged in. */
export async function startSecure(t: TestContext, cert: string, options: SMTPServerOptions) {
  const users: { username: string | undefined; secure: boolean }[] = [];
  const server = await startMailServer(t, {
    key: serverKey,
    cert,
    authOptional: false,
    onAuth({ username }, { secure }, callback) {
      users.push({ username, secure });
      callback(null, { user: username });
    },
    ...options,
  });
  return { ...server, users };
}

/** Loopback by an address that is not recognized as such. */
export const elsewhere = (host: string): string => host.replace('127.0.0.1', '[::ffff:127.0.0.1]');
