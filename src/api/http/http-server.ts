/** Node's HTTP server with limits on its clients: see connection.ts, open-connections.ts and request-limits.ts. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../../base/log.ts';
import { securityHeaders } from './headers.ts';
import { answerClientErrors, refuseTunnel } from './limits/client-errors.ts';
import { closeUntaken, Connection, connectionOf, type Turn } from './limits/connection.ts';
import { createClients, type ClientsParts } from './limits/clients.ts';
import { answerExpectations, maxHeaderBytes, type ConnectionLimits } from './limits/connections.ts';
import { createOpenConnections, type OpenConnections } from './limits/open-connections.ts';
import { spentOfAddress, tooManyOfAddress, type RequestLimits } from './limits/request-limits.ts';

export interface HttpServerParts extends ClientsParts {
  limits: ConnectionLimits;
  requests: RequestLimits;
  /** Whether only a route can tell if a request counts for its address. All other requests count when they arrive. */
  isLeftToRoutes: (request: IncomingMessage) => boolean;
  log: Log;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the server. Every request goes to `handler` when its turn comes, unless its address is over the limit. */
export function createHttpServer(handler: Handler, parts: HttpServerParts): Server {
  const { limits, requests, isLeftToRoutes } = parts;
  const clients = createClients(parts);
  const open = createOpenConnections<Connection>(limits.maxConnections);
  const answer = ({ request, response, isRefused }: Turn): void => {
    if (isRefused) refuse(response);
    else handler(request, response);
  };
  const http = createServer(
    {
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: maxHeaderBytes,
      // Checked in headers.ts, which answers with `{ error }`.
      requireHostHeader: false,
    },
    (request, response) => {
      const connection = connectionOf(request.socket);
      if (connection === undefined) return;
      const client = clients.clientOf(request, connection.peer);
      const isCounted = !isLeftToRoutes(request);
      const isRefused = isCounted && !requests.admits(client.group);
      connection.add({ request, response, client, isCounted, isRefused }, performance.now());
    },
  );
  http.setTimeout(limits.idleTimeoutMs);
  http.on('connection', (socket) => {
    const place = { peer: clients.peerAt(socket.remoteAddress), now: performance.now(), open };
    const connection = new Connection(socket, place, answer);
    socket.once('close', () => open.remove(connection));
    if (!open.admit(connection)) socket.destroy();
  });
  http.on('connect', (request: IncomingMessage) => {
    const { socket } = request;
    const client = clients.clientOf(request, clients.peerAt(socket.remoteAddress));
    if (requests.admits(client.group)) refuseTunnel(socket);
    else socket.destroy();
  });
  answerExpectations(http);
  answerClientErrors(http, requests);
  watchOver(http, open, parts);
  return http;
}

/** Ends connections that do not read their answers, and logs when there were too many connections. */
function watchOver(http: Server, open: OpenConnections<Connection>, parts: HttpServerParts): void {
  const { limits, log } = parts;
  const mayLogClosed = createLogLimit();
  const mayLogError = createLogLimit();
  let loggedClosed = 0;
  const check = setInterval(() => {
    for (const connection of open.all) connection.lookAtUntaken(limits.takeTimeoutMs);
    closeUntaken(open.all, limits.maxUntakenBytes);
    const closed = open.closed - loggedClosed;
    if (closed === 0 || !mayLogClosed()) return;
    const about = { closed, open: open.all.size, most: limits.maxConnections };
    log.warn(
      about,
      'too many connections: idle ones were closed for others: raise LimitNOFILE=, or block the address',
    );
    loggedClosed = open.closed;
  }, limits.checkIntervalMs);
  check.unref();
  http.once('close', () => clearInterval(check));
  // Without a listener an error would end the process, for example if no file descriptor is free (EMFILE).
  http.on('error', (error) => {
    if (!http.listening || !mayLogError()) return;
    log.error({ err: error }, 'a connection could not be accepted');
  });
}

/** Returns a function that is true at most once a minute, for lines that could fill the log. */
function createLogLimit(): () => boolean {
  let loggedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - loggedAt < 60_000) return false;
    loggedAt = now;
    return true;
  };
}

/** Answers a request of an address over its limit as cheaply as possible. */
function refuse(response: ServerResponse): void {
  response.writeHead(tooManyOfAddress.httpStatus, refusalHeaders).end(refusal);
}

const refusal = JSON.stringify({ error: tooManyOfAddress.message });
const refusalHeaders = {
  ...securityHeaders,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(refusal)),
  'retry-after': String(tooManyOfAddress.retryAfterSeconds),
  ...spentOfAddress,
  connection: 'close',
};
