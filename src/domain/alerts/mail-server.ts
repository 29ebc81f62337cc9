/** The mail server, from one URL: `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`, or `smtps://` for TLS at once. */

import { invalidInput } from '../errors.ts';
import { oneLine } from '../one-line.ts';

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS if it is offered. */
  secure: boolean;
  user: string | null;
  password: string | null;
  from: Sender;
  /** Whether any certificate will do. TLS then keeps out those who only listen. */
  isInsecure: boolean;
  /** How this machine names itself to the server (EHLO); null for its host name. */
  ehlo: string | null;
}

export interface Sender {
  /** Shown before the address; empty for none. */
  name: string;
  address: string;
}

/** Submission ports: with STARTTLS, and with TLS at once (RFC 8314). */
const ports = { smtp: 587, smtps: 465 };

const parameters = ['from', 'tls', 'ehlo'];

/**
 * Reads the URL; null if it is empty. Without `from` the sender is the user if that is an address, else `jobd@HOST`. Throws
 * `invalid_input`, never repeating the password.
 */
export function parseMailServer(setting: { name: string; value: string }): MailServer | null {
  const { name, value } = setting;
  if (value === '') return null;
  const [, scheme] = /^(smtps?):\/\/[^/]/i.exec(value) ?? [];
  // As http the parser checks the host as that of a web address. It would drop port 80.
  const url = scheme && URL.parse(value.replace(/^[a-z]+/i, 'http'));
  if (!url || !/^\/?$/.test(url.pathname) || url.hash !== '') {
    throw invalidInput(`${name} must be like smtp://user:password@mail.example.com:587`);
  }
  const secure = scheme?.toLowerCase() === 'smtps';
  const given = url.searchParams;
  if ([...given.keys()].some((key) => !parameters.includes(key))) {
    throw invalidInput(`${name} must have no other parameters than ${parameters.join(', ')}`);
  }
  const user = decoded(url.username, name);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const ownName = user?.includes('@') === true ? user : `jobd@${host}`;
  const tls = given.get('tls');
  if (tls !== null && tls !== 'insecure') {
    throw invalidInput(`${name} must have no other value in tls than insecure`);
  }
  const ehlo = given.get('ehlo');
  if (ehlo !== null && !/^(?:[A-Za-z0-9.-]{1,255}|\[[A-Za-z0-9.:]{1,60}\])$/.test(ehlo)) {
    throw invalidInput(`${name} must have a host name in ehlo, or an address in brackets`);
  }
  return {
    host,
    port: Number(URL.parse(value)?.port || ports[secure ? 'smtps' : 'smtp']),
    secure,
    user,
    password: decoded(url.password, name),
    from: readSender(given.get('from') ?? ownName, name),
    isInsecure: tls === 'insecure',
    ehlo,
  };
}

/** `ADDRESS`, or `NAME <ADDRESS>`, in which the name may be quoted. */
function readSender(text: string, name: string): Sender {
  const start = text.endsWith('>') ? text.indexOf('<') : -1;
  const address = start === -1 ? text : text.slice(start + 1, -1);
  const before = start === -1 ? '' : text.slice(0, start).trim();
  const isQuoted = before.length > 1 && before.startsWith('"') && before.endsWith('"');
  const shown = isQuoted ? before.slice(1, -1) : before;
  const isName = shown.length <= 100 && shown === oneLine(shown) && !/["\\]/.test(shown);
  if (!isName || !/^[^\s<>"(),:;@\\]+@[^\s<>"(),:;@\\]+$/.test(address)) {
    throw invalidInput(
      `${name} must have a mail address in from, such as jobd@example.org or Jobd <jobd@example.org>`,
    );
  }
  return { name: shown, address };
}

function decoded(text: string, name: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidInput(`${name} must percent-encode its user name and password correctly`);
  }
}
