/** Answers to what is no HTTP request, or came too slowly: `{ error }` too, and the connection closes. */

import { STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { closeGently } from './closing.ts';
import { connectionOf } from './connection.ts';
import type { Connection } from './connection.ts';
import type { RequestLimits } from './request-limits.ts';
import { securityHeaders } from '../security.ts';

/** What node's parser says of a connection; `reason` is one of its own fixed phrases. */
interface ClientError extends Error {
  code?: string;
  reason?: string;
}

/** Answers what node's `clientError` says of a server: there is no request then, only a connection. */
export function answerClientErrors(http: Server, requests: RequestLimits): void {
  http.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connectionOf(socket);
    if (connection === undefined) socket.destroy();
    // It is ending already; each further packet comes here again.
    else if (connection.isOver) connection.dropPacket();
    // The client is gone; nothing is left to answer, or to count.
    else if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (!isAdmitted(connection, requests)) socket.destroy();
    else connection.endWith(() => answer(socket, error));
  });
}

/** Where a request breaks off that counted already, it does not count again. */
function isAdmitted({ arriving, addressGroup }: Connection, requests: RequestLimits): boolean {
  if (arriving?.isCounted === true) return true;
  if (arriving !== undefined) arriving.isCounted = true;
  return requests.admits(addressGroup);
}

function answer(socket: Socket, error: ClientError): void {
  const [status, sentence] = sayingOf(error);
  const text = answerText(status, sentence);
  // Who was too slow once is not waited for again.
  if (status === 408) socket.end(text, () => socket.destroy());
  else closeGently(socket, text);
}

function sayingOf({ code, reason }: ClientError): [status: number, sentence: string] {
  switch (code ?? '') {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'the request did not arrive in time, send it whole and without pauses'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'the request line and headers must be at most 16 KiB'];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'the chunk extensions must be at most 16 KiB'];
    default:
      return [400, `the request is not valid HTTP${reason ? `: ${reason}` : ''}`];
  }
}

/** A tunnel through this server (CONNECT). Node has let go of its connection and handles no error of it. */
export function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  closeGently(socket as Socket, answerText(404, 'there is nothing at CONNECT'));
}

function answerText(status: number, sentence: string): string {
  const body = JSON.stringify({ error: sentence });
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
