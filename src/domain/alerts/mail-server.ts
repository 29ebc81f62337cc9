/** The mail server, from one URL: `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS`, or `smtps://` for TLS at once. */

import { invalidInput } from '../errors.ts';

/** The server that mail is sent through. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS if it is offered. */
  secure: boolean;
  user: string | null;
  password: string | null;
  /** The sender's address. */
  from: string;
}

/** Submission ports: with STARTTLS, and with TLS at once (RFC 8314). */
const ports = { smtp: 587, smtps: 465 };

/**
 * Reads the URL; null if it is empty. Without `from` the sender is the user if that is an address, else `jobd@HOST`. Throws
 * `invalid_input`, never repeating the password.
 */
export function parseMailServer({
  name,
  value,
}: {
  name: string;
  value: string;
}): MailServer | null {
  if (value === '') return null;
  const [, scheme] = /^(smtps?):\/\/[^/]/i.exec(value) ?? [];
  // As http the parser checks the host as that of a web address. It would drop port 80.
  const url = scheme && URL.parse(value.replace(/^[a-z]+/i, 'http'));
  if (!url || !/^\/?$/.test(url.pathname) || url.hash !== '') {
    throw invalidInput(`${name} must be like smtp://user:password@mail.example.com:587`);
  }
  const secure = scheme?.toLowerCase() === 'smtps';
  for (const key of url.searchParams.keys()) {
    if (key !== 'from') throw invalidInput(`${name} must have no other parameter than from`);
  }
  const user = decoded(url.username, name);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const ownName = user?.includes('@') === true ? user : `jobd@${host}`;
  const from = url.searchParams.get('from') ?? ownName;
  if (!/^[^\s<>"(),:;@\\]+@[^\s<>"(),:;@\\]+$/.test(from)) {
    throw invalidInput(`${name} must have a mail address in from`);
  }
  const port = Number(URL.parse(value)?.port || ports[secure ? 'smtps' : 'smtp']);
  return { host, port, secure, user, password: decoded(url.password, name), from };
}

function decoded(text: string, name: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidInput(`${name} must percent-encode its user name and password correctly`);
  }
}
