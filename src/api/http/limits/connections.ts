/** How much time, bytes and connections clients may use: the scheduler runs in the same process, and no client may delay it. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { closeAfterAnswer } from './closing.ts';

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** From the first byte of a request, or from the connection, to the end of the headers. */
  headersTimeoutMs: number;
  /** To the end of the whole request. */
  requestTimeoutMs: number;
  /** Between two requests. Longer than the usual 60 s of proxies, so that the proxy closes first. */
  keepAliveTimeoutMs: number;
  /** Without a byte in either direction, as when a client does not read its answer. */
  idleTimeoutMs: number;
  /** From sending an answer until the client has read it, however slowly. */
  takeTimeoutMs: number;
  /** How many bytes of answers may wait for clients, in all. */
  maxUntakenBytes: number;
  /** How often the limits are checked. A client can exceed them by this much. */
  checkIntervalMs: number;
  /** Each further connection closes another: see open-connections.ts. */
  maxConnections: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  idleTimeoutMs: 60_000,
  takeTimeoutMs: 120_000,
  maxUntakenBytes: 64 * 1024 * 1024,
  checkIntervalMs: 1_000,
  maxConnections: 2_000,
};

/** Request line and headers together. */
export const maxHeaderBytes = 16 * 1024;

/** The largest HTTP body. The largest valid one is a job with a body of 32 KiB. */
export const maxBodyBytes = 256 * 1024;
/** Without a key: the largest valid one is a report whose 1,000 characters are all escaped. */
export const maxOpenBodyBytes = 16 * 1024;

/** Closes the connection of a request that is answered before its large body has arrived. */
export function answerLargeBodies(server: FastifyInstance): void {
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    // A body that is declared as small is read to its end, and the connection stays open.
    if (!raw.complete && mayExceed(maxBodyBytes, raw)) {
      reply.header('connection', 'close');
      closeAfterAnswer(raw);
    }
    done(null, payload);
  });
}

/** Asks for a body only if it is small enough (RFC 9110 section 10.1.1). Other expectations are ignored. */
export function answerExpectations(http: Server): void {
  http.on('checkContinue', (request, response) => {
    if (declaredBytes(request) <= maxBodyBytes) response.writeContinue();
    http.emit('request', request, response);
  });
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
}

/** Asks for a body that is larger than others may be, on a route that reads it nevertheless. */
export function continueLarge(request: IncomingMessage, response: ServerResponse): void {
  const isExpected = request.headers.expect?.toLowerCase() === '100-continue';
  if (isExpected && declaredBytes(request) > maxBodyBytes) response.writeContinue();
}

/** Whether the body of a request has more bytes than these, or does not say how many. */
export function mayExceed(bytes: number, request: IncomingMessage): boolean {
  return 'transfer-encoding' in request.headers || declaredBytes(request) > bytes;
}

function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}
