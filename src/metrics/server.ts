/** Serves metrics. It is a server of its own, so that the public API cannot show them by mistake. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isLoopback, isThisMachine } from '../domain/client-address.ts';
import { listenError } from '../domain/errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from './metrics.ts';

export interface ListenAddress {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

/** Disposing of it stops it. */
export interface MetricsServer extends AsyncDisposable {
  /** As `http://HOST:PORT/metrics`. */
  readonly url: string;
}

/** How long a request may take to arrive. */
const requestTimeoutMs = 10_000;

/** Few clients read metrics, and open files are needed for calls. */
const maxConnections = 16;

/** Starts to listen. Rejects if that is not possible. */
export async function startMetricsServer(
  { host, port }: ListenAddress,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  log: Log,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    if (!isMeant(request)) {
      return answer(response, 403, 'text/plain', 'the Host header must name this machine\n');
    }
    if (request.method !== 'GET' || request.url !== '/metrics') {
      return answer(response, 404, 'text/plain', 'only GET /metrics is served here\n');
    }
    metrics.text().then(
      (text) => answer(response, 200, metrics.contentType, text),
      (error: unknown) => {
        log.error({ err: error }, 'metrics could not be written');
        answer(response, 500, 'text/plain', 'metrics could not be written, see the log\n');
      },
    );
  });
  server.maxConnections = maxConnections;
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, { host, port }, { host: '--metrics', port: '--metrics' });
  }
  return {
    url: `http://${authorityOf(server)}/metrics`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Whether a request over the loopback interface means this machine. A page that a browser shows can ask there under a name of
 * its own, which leads here too (DNS rebinding). Elsewhere names of networks are as good as any.
 */
function isMeant({ headers, socket }: IncomingMessage): boolean {
  if (!isLoopback(socket.localAddress ?? '')) return true;
  const [, name = ''] = /^(.*?)(?::\d{1,5})?$/.exec(headers.host?.toLowerCase() ?? '') ?? [];
  return isThisMachine(name);
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(text);
}

function authorityOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const { family, address: ip, port } = address;
  return family === 'IPv6' ? `[${ip}]:${port}` : `${ip}:${port}`;
}
