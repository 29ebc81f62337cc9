/** Health checks for supervisors and load balancers, outside the API and without a key. */

import type { App } from '../../app/app.ts';
import { createReadiness } from '../../app/operator/readiness.ts';
import { JobdError } from '../../domain/errors.ts';
import { describe } from '../description/operation.ts';
import type { ApiServer } from './fastify.ts';
import { array, oneOf, output, text } from './schema.ts';

const Health = output(
  'Health',
  'That the process answers.',
  { status: 'ok' },
  { status: oneOf(['ok'], 'Always `ok`.') },
);

const Readiness = output(
  'Readiness',
  'That the server can do its work.',
  { status: 'ready', notes: [] },
  {
    status: oneOf(['ready'], 'Always `ready`.'),
    notes: array(
      text('A sentence.'),
      'What an operator should see to all the same: that space is short, that the ledger is incomplete, and that a database on a server lost what it had confirmed. Empty if all is well.',
    ),
  },
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
  const readiness = createReadiness(app);
  server.get('/healthz', operations.getHealth, () => ({ status: 'ok' as const }));
  server.get('/readyz', operations.getReadiness, async () => {
    const { troubles, notes } = await readiness();
    if (troubles.length === 0) return { status: 'ready' as const, notes };
    throw new JobdError('unavailable', `not ready: ${troubles.join('; ')}`);
  });
}
