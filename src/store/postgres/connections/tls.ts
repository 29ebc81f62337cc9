/** TLS to a server, by the parameters of a URL: https://www.postgresql.org/docs/current/libpq-ssl.html */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type ConnectionOptions } from 'node:tls';
import { invalidInput } from '../../../domain/errors.ts';

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Without `sslmode` there is no TLS. `require` verifies nothing, but as with libpq it is `verify-ca` if there is a root
 * certificate. Throws `invalid_input`.
 */
export function tlsOf(given: URLSearchParams): false | ConnectionOptions {
  const mode = modes.find((one) => one === (given.get('sslmode') ?? 'disable'));
  if (mode === undefined) throw invalidUrl(`its sslmode must be ${modes.join(', ')}`);
  if (mode === 'disable') return false;
  const ca = rootsOf(given.get('sslrootcert'), mode);
  const files = { ca, ...ownCertificate(given) };
  if (mode === 'verify-full') return files;
  if (mode === 'require' && ca === undefined) return { ...files, rejectUnauthorized: false };
  return { ...files, checkServerIdentity: () => undefined };
}

/** Undefined for those that Node knows. */
function rootsOf(path: string | null, mode: string): string[] | string | undefined {
  if (path === null) {
    // Without it, anybody with a certificate of a public authority would do.
    if (mode !== 'verify-ca') return undefined;
    throw invalidUrl(
      'its sslmode=verify-ca needs sslrootcert=FILE, with the authority of the server; for a public one, set sslmode=verify-full',
    );
  }
  if (path !== 'system') return rootsIn(path);
  // Anybody has a certificate of these: only with its name it says something.
  if (mode === 'verify-full') return getCACertificates('system');
  throw invalidUrl('its sslrootcert=system needs sslmode=verify-full');
}

function rootsIn(path: string): string {
  const text = contentOf('sslrootcert', path);
  try {
    // It takes other formats too, and TLS this one alone.
    if (text.includes('-----BEGIN ') && new X509Certificate(text).raw.length > 0) return text;
  } catch {}
  throw invalidUrl(`its sslrootcert has no certificate in it: ${path}`);
}

function ownCertificate(given: URLSearchParams): { cert?: string; key?: string } {
  const [certPath, keyPath] = [given.get('sslcert'), given.get('sslkey')];
  if (certPath === null && keyPath === null) return {};
  if (certPath === null || keyPath === null) {
    throw invalidUrl('its sslcert and sslkey need each other');
  }
  const own = { cert: contentOf('sslcert', certPath), key: contentOf('sslkey', keyPath) };
  try {
    createSecureContext(own);
  } catch {
    throw invalidUrl(
      `its sslcert and sslkey are no certificate with its key: ${certPath}, ${keyPath}`,
    );
  }
  return own;
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw invalidUrl(`its ${name} cannot be read: ${path}`);
  }
}

/** The error for a URL. */
export function invalidUrl(why: string): Error {
  return invalidInput(`the URL of the database is not valid: ${why}`);
}
