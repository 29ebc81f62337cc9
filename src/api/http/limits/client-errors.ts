/** Answers input that is not HTTP or arrives too slowly: `{ error }` as well, and the connection is closed. */

import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { closeGently } from './closing.ts';
import { connectionOf, type Connection } from './connection.ts';
import type { RequestLimits } from './request-limits.ts';
import { securityHeaders } from '../headers.ts';

/** An error of Node's parser; `reason` is one of its fixed phrases. */
interface ClientError extends Error {
  code?: string;
  reason?: string;
}

/** Handles the `clientError` events of a server. They have a connection, but no request. */
export function answerClientErrors(http: Server, requests: RequestLimits): void {
  http.on('clientError', (error: ClientError, socket: Socket) => {
    const connection = connectionOf(socket);
    const isAwaited = connection?.turn?.request.complete === false && socket.writable;
    const isLate = isAwaited && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (connection === undefined) socket.destroy();
    // The connection is ending; each further packet causes this event again. Of its last request the body may be too late.
    else if (connection.isOver && !isLate) connection.dropPacket();
    // The client is gone: there is nothing to answer or to count.
    else if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (!isAdmitted(connection, requests)) socket.destroy();
    else connection.endWith(() => answer(socket, error));
  });
}

/** If the error interrupts a request that was counted already, it is not counted again. */
function isAdmitted({ arriving, peer }: Connection, requests: RequestLimits): boolean {
  if (arriving?.isCounted === true) return true;
  if (arriving !== undefined) arriving.isCounted = true;
  return requests.admits((arriving?.client ?? peer).group);
}

function answer(socket: Socket, error: ClientError): void {
  const [status, sentence] = sayingOf(error);
  const text = answerText(status, sentence);
  // Too slow once: do not wait for the client again.
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

/** Refuses a tunnel through this server (CONNECT). Node has released its socket and does not handle its errors. */
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
