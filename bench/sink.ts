/**
 * The target of the calls, a process of its own: answers every request with `ok` on kept connections,
 * with or without TLS, and notes when its last byte came. It reads just enough HTTP for requests without a body, so that
 * it costs little and is not what the figures measure.
 */

import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { servers } from './certificates.ts';
import type { KeyKind } from './certificates.ts';
import { listenToParent, sayToParent } from './child.ts';
import { wallOffset } from './wall-clock.ts';

/** How it answers; its one argument, as JSON. */
export interface SinkOptions {
  /** After this long. */
  delayMs: number;
  /** With this kind of key; null for no TLS. */
  tls: KeyKind | null;
}

/** What the sink says. Every request is one element of each array of a report. */
export type SinkSaid =
  | { kind: 'ready'; port: number }
  | { kind: 'begun' }
  | { kind: 'full' }
  | ({ kind: 'report' } & SinkReport);

export interface SinkReport {
  /** When it came, in epoch milliseconds and their fractions. */
  arrivedAt: Float64Array;
  path: string[];
  /** `X-Service-Run-Id`, or the empty string. */
  runId: string[];
}

/** `begin` forgets what came before; `full` is said when so many requests have come since. */
export type SinkTold = { kind: 'begin'; expected: number } | { kind: 'report' };

/** It promises to keep connections open: else callers would not use again those of a warming up. */
const answer =
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nkeep-alive: timeout=120\r\n\r\nok';
const endOfHead = '\r\n\r\n';
const runIdHeader = /\r\nx-service-run-id: *(\S+)/i;

const { delayMs, tls } = JSON.parse(process.argv[2] ?? '') as SinkOptions;
let offset = wallOffset();
let expected = 0;
let arrivedAt: number[] = [];
let path: string[] = [];
let runId: string[] = [];

const say: (message: SinkSaid) => void = sayToParent;

listenToParent((told) => {
  const message = told as SinkTold;
  if (message.kind === 'report') {
    say({ kind: 'report', arrivedAt: Float64Array.from(arrivedAt), path, runId });
    return;
  }
  offset = wallOffset();
  expected = message.expected;
  arrivedAt = [];
  path = [];
  runId = [];
  say({ kind: 'begun' });
});

function note(head: string, at: number): void {
  arrivedAt.push(at);
  path.push(head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/')));
  runId.push(runIdHeader.exec(head)?.[1] ?? '');
  if (arrivedAt.length === expected) say({ kind: 'full' });
}

function reply(socket: Socket): void {
  if (delayMs === 0) socket.write(answer);
  else setTimeout(() => socket.write(answer), delayMs);
}

function serve(socket: Socket): void {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    const at = offset + performance.now();
    unread += text;
    for (let end = unread.indexOf(endOfHead); end !== -1; end = unread.indexOf(endOfHead)) {
      note(unread.slice(0, end), at);
      unread = unread.slice(end + endOfHead.length);
      reply(socket);
    }
  });
  // A caller that is ended with its connections open is no concern of the sink's.
  socket.on('error', () => socket.destroy());
}

const server =
  tls === null
    ? createServer({ noDelay: true }, serve)
    : createTlsServer({ noDelay: true, ...servers[tls] }, serve);
// As many may connect at one instant as there are slots.
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  say({ kind: 'ready', port: (server.address() as AddressInfo).port });
});
