/**
 * Mail, through the one SMTP server that the operator names and trusts. Nothing but plain fields is handed on:
 * no file, URL or raw message can be named, so that nothing is read or fetched for a mail.
 */
import type { Transporter } from 'nodemailer';
import { encodedWords } from '../domain/alerts/encoded-words.ts';
import { messageOf } from '../domain/errors.ts';
import { isMailAllowed } from '../domain/alerts/mail-allow.ts';
import type { MailRule } from '../domain/alerts/mail-allow.ts';
import type { MailServer } from '../domain/alerts/mail-server.ts';
import { redact, spellingsOf } from '../domain/secrets/redaction.ts';

/** A mail; `id` makes its Message-ID, so that one sent twice can be told. */
export interface Mail {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer extends AsyncDisposable {
  /** Whether the operator lets mail go to this address. */
  allows(to: string): boolean;
  /** Sends a mail. Returns why it could not be handed over, in a sentence; null if it was. */
  send(mail: Mail, timeoutMs: number): Promise<string | null>;
}

/** Connections at most; further mails wait. */
const maxConnections = 3;

/**
 * Creates the mailer; nodemailer is loaded with the first mail. Mail goes to what `allow` covers, to any address if that
 * is empty. `ca` is trusted instead of the usual authorities.
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
          // As objects, so that nothing looks for names in them.
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
    // A password goes over the network only where nobody else can read it.
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

/** The password, and as a server may repeat the commands that hold it (AUTH PLAIN and LOGIN, RFC 4616). */
function passwordTexts({ user, password }: MailServer): string[] {
  if (password === null) return [];
  const texts = [password, `\0${user}\0${password}`];
  return spellingsOf([...texts, ...texts.map((text) => Buffer.from(text).toString('base64'))]);
}

/** The server's own words, or Node's of its certificate, on one line, without the password. */
function wordsOf(error: unknown, secrets: readonly string[]): string {
  // What Node adds for those who run node.
  const words = messageOf(error).replace(/; if the root CA .*$/s, '');
  return redact(words, secrets).replace(/\s+/g, ' ').slice(0, 300);
}
