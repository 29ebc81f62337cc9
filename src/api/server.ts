/** The HTTP server: the API under `/api/v1`, and what stands beside it. */

import type { App } from '../app/app.ts';
import type { Log } from '../log.ts';
import { requireKey } from './auth.ts';
import { createFastify } from './fastify.ts';
import type { ApiServer } from './fastify.ts';
import { jobRoutes } from './jobs.ts';
import { receiptKeyRoutes, receiptRoutes } from './receipts.ts';
import { runRoutes } from './runs.ts';

/** Where the version stands in every path (spec section 9). */
const apiPrefix = '/api/v1';

export interface ServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** The site URL that people reach this server by; null for the address it listens on. */
  baseUrl: string | null;
}

/** Disposing of it answers the requests under way and closes the rest. */
export interface Server extends AsyncDisposable {
  /** The address it listens on, as `http://HOST:PORT`. */
  readonly url: string;
}

/** Starts to listen. Rejects if it cannot. */
export async function startServer(app: App, options: ServerOptions, log: Log): Promise<Server> {
  const server = createFastify(log);
  let url = '';
  const apiUrl = (): string => `${options.baseUrl ?? url}${apiPrefix}`;
  server.get('/healthz', () => ({ status: 'ok' }));
  await server.register(
    async (api: ApiServer) => {
      requireKey(api, app);
      jobRoutes(api, app);
      runRoutes(api, app, apiUrl);
      receiptRoutes(api, app);
    },
    { prefix: apiPrefix },
  );
  await server.register(async (open: ApiServer) => receiptKeyRoutes(open), { prefix: apiPrefix });
  url = await server.listen({ host: options.host, port: options.port });
  return { url, [Symbol.asyncDispose]: () => server.close() };
}
