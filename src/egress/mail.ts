/**
 * Email through the one SMTP server that the operator configures and trusts. Only plain fields are passed on: no field can
 * name a file, a URL or a raw message, so nothing is read or fetched for an email.
 */
import type { Transporter } from 'nodemailer';
import { encodedWords } from '../domain/alerts/encoded-words.ts';
import { messageOf } from '../domain/errors.ts';
import { maskedAddress } from '../domain/alerts/destination.ts';
import { isMailAllowed } from '../domain/alerts/mail-allow.ts';
import type { MailRule } from '../domain/alerts/mail-allow.ts';
import type { MailServer } from '../domain/alerts/mail-server.ts';
import { redact, spellingsOf } from '../domain/secrets/redaction.ts';

/** An email. `id` becomes its Message-ID, which marks duplicates. */
export interface Mail {
  id: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
}

/** Why the server did not take an email, or not for all of its recipients. */
export interface MailFailure {
  /** A sentence. */
  error: string;
  /** Whether sending it again would not help. */
  isFinal: boolean;
}

export interface Mailer extends AsyncDisposable {
  /** Whether the operator permits email to this address. */
  allows(to: string): boolean;
  /** Sends an email to all of its recipients. Returns null if the server took it for each. */
  send(mail: Mail, timeoutMs: number): Promise<MailFailure | null>;
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
        const { rejectedErrors } = await opened.sendMail({
          // As objects, so that nodemailer does not parse them.
          from: { name: '', address: server.from },
          to: to.map((address) => ({ name: '', address })),
          subject: encodedWords(subject),
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return partFailure(rejectedErrors ?? [], secrets);
      } catch (error) {
        return { error: `mail: ${wordsOf(error, secrets)}`, isFinal: false };
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

/** A refusal of a recipient, by nodemailer. */
interface Rejection {
  recipient?: string;
  /** The reply code of SMTP. */
  responseCode?: number;
}

/**
 * What became of an email that the server took, but not for these recipients. The others have it: it is sent again only
 * if a refusal may pass (4yz, RFC 5321).
 */
function partFailure(rejections: readonly Rejection[], secrets: readonly string[]) {
  const [first] = rejections;
  if (first === undefined) return null;
  const who = rejections.map(({ recipient }) => maskedAddress(recipient ?? '')).join(', ');
  const isFinal = rejections.every(({ responseCode = 0 }) => responseCode >= 500);
  return {
    error: `mail: refused for ${who}, sent to the others: ${wordsOf(first, secrets)}`,
    isFinal,
  };
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
