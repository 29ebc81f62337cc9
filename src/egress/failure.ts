/** Turns what Node and undici throw into failures that people can read. */
import type { Failure } from '../domain/runs/outcome.ts';
import { BadAnswer } from './incoming.ts';

/** Systems say these when nothing was sent and nobody answers at that address. */
const refusedCodes = new Map([
  ['ECONNREFUSED', 'nobody listens'],
  ['EHOSTUNREACH', 'the host is unreachable'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['EHOSTDOWN', 'the host is down'],
  ['ENETDOWN', 'the network is down'],
  // Of IPv6 only, which a machine may be without; else it is a LocalTrouble.
  ['EADDRNOTAVAIL', 'this machine has no address to connect from'],
  ['EACCES', 'this machine does not permit the connection'],
  ['EPERM', 'this machine does not permit the connection'],
  ['ETIMEDOUT', 'the host does not answer'],
]);

const resetCodes = new Map([
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ECONNABORTED', 'the connection was aborted'],
  ['ETIMEDOUT', 'the connection died'],
]);

const certificateCodes = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['CERT_REVOKED', 'the certificate was revoked'],
  ['CERT_UNTRUSTED', 'the certificate is not trusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate chain ends in a self-signed certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the issuer of the certificate is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the issuer of the certificate is unknown'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate chain is incomplete'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not speak TLS on this port'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server does not speak TLS on this port'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'the server offers no TLS version in common'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'the server offers no TLS version in common'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'the server refused the handshake'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'the server refused the handshake'],
]);

/** A failure while the TCP connection to `endpoint` (address and port) was made. */
export function connectFailure(error: unknown, endpoint: string): Failure {
  const code = codeOf(error);
  const reset = code === 'ETIMEDOUT' ? undefined : resetCodes.get(code);
  if (reset !== undefined) return { reason: 'reset', detail: `${reset} by ${endpoint}` };
  const words = refusedCodes.get(code) ?? 'no connection could be made';
  return { reason: 'refused', detail: `${words} at ${endpoint}${inBrackets(code)}` };
}

/** A failure in the TLS handshake with `host`. */
export function tlsFailure(error: unknown, host: string): Failure {
  const code = codeOf(error);
  const reset = resetCodes.get(code);
  if (reset !== undefined) return { reason: 'reset', detail: `${reset} during the TLS handshake` };
  if (error instanceof BadAnswer) return { reason: 'tls', detail: `${error.message}, ${host}` };
  const words = certificateCodes.get(code) ?? 'the handshake failed';
  return { reason: 'tls', detail: `${words}, ${host}${inBrackets(code)}` };
}

/** A failure after the request was sent and before the headers of the answer were complete. */
export function answerFailure(error: unknown): Failure {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const reset = resetCodes.get(code);
  if (reset !== undefined) return { reason: 'reset', detail: `${reset} before an answer came` };
  if (error instanceof BadAnswer) return { reason: 'protocol', detail: message };
  if (code === 'UND_ERR_SOCKET') {
    return { reason: 'reset', detail: 'the connection was closed before an answer came' };
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    return { reason: 'tls', detail: `the TLS connection failed${inBrackets(code)}` };
  }
  // The parser's own words, never the target's.
  const why = /^Response does not match the HTTP\/1\.1 protocol \((.+)\)$/.exec(message)?.[1];
  return { reason: 'protocol', detail: `the answer is not valid HTTP/1.1${inBrackets(why ?? '')}` };
}

/** A body that ended before it was complete; how the target ended it makes no difference to anyone. */
export function brokenBody(error: unknown): Failure {
  const detail = error instanceof BadAnswer ? error.message : 'the response body broke off';
  return { reason: 'protocol', detail };
}

/** Seconds for people: `10 s`, `0.25 s`. */
export function secondsText(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return '';
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}
