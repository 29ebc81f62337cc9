/** A misbehaviour of a target, what must come of it, and what the rows of the tables have in common. */
import type { Socket } from 'node:net';
import type { Behaviour } from '../support.ts';

/** One misbehaviour. */
export interface HostileTarget {
  /** Completes "a target that …". */
  does: string;
  /** What it does with each request; nothing if left out. */
  behave?: Behaviour;
  /** What it does with each connection before it reads. */
  greet?: (socket: Socket) => void;
  /** Called by https: it speaks TLS with a good certificate, or leaves that to `greet`. */
  https?: 'tls' | 'raw';
  method?: 'HEAD';
  /** Short where the deadline is what ends it. */
  timeoutMs?: number;
  status: 'success' | 'failed';
  error: RegExp | null;
  httpStatus: number | null;
  /** The preview kept; not looked at if left out. */
  body?: string | null;
  truncated?: boolean;
  /** Whether the job's one retry follows. */
  isRetried?: boolean;
  /** Requests it reads, if not one each attempt. */
  requests?: { atMost: number };
}

/** How a good answer begins, without and with chunks. */
export const ok = 'HTTP/1.1 200 OK\r\n';
export const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

/** Writes for as long as somebody reads. */
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

/** What a run is that got no answer. */
export const noAnswer = { status: 'failed', httpStatus: null, body: null } as const;
/** The answer was refused as no HTTP. */
export const notHttp = {
  ...noAnswer,
  error: /^protocol: the answer is not valid HTTP\/1\.1/,
} as const;
/** The head was refused as too large. */
export const tooLarge = {
  ...noAnswer,
  error: /^protocol: the response headers are larger than 16 KiB$/,
} as const;
/** The deadline ended it before an answer came. */
export const cutOff = {
  ...noAnswer,
  timeoutMs: 400,
  error: /^timeout: no answer within 0\.4 s/,
} as const;
/** The answer was taken as it is. */
export const success = { status: 'success', error: null, httpStatus: 200 } as const;
/** The status came, the body did not. */
export const brokeOff = {
  status: 'failed',
  error: /^protocol: the response body broke off$/,
  httpStatus: 200,
} as const;
/** There was more around the body than body. */
export const framing = {
  status: 'failed',
  error: /^protocol: the chunk extensions or trailers of the body are larger than 2 KiB$/,
  httpStatus: 200,
} as const;
