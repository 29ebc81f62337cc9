/** The HTTP server: the API under `/api/v1`, the pages in the browser, the reference page, pings, reports and health checks. */

import type { IncomingMessage } from 'node:http';
import type { App } from '../app/app.ts';
import { listenError } from '../domain/errors.ts';
import type { Block } from '../domain/targets/address.ts';
import type { Log } from '../base/log.ts';
import { identify, requireAsker } from '../api/http/auth.ts';
import { sessionCookie, type SessionCookie } from '../api/http/cookie.ts';
import { callKeyRoutes } from '../api/proof/call-key-routes.ts';
import { channelRoutes } from '../api/alerts/routes.ts';
import { eventRoutes } from '../api/events/routes.ts';
import type { ConnectionLimits } from '../api/http/limits/connections.ts';
import { allowOrigins } from '../api/http/cors.ts';
import { createRequestLimits } from '../api/http/limits/request-limits.ts';
import { answerUnknownPath } from '../api/http/errors.ts';
import { locateAnswers } from '../api/http/location.ts';
import { refuseOnFullDisk, refuseWhileOutdated } from '../api/http/refusals.ts';
import { createFastify, type ApiServer } from '../api/http/fastify.ts';
import { docsRoutes } from '../api/docs/docs.ts';
import { healthRoutes } from '../api/http/health.ts';
import { jobExtensionRoutes } from '../api/jobs/extension-routes.ts';
import { jobRoutes } from '../api/jobs/routes.ts';
import { auditRoutes } from '../api/accounts/audit-routes.ts';
import { accountRoutes } from '../api/accounts/routes.ts';
import { keyRoutes } from '../api/accounts/key-routes.ts';
import { sessionRoutes, signInRoute } from '../api/accounts/session-routes.ts';
import { monitorRoutes } from '../api/monitors/routes.ts';
import { overviewRoutes } from '../api/overview/routes.ts';
import { pingRoutes } from '../api/monitors/pings.ts';
import { describeRoutes, openApiRoutes } from '../api/description/openapi.ts';
import { receiptKeyRoutes, receiptRoutes, verifyScriptRoute } from '../api/proof/routes.ts';
import { createAssets } from '../api/page/assets.ts';
import { pageRoutes, unknownPage } from '../api/page/routes.ts';
import { reportRunRoutes } from '../api/runs/report-run-routes.ts';
import { reportRoutes } from '../api/runs/reports.ts';
import { historyRoutes } from '../api/runs/history-routes.ts';
import { runRoutes } from '../api/runs/routes.ts';
import type { ApiParts } from './house.ts';
import { addedByWings } from './wings.ts';
import { scheduleRoutes } from '../api/schedule/routes.ts';
import { recordUntrustedProxy } from '../store/accounts/instance.ts';

/** Every path of the API contains its version (docs/behavior.md#api-1). */
const apiPrefix = '/api/v1';
/** Below these the URL itself is the key: pings of tasks, and reports of targets. */
const openPaths = ['/ping/', '/report/'];
/** How long a stop waits for answers. An update may wait 5 s for a call in flight. */
const longestCloseMs = 6_000;

export interface ServerOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** The public URL of the site; null for the address it listens on. */
  baseUrl: string | null;
  /** Origins whose web pages may use the API. */
  corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-For says who asks. */
  trustedProxies?: readonly Block[];
  connections?: Partial<ConnectionLimits>;
}

/** Disposing of it answers the current requests and closes all connections. */
export interface Server extends AsyncDisposable {
  /** The address it listens on, as `http://HOST:PORT`. */
  readonly url: string;
}

