/** A misbehaviour of a target with its expected result, and helpers for the tables. */
import type { Socket } from 'node:net';
import type { Phase } from '../../../src/egress/deadline.ts';
import type { Behaviour } from '../support.ts';

export interface HostileTarget {
  /** Completes "a target that …". */
  does: string;
  /** The response to each request; none if omitted. */
  behave?: Behaviour;
  /** What it does with each connection before it reads. */
  greet?: (socket: Socket) => void;
  /** Called by https: it speaks TLS with a valid certificate, or leaves that to `greet`. */
  https?: 'tls' | 'raw';
  method?: 'HEAD';
  /** What the target is doing when the deadline ends it; it ends by itself if omitted. */
  hangs?: Phase;
  status: 'success' | 'failed';
  error: RegExp | null;
  httpStatus: number | null;
  /** The stored preview; not checked if omitted. */
  body?: string | null;
  truncated?: boolean;
  /** Whether the job's one retry follows. */
  isRetried?: boolean;
  /** The number of requests it reads, if not one per attempt. */
  requests?: { atMost: number };
}

/** How a valid answer begins, without and with chunks. */
export const ok = 'HTTP/1.1 200 OK\r\n';
export const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

/** Writes for as long as the client reads. */
export function endlessly(socket: Socket, start: string, piece: string): void {
  const bytes = Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length)));
  socket.write(start);
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Writes a piece every few milliseconds for as long as the connection is open. */
export function drip(socket: Socket, start: string, piece: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(piece), 10);
  socket.on('close', () => clearInterval(timer));
}

/** Writes one byte in each turn of the event loop. */
export function inPieces(socket: Socket, text: string): void {
  if (text === '' || socket.destroyed) return;
  socket.write(text.slice(0, 1));
  setImmediate(inPieces, socket, text.slice(1));
}

/** A run that got no answer. */
export const noAnswer = { status: 'failed', httpStatus: null, body: null } as const;
/** The answer was refused as invalid HTTP. */
export const notHttp = {
  ...noAnswer,
  error: /^protocol: the answer is not valid HTTP\/1\.1/,
} as const;
/** The head was refused as too large. */
export const tooLarge = {
  ...noAnswer,
  error: /^protocol: the response headers are larger than 64 KiB$/,
} as const;
/** The deadline ended it before an answer came. */
export const cutOff = {
  ...noAnswer,
  hangs: 'waiting for the answer',
  error: /^timeout: no answer within 5 s, waiting for the answer$/,
} as const;
/** The deadline ended it before the request was sent. */
export const cutOffInHandshake = {
  ...noAnswer,
  hangs: 'in the TLS handshake',
  error: /^timeout: no answer within 5 s, in the TLS handshake$/,
  isRetried: true,
} as const;
/** The answer was accepted unchanged. */
export const success = { status: 'success', error: null, httpStatus: 200 } as const;
/** The status came, the body did not. */
export const brokeOff = {
  status: 'failed',
  error: /^protocol: the response body broke off$/,
  httpStatus: 200,
} as const;
/** The framing was larger than the body. */
export const framing = {
  status: 'failed',
  error: /^protocol: the chunk extensions or trailers of the body are larger than 2 KiB$/,
  httpStatus: 200,
} as const;
