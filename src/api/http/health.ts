/** Health checks for supervisors and load balancers, outside the API and without a key. */

import type { App } from '../../app/app.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Finding } from '../../domain/findings.ts';
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
      'What an operator should see to all the same, such as that space is short or the ledger incomplete. Empty if all is well.',
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
          example:
            'not ready since 2026-11-20T02:31:07.412Z: the database cannot be used now: database is locked (SQLITE_BUSY)',
        },
      },
    },
  },
);

/** Strangers read no more of it. */
const sentenceOf = ({ detail }: Finding): string => detail;

/** Adds `/healthz` (the process is alive) and `/readyz` (it can do its work). */
export function healthRoutes(server: ApiServer, app: App): void {
  server.get('/healthz', operations.getHealth, () => ({ status: 'ok' as const }));
  server.get('/readyz', operations.getReadiness, async () => {
    const { problems, notes, since } = await app.health.ask();
    if (since === null) return { status: 'ready' as const, notes: notes.map(sentenceOf) };
    const reasons = problems.map(sentenceOf).join('; ');
    throw new JobdError('unavailable', `not ready since ${isoTime(since)}: ${reasons}`);
  });
}
