/** Health checks for supervisors and load balancers, outside the API and without a key. */

import type { App } from '../../app/app.ts';
import { createReadiness } from '../../app/operator/readiness.ts';
import { JobdError } from '../../domain/errors.ts';
import { describe } from '../description/operation.ts';
import type { ApiServer } from './fastify.ts';
import { oneOf, output } from './schema.ts';

const Health = output(
  'Health',
  'That the process answers.',
  { status: 'ok' },
  { status: oneOf(['ok'], 'Always `ok`.') },
);

const Readiness = output(
  'Readiness',
  'That the server can do its work.',
  { status: 'ready' },
  { status: oneOf(['ready'], 'Always `ready`.') },
);

const operations = describe(
  { tag: 'Health checks', isExtension: true },
  {
    getHealth: {
      summary: 'Check that the process is alive',
      description: 'Answers as long as the process does, whatever its database does.',
      response: { 200: Health },
      answer: 'The process is alive.',
      isOpen: true,
      failures: { 429: null, 503: null },
    },
    getReadiness: {
      summary: 'Check that the server can do its work',
      description: 'Writes to the database, at most once a second, and looks at the scheduler.',
      response: { 200: Readiness },
      answer: 'Jobs can be called, and changes stored.',
      isOpen: true,
      failures: {
        429: null,
        503: {
          when: 'It cannot work now. The error lists the reasons.',
          example: 'not ready: the store cannot be used now: database is locked (SQLITE_BUSY)',
        },
      },
    },
  },
);

/** Adds `/healthz` (the process is alive) and `/readyz` (it can do its work). */
export function healthRoutes(server: ApiServer, app: App): void {
  const troubles = createReadiness(app);
  server.get('/healthz', operations.getHealth, () => ({ status: 'ok' as const }));
  server.get('/readyz', operations.getReadiness, async () => {
    const found = await troubles();
    if (found.length === 0) return { status: 'ready' as const };
    throw new JobdError('unavailable', `not ready: ${found.join('; ')}`);
  });
}
