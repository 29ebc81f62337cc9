/**
 * What one client may take of the server: time, bytes, connections. The scheduler lives in the same
 * process, so a client that is slow, greedy or broken must not be able to hold it up.
 */

import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { closeAfterAnswer } from './closing.ts';

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** From the first byte, or from the connection on, to the end of the headers. */
  headersTimeoutMs: number;
  /** To the end of the whole request. */
  requestTimeoutMs: number;
  /** Between two requests; longer than proxies keep theirs (60 s), so that they are the ones to close. */
  keepAliveTimeoutMs: number;
  /** Without a byte in either direction: a client that does not read its answer. */
  idleTimeoutMs: number;
  /** From when an answer is sent until the client has taken it, however slowly. */
  takeTimeoutMs: number;
  /** How often slow requests are looked for: they may take so much longer. */
  checkIntervalMs: number;
  /** For each further one another is closed: open-connections.ts has the order. */
  maxConnections: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  idleTimeoutMs: 60_000,
  takeTimeoutMs: 120_000,
  checkIntervalMs: 1_000,
  maxConnections: 2_000,
};

/** Request line and headers together. */
export const maxHeaderBytes = 16 * 1024;

/** HTTP bodies over this are refused; the largest valid one is a job with a body of 32 KiB. */
export const maxBodyBytes = 256 * 1024;

/** Closes the connection of a request that is answered before all of a large body has come. */
export function answerLargeBodies(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && isPerhapsLarge(request.raw)) {
      reply.header('connection', 'close');
      closeAfterAnswer(request.raw);
    }
    done(null, payload);
  });
}

/** RFC 9110 section 10.1.1: a body is asked for only if it may be read, other expectations count for nothing. */
export function answerExpectations(http: Server): void {
  http.on('checkContinue', (request, response) => {
    if (declaredBytes(request) <= maxBodyBytes) response.writeContinue();
    http.emit('request', request, response);
  });
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
}

/** Bodies that are declared as small ones are read to their end, and the connection is kept. */
function isPerhapsLarge(request: IncomingMessage): boolean {
  return 'transfer-encoding' in request.headers || declaredBytes(request) > maxBodyBytes;
}

function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}
