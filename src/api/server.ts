/** The HTTP server: the API under `/api/v1`, and what stands beside it. */

import type { IncomingMessage } from 'node:http';
import type { App } from '../app/app.ts';
import { listenError } from '../domain/errors.ts';
import type { Log } from '../log.ts';
import { identify, requireKey } from './http/auth.ts';
import { channelRoutes } from './alerts/channels.ts';
import type { ConnectionLimits } from './http/limits/connections.ts';
import { allowOrigins } from './http/cors.ts';
import { createRequestLimits } from './http/limits/request-limits.ts';
import { answerUnknownPath } from './http/errors.ts';
import { refuseOnFullDisk } from './http/disk-full.ts';
import { createFastify } from './http/fastify.ts';
import type { ApiServer } from './http/fastify.ts';
import { docsRoutes } from './docs/docs.ts';
import { healthRoutes } from './http/health.ts';
import { jobRoutes } from './jobs/jobs.ts';
import { latenessRoutes } from './runs/lateness.ts';
import { managedJobRoutes } from './jobs/managed-jobs.ts';
import { meRoutes } from './accounts/me.ts';
import { monitorRoutes } from './monitors/monitors.ts';
import { pingRoutes } from './monitors/pings.ts';
import { describeRoutes, openApiRoutes } from './description/openapi.ts';
import { receiptKeyRoutes, receiptRoutes, verifyScriptRoute } from './receipts/receipts.ts';
import { runRoutes } from './runs/runs.ts';
import { scheduleRoutes } from './jobs/schedule.ts';

/** Where the version stands in every path (docs/behavior.md#api-1). */
const apiPrefix = '/api/v1';
/** An update may wait 5 s for a call in flight; a stop leaves it this much to be answered. */
const longestCloseMs = 6_000;

export interface ServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** The site URL that people reach this server by; null for the address it listens on. */
  baseUrl: string | null;
  /** Origins whose pages may ask the API from a browser. */
  corsOrigins: readonly string[];
  /** Other limits than the default ones. */
  connections?: Partial<ConnectionLimits>;
}

/** Disposing of it answers the requests under way and closes the rest. */
export interface Server extends AsyncDisposable {
  /** The address it listens on, as `http://HOST:PORT`. */
  readonly url: string;
}

/** Starts to listen. Rejects if it cannot. */
export async function startServer(app: App, options: ServerOptions, log: Log): Promise<Server> {
  const limits = createRequestLimits(app.clock);
  const server = createFastify({
    log,
    requests: limits,
    isLeftToRoutes,
    ...(options.connections !== undefined && { limits: options.connections }),
  });
  let url = '';
  const siteUrl = (): string => options.baseUrl ?? url;
  const apiUrl = (): string => `${siteUrl()}${apiPrefix}`;
  healthRoutes(server, app);
  verifyScriptRoute(server, app);
  await server.register(async (pings: ApiServer) => pingRoutes(pings, app, limits, log));
  const description = describeRoutes(server, apiPrefix, apiUrl);
  docsRoutes(server, description);
  await server.register(
    async (api: ApiServer) => {
      allowOrigins(api, options.corsOrigins);
      identify(api, app, limits);
      // Stated here too, so that unknown paths under the prefix are counted.
      api.setNotFoundHandler(answerUnknownPath(limits));
      receiptKeyRoutes(api, app);
      openApiRoutes(api, description);
      await api.register(async (keyed: ApiServer) => {
        requireKey(keyed);
        refuseOnFullDisk(keyed, app);
        jobRoutes(keyed, app);
        managedJobRoutes(keyed, app, limits);
        runRoutes(keyed, app, apiUrl);
        receiptRoutes(keyed, app);
        scheduleRoutes(keyed, app);
        meRoutes(keyed, app);
        latenessRoutes(keyed, app);
        monitorRoutes(keyed, app, siteUrl);
        channelRoutes(keyed, app);
      });
    },
    { prefix: apiPrefix },
  );
  const { host, port } = options;
  try {
    url = await server.listen({ host, port });
  } catch (error) {
    throw listenError(error, options, { host: '--host', port: '--port' });
  }
  return { url, [Symbol.asyncDispose]: () => closeServer(server) };
}

/**
 * Requests that may have a valid key, or be a ping of a monitor: what finds out counts those that are not. Checks of health
 * never count. All others count before anything is done for them. Clients may name the whole URL (RFC 9112 section 3.2.2).
 */
function isLeftToRoutes({ url = '', method, headers }: IncomingMessage): boolean {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/.*?\//, '/');
  if (path.startsWith(`${apiPrefix}/`)) {
    return headers.authorization !== undefined || method === 'OPTIONS';
  }
  return ['/ping/', '/healthz', '/readyz'].some((start) => path.startsWith(start));
}

/** Answers what is under way; clients that are not done with asking by then are cut off. */
async function closeServer(server: ApiServer): Promise<void> {
  const cutOff = setTimeout(() => server.server.closeAllConnections(), longestCloseMs);
  try {
    await server.close();
  } finally {
    clearTimeout(cutOff);
  }
}
