/**
 * `SITE/ping/ID`, where tasks say how they are: outside the API, without a key. The id is the secret, so
 * it is in no log, and every unknown id gets one and the same answer.
 */

import type { FastifyRequest } from 'fastify';
import type { App } from '../../app/app.ts';
import { createPingKeeper, findPingedMonitor } from '../../app/monitors/pings.ts';
import { got, JobdError } from '../../domain/errors.ts';
import { pingSignal } from '../../domain/monitors/ping.ts';
import type { PingMethod, PingSignal } from '../../domain/monitors/ping.ts';
import type { Log } from '../../log.ts';
import { connectionOf } from '../http/limits/connection.ts';
import { acceptAnyBody } from '../http/limits/preview-body.ts';
import type { BodyPreview } from '../http/limits/preview-body.ts';
import type { RequestLimits } from '../http/limits/request-limits.ts';
import type { ApiServer } from '../http/fastify.ts';
import { createFlipLog } from './flip-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a ping's URL says, on routes of pings. */
    pinged: { monitorId: string; signal: PingSignal };
  }
}

/** Adds the routes. What is no monitor's counts as any error does (errors.ts); a ping never counts. */
export function pingRoutes(server: ApiServer, app: App, limits: RequestLimits, log: Log): void {
  const logFlip = createFlipLog(log, () => app.clock.monotonicMs());
  const keep = createPingKeeper(app, (flips) => {
    if (flips.length > 0) app.wakeNotifier();
    for (const flip of flips) logFlip(flip);
  });
  acceptAnyBody(server);
  server.decorateRequest('pinged');

  // Before a body is read: whoever does not know an id cannot send one.
  server.addHook('onRequest', async (request) => {
    const { pingId = '', signal: words } = request.params as { pingId?: string; signal?: string };
    const monitorId = await findPingedMonitor(app, pingId);
    if (monitorId === undefined) throw unknown();
    const signal = pingSignal(words);
    if (signal === null) throw badSignal(words ?? '');
    limits.countElsewhere(request.raw);
    connectionOf(request.socket)?.trust();
    request.pinged = { monitorId, signal };
  });

  for (const url of ['/ping/:pingId', '/ping/:pingId/:signal']) {
    server.route({
      method: ['GET', 'HEAD', 'POST'],
      url,
      handler: async (request) => {
        const { monitorId, signal } = request.pinged;
        const method = request.method as PingMethod;
        if (await keep({ monitorId, ...signal, method, ...bodyOf(request) })) return { ok: true };
        throw unknown();
      },
    });
  }
}

function bodyOf({ body }: FastifyRequest): { body: string | null; truncated: boolean } {
  const preview = body as BodyPreview | undefined;
  if (preview === undefined || preview.text === '') return { body: null, truncated: false };
  return { body: preview.text, truncated: preview.truncated };
}

function unknown(): JobdError {
  return new JobdError('not_found', 'there is no monitor at this URL');
}

/** Said only to those who know an id. */
function badSignal(words: string): JobdError {
  const rule = 'after the ping id may follow start, fail or an exit code from 0 to 255';
  return new JobdError('not_found', `${rule}, ${got(words)}`);
}