/** Starts the server. Rejects if it cannot listen. */
export async function startServer(app: App, options: ServerOptions, log: Log): Promise<Server> {
  const ofWings = await Promise.all(addedByWings.operations.map((load) => load()));
  const limits = createRequestLimits(app);
  const cookie = sessionCookie(app.instance.id, options.baseUrl);
  const assets = createAssets(app);
  const server = createFastify({
    log,
    requests: limits,
    unknownPage: unknownPage(assets),
    isLeftToRoutes: (request) => isLeftToRoutes(request, cookie),
    clients: {
      trustedProxies: options.trustedProxies ?? [],
      onUntrustedProxy: (address) => tellUntrustedProxy(app, log, address),
    },
    ...(options.connections !== undefined && { limits: options.connections }),
  });
  let url = '';
  const siteUrl = (): string => options.baseUrl ?? url;
  const apiUrl = (): string => `${siteUrl()}${apiPrefix}`;
  const description = describeRoutes(server, {
    prefix: apiPrefix,
    siteUrl,
    cookieName: cookie.name,
  });
  healthRoutes(server, app);
  callKeyRoutes(server, app, siteUrl);
  verifyScriptRoute(server, app);
  pageRoutes(server, assets);
  await server.register(async (pings: ApiServer) => pingRoutes(pings, app, limits, log));
  await server.register(async (reports: ApiServer) => reportRoutes(reports, app, limits));
  for (const load of addedByWings.open) {
    const add = await load();
    await server.register(async (open: ApiServer) => add(open, app, { limits, siteUrl }));
  }
  docsRoutes(server, app, description);
  await server.register(
    async (api: ApiServer) => {
      allowOrigins(api, options.corsOrigins);
      locateAnswers(api, apiUrl);
      identify(api, app, { limits, cookie });
      // Set here too, so that unknown paths under the prefix are counted.
      api.setNotFoundHandler(answerUnknownPath(limits));
      receiptKeyRoutes(api, app);
      openApiRoutes(api, description);
      signInRoute(api, app, { limits, cookie });
      await api.register(async (keyed: ApiServer) => {
        keyedRoutes(keyed, app, { cookie, limits, siteUrl, apiUrl });
        for (const add of ofWings) add(keyed, app, { limits, siteUrl });
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

function keyedRoutes(
  server: ApiServer,
  app: App,
  { cookie, limits, siteUrl, apiUrl }: ApiParts & { cookie: SessionCookie; apiUrl: () => string },
): void {
  requireAsker(server);
  refuseWhileOutdated(server, app);
  refuseOnFullDisk(server, app);
  jobRoutes(server, app);
  jobExtensionRoutes(server, app, limits);
  scheduleRoutes(server, app);
  runRoutes(server, app, apiUrl);
  reportRunRoutes(server, app);
  historyRoutes(server, app);
  receiptRoutes(server, app);
  overviewRoutes(server, app);
  accountRoutes(server, app);
  auditRoutes(server, app);
  sessionRoutes(server, app, { cookie });
  keyRoutes(server, app);
  monitorRoutes(server, app, siteUrl);
  channelRoutes(server, app);
  eventRoutes(server, app);
}

/**
 * Whether a route decides if a request counts for its address: requests with a key or a cookie, pings, reports, and what never
 * counts (docs/behavior.md#limit-1), which is health checks and documents. All others count before anything is done for them. If
 * there is no such document, that counts too.
 */
function isLeftToRoutes(request: IncomingMessage, cookie: SessionCookie): boolean {
  const { method, headers } = request;
  const path = pathOf(request);
  const isRead = method === 'GET' || method === 'HEAD';
  if (path.startsWith(`${apiPrefix}/`)) {
    const mayHaveAsker =
      headers.authorization !== undefined || cookie.read(headers.cookie) !== undefined;
    const isDescription = isRead && path.split('?', 1)[0] === `${apiPrefix}/openapi.json`;
    return mayHaveAsker || method === 'OPTIONS' || isDescription;
  }
  return isRead || openPaths.some((start) => path.startsWith(start));
}

/** Once, in the log and for `jobd doctor`, which can live without it. */
function tellUntrustedProxy(app: App, log: Log, proxy: string): void {
  log.warn(
    { proxy },
    'requests come through a proxy that is not trusted, so all its clients share the limits of one address: set --trusted-proxy (JOBD_TRUSTED_PROXY)',
  );
  void recordUntrustedProxy(app.store, proxy).catch(() => {});
}

/** Clients may send the whole URL (RFC 9112 section 3.2.2), and spell letters as `%63`: routes take both. */
function pathOf({ url = '' }: IncomingMessage): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/.*?\//, '/');
  return path.replaceAll(/%[2-7][0-9a-f]/gi, (letter) => decodeURIComponent(letter));
}

/** Answers current requests. Connections that are still open after `longestCloseMs` are cut off. */
async function closeServer(server: ApiServer): Promise<void> {
  const cutOff = setTimeout(() => server.server.closeAllConnections(), longestCloseMs);
  try {
    await server.close();
  } finally {
    clearTimeout(cutOff);
  }
}
