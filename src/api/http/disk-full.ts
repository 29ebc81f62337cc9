/** On a full disk people can only read and delete: the reserve is for what makes room, and for runs. */

import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/app.ts';
import { JobdError } from '../../domain/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route keeps nothing, whatever its method. */
    keepsNothing?: boolean;
  }
}

const harmless = new Set(['GET', 'HEAD', 'DELETE']);

/** Refuses what would need room while there is none. */
export function refuseOnFullDisk(server: FastifyInstance, { store }: Pick<App, 'store'>): void {
  server.addHook('onRequest', (request, _, done) => {
    const isHarmless = harmless.has(request.method) || request.routeOptions.config.keepsNothing;
    const { refusal } = store.reserve;
    if (refusal === null || isHarmless) return done();
    return done(new JobdError('unavailable', refusal));
  });
}
