/** When nothing new may be stored, or nothing at all may be asked. */

import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/app.ts';
import { JobdError } from '../../domain/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route stores nothing, whatever its method. */
    keepsNothing?: boolean;
  }
}

const harmless = new Set(['GET', 'HEAD', 'DELETE']);

/** Refuses all requests while this process may not serve, since a newer jobd has changed the tables. */
export function refuseWhileOutdated(server: FastifyInstance, app: Pick<App, 'trouble'>): void {
  server.addHook('onRequest', (_, __, done) => {
    const trouble = app.trouble();
    return trouble === null ? done() : done(new JobdError('unavailable', trouble));
  });
}

/** Refuses what needs disk space while the disk is full: the API only reads and deletes. The reserve is for deletions and runs. */
export function refuseOnFullDisk(server: FastifyInstance, { store }: Pick<App, 'store'>): void {
  server.addHook('onRequest', (request, _, done) => {
    const isHarmless = harmless.has(request.method) || request.routeOptions.config.keepsNothing;
    const { refusal } = store.reserve;
    if (refusal === null || isHarmless) return done();
    return done(new JobdError('unavailable', refusal));
  });
}
