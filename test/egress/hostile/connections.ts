/** Misbehaviour of a target on the connection, in clear text and in the TLS handshake. */
import {
  brokeOff,
  cutOff,
  cutOffInHandshake,
  drip,
  endlessly,
  noAnswer,
  ok,
  success,
  type HostileTarget,
} from './row.ts';

/** Before or instead of an answer. */
export const connections: HostileTarget[] = [
  {
    does: 'closes the connection immediately',
    greet: (s) => s.end(),
    ...noAnswer,
    error: /^reset: /,
    isRetried: true,
    requests: { atMost: 2 },
  },
  {
    does: 'resets the connection immediately',
    greet: (s) => s.resetAndDestroy(),
    ...noAnswer,
    error: /^reset: /,
    isRetried: true,
    requests: { atMost: 2 },
  },
  { does: 'says nothing', ...cutOff },
  {
    does: 'closes without a word',
    behave: (s) => s.end(),
    ...noAnswer,
    error: /^reset: the connection was closed before an answer came$/,
    isRetried: true,
  },
  {
    does: 'resets without a word',
    behave: (s) => s.resetAndDestroy(),
    ...noAnswer,
    error: /^reset: the connection was reset before an answer came$/,
    isRetried: true,
  },
  {
    does: 'closes within the headers',
    behave: (s) => s.end(`${ok}content-le`),
    ...noAnswer,
    error: /^reset: the connection was closed before an answer came$/,
    isRetried: true,
  },
  {
    does: 'resets within the headers',
    behave: (s) => s.write(`${ok}content-le`, () => s.resetAndDestroy()),
    ...noAnswer,
    error: /^reset: the connection was reset before an answer came$/,
    isRetried: true,
  },
];

/** A TLS 1.2 ServerHello that picks ECDHE-RSA-AES128-GCM-SHA256, then a certificate of 16 MiB. */
const endlessCertificate = Buffer.concat([
  Buffer.from('160303002a020000260303', 'hex'),
  Buffer.alloc(32, 7),
  Buffer.from('00c02f00160303400b0bffffff', 'hex'),
  Buffer.alloc(16_384, 0xff),
]);

/** By https. */
export const handshakes: HostileTarget[] = [
  {
    does: 'does not speak TLS',
    https: 'raw',
    greet: (s) => s.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ...noAnswer,
    error: /^tls: 127\.0\.0\.1: the server does not speak TLS on this port/,
  },
  {
    does: 'says nothing in the TLS handshake',
    https: 'raw',
    ...cutOffInHandshake,
    requests: { atMost: 0 },
  },
  {
    does: 'drips in the TLS handshake',
    https: 'raw',
    greet: (s) => drip(s, '\u0016\u0003\u0003\u0040\0', '\u0002'),
    ...cutOffInHandshake,
  },
  {
    does: 'closes in the TLS handshake',
    https: 'raw',
    greet: (s) => s.once('data', () => s.end()),
    ...noAnswer,
    error: /^reset: /,
    isRetried: true,
  },
  {
    does: 'resets in the TLS handshake',
    https: 'raw',
    greet: (s) => s.once('data', () => s.resetAndDestroy()),
    ...noAnswer,
    error: /^reset: /,
    isRetried: true,
  },
  {
    does: 'shows a certificate without end',
    https: 'raw',
    greet: (s) => s.once('data', () => endlessly(s, '', endlessCertificate.toString('latin1'))),
    ...noAnswer,
    error: /^tls: /,
  },
  {
    does: 'closes within a body over TLS',
    https: 'tls',
    behave: (s) => s.end(`${ok}content-length: 10\r\n\r\nhalf`),
    ...brokeOff,
    body: 'half',
  },
  {
    does: 'sends a body without end over TLS',
    https: 'tls',
    behave: (s) => endlessly(s, `${ok}\r\n`, 'a'),
    ...success,
    truncated: true,
  },
];
