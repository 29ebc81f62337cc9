/**
 * Email through the one SMTP server that the operator configures and trusts. Only plain fields are passed on: no field can
 * name a file, a URL or a raw message, so nothing is read or fetched for an email.
 */
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Transporter } from 'nodemailer';
import { systemClock, type Clock } from '../domain/clock.ts';
import { encodedWords } from '../domain/alerts/encoded-words.ts';
import { messageOf } from '../domain/errors.ts';
import { maskedAddress } from '../domain/alerts/destination.ts';
import type { MailMessage } from '../domain/alerts/kinds/kind.ts';
import { isMailAllowed, type MailRule } from '../domain/alerts/mail-allow.ts';
import type { MailServer } from '../domain/alerts/mail-server.ts';
import { redact, spellingsOf } from '../domain/secrets/redaction.ts';
import { StallWatch, stoodStill } from './deadline.ts';

/** An email. `id` becomes its Message-ID, which marks duplicates. */
export interface Mail extends Omit<MailMessage, 'kind'> {
  id: string;
}

/** Why the server did not take an email, or not for all of its recipients. */
export interface MailFailure {
  /** A sentence. */
  error: string;
  /** Whether sending it again would not help. */
  isFinal: boolean;
  /** Whether the cause is this machine and not the server. */
  isOurs: boolean;
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
  {
    allow = [],
    ca,
    clock = systemClock,
  }: { allow?: readonly MailRule[]; ca?: string; clock?: Clock } = {},
): Mailer {
  let transporter: Promise<Transporter> | undefined;
  const secrets = passwordTexts(server);
  const domain = server.from.address.slice(server.from.address.lastIndexOf('@') + 1);

  return {
    allows: (to) => isMailAllowed(to, allow),
    async send({ id, to, subject, text, html }, timeoutMs) {
      transporter ??= open(server, timeoutMs, ca);
      using watch = new StallWatch(clock);
      try {
        const opened = await transporter;
        const { rejectedErrors } = await opened.sendMail({
          // As objects, so that nodemailer does not parse them.
          from: server.from,
          to: to.map((address) => ({ name: '', address })),
          subject: encodedWords(subject),
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return partFailure(rejectedErrors ?? [], secrets);
      } catch (error) {
        const stalledMs = watch.stalledMs();
        const isOurs = stalledMs > 0;
        if (isOurs) return { error: stoodStill(stalledMs), isFinal: false, isOurs };
        const words = wordsOf(error, secrets);
        const hint = isCertificateTrouble(error) ? certificateHint : '';
        return { error: `mail: ${words}${hint}`, isFinal: isRefusal(error), isOurs };
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
  return createTransport({
    pool: true,
    maxConnections,
    host,
    port,
    secure,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    getSocket(_options: object, callback: (error: Error | null, connection?: object) => void) {
      openSocket(server, timeoutMs, (error, socket) => {
        callback(error, socket ? { connection: socket, ...terms(server, socket, ca) } : {});
      });
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Connects by the names that the system knows. */
function openSocket(
  { host, port }: MailServer,
  timeoutMs: number,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const socket = connect({ host, port });
  const fail = (error: Error): void => {
    socket.destroy();
    // Several addresses were tried: each has its reason, and the whole has none.
    done(error instanceof AggregateError ? (error.errors[0] as Error) : error, null);
  };
  socket.setTimeout(timeoutMs, () => fail(new Error('Connection timeout')));
  socket.once('error', fail);
  socket.once('connect', () => {
    socket.off('error', fail);
    socket.setTimeout(0).removeAllListeners('timeout');
    done(null, socket);
  });
}

/**
 * What is asked of a connection. On this machine nobody listens between the two, so that a local relay may have any
 * certificate, as long as it is given no password; what counts is the address that was reached, not its name.
 */
function terms({ password, isInsecure, ehlo }: MailServer, socket: Socket, ca?: string): object {
  const isHere = /^(?:127\..*|::1)$/.test(socket.remoteAddress ?? '');
  const isFree = isHere && password === null;
  const name = ehlo ?? (hostname().includes('.') ? null : addressLiteral(socket));
  return {
    // A password is never sent over the network in plain text.
    requireTLS: password !== null && !isHere,
    opportunisticTLS: isFree,
    tls: { rejectUnauthorized: !isInsecure && !isFree, ...(ca !== undefined && { ca }) },
    ...(name !== null && { name }),
  };
}

/** How a machine without a full name calls itself (RFC 5321, section 4.1.3). */
function addressLiteral({ localAddress = '127.0.0.1' }: Socket): string {
  return localAddress.includes(':') ? `[IPv6:${localAddress}]` : `[${localAddress}]`;
}

/** By the codes of Node's TLS, which are OpenSSL's names for what is wrong with a certificate. */
function isCertificateTrouble(error: unknown): boolean {
  const { originalCode = '' } = error as { originalCode?: string };
  return /CERT|ALTNAME|SIGNATURE|CRL/.test(originalCode);
}

const certificateHint =
  '. If that certificate is the right one, add tls=insecure to the --smtp-url of jobd serve, or its authority to NODE_EXTRA_CA_CERTS';

/** The server wants TLS or a password first (RFC 4954, section 6). */
const authenticationRequired = 530;

/**
 * Whether the server refused these recipients or this content for good (5yz, RFC 5321). What it says of the sender, the
 * password or the connection is about the operator's settings, and passes when they are corrected.
 */
function isRefusal(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return (
    responseCode >= 500 &&
    responseCode !== authenticationRequired &&
    ['RCPT TO', 'DATA'].includes(command)
  );
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
    isOurs: false,
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
