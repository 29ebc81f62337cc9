/** Answers to what is no HTTP request, or came too slowly: `{ error }` too, and the connection closes. */

import { STATUS_CODES } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { closeGently, createPatience } from './closing.ts';
import { securityHeaders } from './security.ts';

/** What node's parser says of a connection; `reason` is one of its own fixed phrases. */
interface ClientError extends Error {
  code?: string;
  reason?: string;
}

export interface ClientErrors {
  /** Remembers which answer of a connection is the latest. */
  watch(http: Server): void;
  /** Handles node's `clientError`: there is no request then, only a connection. */
  readonly handle: (error: ClientError, socket: Socket) => void;
}

/** Makes the handler of one server. */
export function createClientErrors(): ClientErrors {
  const latest = new WeakMap<Socket, ServerResponse>();
  const told = new WeakMap<Socket, () => boolean>();
  return {
    watch(http) {
      http.prependListener('request', (request, response) => latest.set(request.socket, response));
    },
    handle(error, socket) {
      const isPatient = told.get(socket);
      if (isPatient !== undefined) {
        // The broken connection is told so already; each further packet comes here again.
        if (!isPatient()) socket.destroy();
        return;
      }
      told.set(socket, createPatience(socket));
      const response = latest.get(socket);
      if (response === undefined) answer(socket, error);
      else if (!response.req.complete) {
        // The latest request is the broken one; it may have its answer already.
        if (response.headersSent) socket.destroySoon();
        else answer(socket, error);
      } else if (response.writableFinished) answer(socket, error);
      // Several requests may come at once: those before the broken one are answered first.
      else response.once('close', () => answer(socket, error));
    },
  };
}

function answer(socket: Socket, error: ClientError): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
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
