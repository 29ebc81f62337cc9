/**
 * The target of the calls, a process of its own: it answers every request with `ok` on kept connections, with or without
 * TLS, and records when the request's last byte came. It reads only as much HTTP as requests without a body need, so
 * that it costs little.
 */

import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onMessage, sendToParent, wallOffset } from './child.ts';
import { servers, type KeyKind } from './target.ts';

/** Its one argument, as JSON. */
export interface SinkOptions {
  /** How long it waits before it answers. */
  delayMs: number;
  /** Null for no TLS. */
  tls: KeyKind | null;
}

/** Each request is one element of every array of a report. */
export type SinkSent =
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

/** `begin` clears the records; `full` is sent when as many requests as expected have come since. */
export type SinkReceived = { kind: 'begin'; expected: number } | { kind: 'report' };

/** Keep-Alive is announced so that callers reuse the connections of a warm-up. */
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

const send: (message: SinkSent) => void = sendToParent;

onMessage((received) => {
  const message = received as SinkReceived;
  if (message.kind === 'report') {
    send({ kind: 'report', arrivedAt: Float64Array.from(arrivedAt), path, runId });
    return;
  }
  offset = wallOffset();
  expected = message.expected;
  arrivedAt = [];
  path = [];
  runId = [];
  send({ kind: 'begun' });
});

function note(head: string, at: number): void {
  arrivedAt.push(at);
  path.push(head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/')));
  runId.push(runIdHeader.exec(head)?.[1] ?? '');
  if (arrivedAt.length === expected) send({ kind: 'full' });
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
  // A caller may be killed while its connections are open.
  socket.on('error', () => socket.destroy());
}

const server =
  tls === null
    ? createServer({ noDelay: true }, serve)
    : createTlsServer({ noDelay: true, ...servers[tls] }, serve);
// The backlog must hold as many connections as there are slots.
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  send({ kind: 'ready', port: (server.address() as AddressInfo).port });
});
