/** The route that shows when a schedule is due, before a job has it: an extension. */

import type { App } from '../../app/app.ts';
import { previewSchedule } from '../../domain/schedule/preview-input.ts';
import { badPeriod, readOnly, tooLarge } from '../description/operation.ts';
import type { OperationNotes } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { SchedulePreview, SchedulePreviewInput } from './schedule-contract.ts';
import { previewShape } from '../shape.ts';

const notes: OperationNotes = {
  operationId: 'previewSchedule',
  tag: 'Schedules',
  summary: 'Preview a schedule',
  description:
    'The next due times of a job that would be created at `from` with this schedule, and what changes of the clocks do to ' +
    'them. Rules and defaults are those of a job, plan limits aside: what is refused here is refused there. Nothing is kept; the key needs ' +
    '`write` all the same, as for everything that is not a GET.',
  answer: 'The due times, and notes on them.',
  failures: { 400: badPeriod, 403: readOnly, 413: tooLarge },
  isExtension: true,
};

/** Adds the route. */
export function scheduleRoutes(server: ApiServer, { clock }: Pick<App, 'clock'>): void {
  server.route({
    method: 'POST',
    url: '/schedule/preview',
    config: { keepsNothing: true },
    schema: {
      body: SchedulePreviewInput,
      response: { 200: SchedulePreview },
      operation: notes,
    },
    handler: async ({ body }) => previewShape(previewSchedule(body, clock.now())),
  });
}
