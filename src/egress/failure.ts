/** Errors of egress, and the words for what Node and the system throw. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemCode } from '../domain/errors.ts';
import type { Failure } from '../domain/runs/outcome.ts';

/** Closes a connection whose target breaks HTTP/1.1 or TLS; its message is for people. `seen`: how an answer begins that is no HTTP. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
  readonly seen: string | null;

  constructor(message: string, seen: string | null = null) {
    super(message);
    this.seen = seen;
  }
}

/** A certificate that is refused, and why; its message is for people. */
export class BadCertificate extends Error {
  override readonly name = 'BadCertificate';
  /** OpenSSL's or Node's name for it. */
  readonly code: string;

  constructor(message: string, code: string, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * This machine lacks something that a call needs, and nothing was sent. No target is to blame, and a retry may succeed.
 * Thrown and caught inside egress; its message is for people.
 */
export class LocalTrouble extends Error {
  override readonly name = 'LocalTrouble';
}

/** The error of calls that were in flight when egress was closed, or that came later. */
export function egressClosed(): Error {
  return new Error('egress was closed');
}

const localWords = new Map([
  ['EMFILE', 'jobd has too many open files'],
  ['ENFILE', 'this machine has too many open files'],
  ['ENOBUFS', 'this machine is out of network buffers'],
  ['ENOMEM', 'this machine is out of memory'],
  ['EADDRNOTAVAIL', 'this machine has no free port to connect from'],
  ['ERR_WORKER_INIT_FAILED', 'no thread can be started'],
]);

/** The LocalTrouble that a system error stands for; null if this machine is not the cause. */
export function localTrouble(error: unknown): LocalTrouble | null {
  const code = systemCode(error);
  const words = localWords.get(code);
  return words === undefined ? null : new LocalTrouble(`${words} (${code})`, { cause: error });
}

/** Throws LocalTrouble if no file can be opened. c-ares reports that as a failure of the DNS server. */
export function checkOpenFiles(): void {
  try {
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    throw localTrouble(error) ?? error;
  }
}

/** Nothing was sent, and nothing answers at that address. */
const refusedWords = new Map([
  ['ECONNREFUSED', 'nobody listens'],
  ['EHOSTUNREACH', 'the host is unreachable'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['EHOSTDOWN', 'the host is down'],
  ['ENETDOWN', 'the network is down'],
  // Of IPv6 only, which a machine may be without; otherwise it is a LocalTrouble.
  ['EADDRNOTAVAIL', 'this machine has no address to connect from'],
  ['EACCES', 'this machine does not permit the connection'],
  ['EPERM', 'this machine does not permit the connection'],
  ['ETIMEDOUT', 'the host does not answer'],
]);

const resetWords = new Map([
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ECONNABORTED', 'the connection was aborted'],
  ['ETIMEDOUT', 'the connection died'],
]);

const tlsWords = new Map([
  ['CERT_REVOKED', 'the certificate was revoked'],
  ['CERT_UNTRUSTED', 'the certificate is not trusted'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'the server offers no TLS version in common, 1.2 or 1.3'],
  [
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'the server offers no TLS version in common, 1.2 or 1.3',
  ],
  [
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    'the server does not take HTTP/1.1 on this port, perhaps only HTTP/2: let it offer both',
  ],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'the server wants a certificate of its client, and jobd has none',
  ],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'the server refused the handshake'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'the server refused the handshake'],
]);

/** What comes is no record of TLS. */
const noTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_DATA_LENGTH_TOO_LONG',
]);

/** A failure while the TCP connection to `endpoint` was made. Throws LocalTrouble if this machine is the cause. */
export function connectFailure(error: unknown, endpoint: string): Failure {
  const code = systemCode(error);
  // A machine without IPv6 has no address to connect from: other targets can be called, this one never.
  const isWithoutIPv6 = endpoint.startsWith('[') && code === 'EADDRNOTAVAIL';
  const trouble = isWithoutIPv6 ? null : localTrouble(error);
  if (trouble !== null) throw trouble;
  const reset = code === 'ETIMEDOUT' ? undefined : resetWords.get(code);
  if (reset !== undefined) return { reason: 'reset', detail: `${reset} by ${endpoint}` };
  const words = refusedWords.get(code) ?? 'no connection could be made';
  return { reason: 'refused', detail: `${words} at ${endpoint}${inBrackets(code)}` };
}

/** Whether this machine has no way to an address, as one without IPv6, so that nobody was asked. */
export function isWayMissing(error: unknown): boolean {
  return ['ENETUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN'].includes(systemCode(error));
}

/** A failure in the TLS handshake with `host`. */
export function tlsFailure(error: unknown, host: string): Failure {
  const code = systemCode(error);
  const reset = resetWords.get(code);
  if (reset !== undefined) return { reason: 'reset', detail: `${reset} during the TLS handshake` };
  if (error instanceof BadAnswer) return { reason: 'tls', detail: `${host}: ${error.message}` };
  if (noTls.has(code)) {
    const detail = `${host}: the server does not speak TLS on this port: is it http?`;
    return { reason: 'no_tls', detail: `${detail}${inBrackets(code)}` };
  }
  const known = error instanceof BadCertificate ? error.message : tlsWords.get(code);
  return {
    reason: 'tls',
    detail: `${host}: ${known ?? 'the handshake failed'}${inBrackets(code)}`,
  };
}

/** A failure after the request was sent and before the response headers were complete; null: the connection ended. */
export function answerFailure(error: unknown): Failure {
  if (error === null) {
    return { reason: 'reset', detail: 'the connection was closed before an answer came' };
  }
  if (error instanceof BadAnswer) {
    const { message: detail, seen } = error;
    return { reason: 'protocol', detail, ...(seen !== null && { seen }) };
  }
  const code = systemCode(error);
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    const words = tlsWords.get(code) ?? 'the TLS connection failed';
    return { reason: 'tls', detail: `${words}${inBrackets(code)}` };
  }
  const words = resetWords.get(code) ?? `the connection broke off${inBrackets(code)}`;
  return { reason: 'reset', detail: `${words} before an answer came` };
}

/** From here on a system gives ports by chance, so that their digits say nothing (Linux, `ip_local_port_range`). */
const firstChancePort = 32_768;

/** The failure, with the question whether the port speaks TLS if it is one that mostly does: such servers often close without a word. */
export function withPortHint(
  failure: Failure,
  { protocol, port }: { protocol: string; port: number },
): Failure {
  const isOdd = protocol === 'http:' && String(port).endsWith('443') && port < firstChancePort;
  if (!isOdd || (failure.reason !== 'reset' && failure.reason !== 'protocol')) return failure;
  const hint = `port ${port} is mostly https: is the URL right?`;
  return { ...failure, detail: `${failure.detail}; ${hint}` };
}

/** A body that ended before it was complete, or breaks the rules. */
export function brokenBody(error: unknown): Failure {
  const detail = error instanceof BadAnswer ? error.message : 'the response body broke off';
  return { reason: 'protocol', detail };
}

/** Seconds for people: `10 s`, `0.25 s`. */
export function secondsText(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}

function inBrackets(code: string): string {
  return code === 'unknown' ? '' : ` (${code})`;
}
