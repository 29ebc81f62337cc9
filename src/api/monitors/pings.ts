/**
 * `SITE/ping/ID`: tasks report here, outside the API and without a key. The id is a secret, so it never gets into the log, and
 * all unknown ids get the same answer.
 */

import type { FastifyRequest } from 'fastify';
import type { DaemonApp, MonitorsApp } from '../../app/app.ts';
import { workspaceLabel } from '../../app/accounts/workspace-label.ts';
import { createPingKeeper, findPingedMonitor } from '../../app/monitors/pings.ts';
import { got, JobdError } from '../../domain/errors.ts';
import { loggedChange } from '../../domain/monitors/logged-change.ts';
import { pingSignal, type PingMethod, type PingSignal } from '../../domain/monitors/ping.ts';
import type { Log } from '../../base/log.ts';
import { acceptAnyBody, type BodyPreview } from '../http/body.ts';
import type { ApiServer } from '../http/fastify.ts';
import { refuseWhileOutdated } from '../http/refusals.ts';
import { continueLarge } from '../http/limits/connections.ts';
import { connectionOf } from '../http/limits/connection.ts';
import type { RequestLimits } from '../http/limits/request-limits.ts';
import type { Ok } from '../http/contract.ts';
import { createHealthLog, type WriteChange } from './health-log.ts';
import { operations } from './ping-contract.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The content of a ping's URL, on routes of pings. */
    pinged: { monitorId: string; signal: PingSignal };
  }
}

/** Adds the routes. Unknown ids count for the address like other errors (errors.ts); pings never count. */
export function pingRoutes(
  server: ApiServer,
  app: MonitorsApp & Pick<DaemonApp, 'trouble'>,
  limits: RequestLimits,
  log: Log,
): void {
  const healthLog = createHealthLog(writeChange, app.clock);
  server.addHook('onClose', async () => await healthLog[Symbol.asyncDispose]());
  const keep = createPingKeeper(app, (changes) => {
    if (changes.length > 0) app.wake('notify');
    for (const change of changes) healthLog.add(change);
  });
  async function writeChange(...[change, { changed, isLate }]: Parameters<WriteChange>) {
    const workspace = await workspaceLabel(app, change.monitor.workspaceId);
    const { level, fields } = loggedChange(change, workspace, { isLate });
    log[level]({ ...fields, ...(changed > 1 && { changed }) }, 'monitor changed');
  }
  acceptAnyBody(server);
  server.decorateRequest('pinged');

  refuseWhileOutdated(server, app);
  // Before the body is read: without a known id nobody can send one.
  server.addHook('onRequest', async (request, reply) => {
    const { pingId = '', signal: words } = request.params as { pingId?: string; signal?: string };
    const monitorId = await findPingedMonitor(app, pingId);
    if (monitorId === undefined) throw unknown();
    // A slash at the end of the URL adds nothing.
    const signal = pingSignal(words === '' ? undefined : words);
    if (signal === null) throw badSignal(words ?? '');
    limits.countElsewhere(request.raw);
    connectionOf(request.socket)?.trust();
    request.pinged = { monitorId, signal };
    continueLarge(request.raw, reply.raw);
  });

  const handler = async (request: FastifyRequest): Promise<Ok> => {
    const { monitorId, signal } = request.pinged;
    const method = request.method as PingMethod;
    if (await keep({ monitorId, ...signal, method, ...bodyOf(request) })) return { ok: true };
    throw unknown();
  };
  const [url, signalUrl] = ['/ping/:pingId', '/ping/:pingId/:signal'] as const;
  server.route({ method: 'GET', url, ...operations.ping, handler });
  server.route({ method: 'POST', url, ...operations.pingWithText, handler });
  server.route({ method: 'GET', url: signalUrl, ...operations.pingSignal, handler });
  server.route({ method: 'POST', url: signalUrl, ...operations.pingSignalWithText, handler });
  // What other tools send counts, too, and is not described.
  for (const one of [url, signalUrl]) server.route({ method: ['PUT', 'PATCH'], url: one, handler });
  server.route({ method: ['GET', 'POST', 'PUT', 'PATCH'], url: `${signalUrl}/`, handler });
}

function bodyOf({ body }: FastifyRequest): { body: string | null; truncated: boolean } {
  const preview = body as BodyPreview | undefined;
  if (preview === undefined || preview.text === '') return { body: null, truncated: false };
  return { body: preview.text, truncated: preview.truncated };
}

function unknown(): JobdError {
  return new JobdError('not_found', 'there is no monitor at this URL');
}

/** Only a client that knows an id gets this answer. */
function badSignal(words: string): JobdError {
  const rule = 'after the ping id may follow start, fail or an exit code from 0 to 255';
  return new JobdError('not_found', `${rule}, ${got(words)}`);
}
