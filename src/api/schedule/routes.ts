import type { Ground } from '../../app/app.ts';
import { isoTime } from '../../domain/clock.ts';
import { previewSchedule } from '../../domain/schedule/preview-input.ts';
import { badPeriod, describe } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { SchedulePreview, SchedulePreviewInput } from './contract.ts';

const operations = describe(
  { tag: 'Schedules', isExtension: true },
  {
    previewSchedule: {
      summary: 'Preview a schedule',
      description:
        'Returns the next due times of a job created at `from` with this schedule, and the effects of daylight saving on them. ' +
        'Rules and defaults are those of jobs, except plan limits. Nothing is stored, but like every request other than GET ' +
        'it needs a key with `write`.',
      body: SchedulePreviewInput,
      response: { 200: SchedulePreview },
      answer: 'The due times, and notes on them.',
      failures: { 400: badPeriod },
    },
  },
);

/** Adds the route. */
export function scheduleRoutes(server: ApiServer, { clock }: Pick<Ground, 'clock'>): void {
  const options = { config: { keepsNothing: true }, ...operations.previewSchedule };
  server.post('/schedule/preview', options, async ({ body }) => {
    const { words, next, notes } = previewSchedule(body, clock.now());
    return { words, next: next.map(isoTime), notes };
  });
}
