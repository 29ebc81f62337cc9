/** The cookie of a session (RFC 6265). Its value never gets into a log or an answer's body. */

import { sessionPattern } from '../../domain/accounts/session.ts';

/** The cookie of one installation. */
export interface SessionCookie {
  readonly name: string;
  /** The secret in a Cookie header; undefined unless there is exactly one of the right form. */
  readonly read: (header: string | undefined) => string | undefined;
  /** The Set-Cookie header that keeps a secret for this many seconds. */
  readonly keep: (secret: string, seconds: number) => string;
  /** The Set-Cookie header that removes it. */
  readonly clear: string;
}

/**
 * Describes the cookie of an installation. Its name holds the installation's id, since browsers share cookies between the
 * ports of a host. Behind https it has the prefix `__Host-`, so that no other host and no plain http can set it. `Secure`
 * follows the configured URL alone: anybody can send a forwarded header.
 */
export function sessionCookie(instanceId: string, baseUrl: string | null): SessionCookie {
  const isSecure = baseUrl?.startsWith('https:') === true;
  const name = `${isSecure ? '__Host-' : ''}jobd-${instanceId}`;
  const below = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const path = isSecure ? 'Path=/; Secure' : `Path=${below}/api/v1`;
  const attributes = `${path}; HttpOnly; SameSite=Strict`;
  const keep = (secret: string, seconds: number): string =>
    `${name}=${secret}; Max-Age=${seconds}; ${attributes}`;
  return { name, keep, clear: keep('', 0), read: (header) => valueOf(header, name) };
}

/** With two cookies of the name neither is used: one may be from another program on this host. No value is quoted: it is hexadecimal. */
function valueOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const start = `${name}=`;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [value] = values;
  return values.length === 1 && value !== undefined && sessionPattern.test(value)
    ? value
    : undefined;
}
