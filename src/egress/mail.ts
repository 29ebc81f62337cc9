/**
 * Email through the one SMTP server that the operator configures and trusts. Only plain fields are passed on: no field can
 * name a file, a URL or a raw message, so nothing is read or fetched for an email.
 */
import type { Transporter } from 'nodemailer';
import { encodedWords } from '../domain/alerts/encoded-words.ts';
import { messageOf } from '../domain/errors.ts';
import { isMailAllowed } from '../domain/alerts/mail-allow.ts';
import type { MailRule } from '../domain/alerts/mail-allow.ts';
import type { MailServer } from '../domain/alerts/mail-server.ts';
import { redact, spellingsOf } from '../domain/secrets/redaction.ts';

/** An email. `id` becomes its Message-ID, which marks duplicates. */
export interface Mail {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer extends AsyncDisposable {
  /** Whether the operator permits email to this address. */
  allows(to: string): boolean;
  /** Sends an email. Returns null, or a sentence that says why the server did not take it. */
  send(mail: Mail, timeoutMs: number): Promise<string | null>;
}

/** Most connections; further emails wait. */
const maxConnections = 3;

/**
 * Creates the mailer; the first email loads nodemailer. `allow` lists the permitted addresses; if it is empty, all are.
 * `ca` is trusted instead of the built-in authorities.
 */
export function createMailer(
  server: MailServer,
  { allow = [], ca }: { allow?: readonly MailRule[]; ca?: string } = {},
): Mailer {
  let transporter: Promise<Transporter> | undefined;
  const secrets = passwordTexts(server);
  const domain = server.from.slice(server.from.lastIndexOf('@') + 1);

  return {
    allows: (to) => isMailAllowed(to, allow),
    async send({ id, to, subject, text, html }, timeoutMs) {
      transporter ??= open(server, timeoutMs, ca);
      try {
        const opened = await transporter;
        const { rejected } = await opened.sendMail({
          // As objects, so that nodemailer does not parse them.
          from: { name: '', address: server.from },
          to: { name: '', address: to },
          subject: encodedWords(subject),
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return (rejected ?? []).length === 0 ? null : 'mail: the address was rejected';
      } catch (error) {
        return `mail: ${wordsOf(error, secrets)}`;
      }
    },
    async [Symbol.asyncDispose]() {
      (await transporter)?.close();
    },
  };
}

async function open(server: MailServer, timeoutMs: number, ca?: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password } = server;
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
  return createTransport({
    pool: true,
    maxConnections,
    host,
    port,
    secure,
    // A password is never sent over the network in plain text.
    requireTLS: !secure && password !== null && !isHere,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The password, and the forms in which a server may repeat it (AUTH PLAIN and LOGIN, RFC 4616). */
function passwordTexts({ user, password }: MailServer): string[] {
  if (password === null) return [];
  const texts = [password, `\0${user}\0${password}`];
  return spellingsOf([...texts, ...texts.map((text) => Buffer.from(text).toString('base64'))]);
}

/** The message of the server, or Node's about its certificate, on one line and without the password. */
function wordsOf(error: unknown, secrets: readonly string[]): string {
  // Node adds advice for those who start node themselves.
  const words = messageOf(error).replace(/; if the root CA .*$/s, '');
  return redact(words, secrets).replace(/\s+/g, ' ').slice(0, 300);
}
