/** On a full disk the API only reads and deletes. The reserve is kept for deletions and for runs. */

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

/** Refuses requests that need disk space while the disk is full. */
export function refuseOnFullDisk(server: FastifyInstance, { store }: Pick<App, 'store'>): void {
  server.addHook('onRequest', (request, _, done) => {
    const isHarmless = harmless.has(request.method) || request.routeOptions.config.keepsNothing;
    const { refusal } = store.reserve;
    if (refusal === null || isHarmless) return done();
    return done(new JobdError('unavailable', refusal));
  });
}
