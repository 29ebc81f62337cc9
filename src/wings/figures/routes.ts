/** The route of the figures of a job. */

import { describe } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { whenLeft } from '../../api/http/left.ts';
import { JobPath } from '../../api/jobs/contract.ts';
import type { App } from '../../app/app.ts';
import { createTurns } from '../../app/turns.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import { rateOf } from '../../domain/runs/rate.ts';
import { JobFigures } from './contract.ts';
import { figuresOf } from './figures.ts';

const operations = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    getFigures: {
      summary: 'Get the figures of a job',
      description:
        'Counts what became of the runs of the last 1, 7 and 30 days, as far as they are kept, and says how long they took. What a window held, ' +
        'and what was due while the job was paused, counts nowhere.',
      params: JobPath,
      response: { 200: JobFigures },
      answer: 'The figures.',
    },
  },
);

/** Adds the route. */
export function figuresRoutes(server: ApiServer, app: App): void {
  const turns = createTurns();
  server.get('/jobs/:id/figures', operations.getFigures, async ({ principal, params }, answer) => {
    const read = () => figuresOf(app, principal, params.id);
    const periods = await turns(principal.workspaceId, whenLeft(answer), read);
    return {
      periods: periods.map(({ countedFrom, ...figures }) => {
        return { ...figures, rate: rateOf(figures), countedFrom: isoTimeOrNull(countedFrom) };
      }),
    };
  });
}
