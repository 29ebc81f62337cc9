/** Health checks for supervisors and load balancers, outside the API and without a key. */

import type { App } from '../../app/app.ts';
import { createReadiness } from '../../app/operator/readiness.ts';
import { JobdError } from '../../domain/errors.ts';
import type { ApiServer } from './fastify.ts';

/** Adds `/healthz` (the process is alive) and `/readyz` (it can do its work). */
export function healthRoutes(server: ApiServer, app: App): void {
  const troubles = createReadiness(app);
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async () => {
    const found = await troubles();
    if (found.length === 0) return { status: 'ready' };
    throw new JobdError('unavailable', `not ready: ${found.join('; ')}`);
  });
}
