/** The route that tells how punctual the scheduler is: an extension. */

import { Type } from 'typebox';
import type { App } from '../../app/app.ts';
import type { OperationNotes } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { integer, nullable } from '../http/schema.ts';

const Lateness = Type.Object(
  {
    windowSeconds: integer('How far back is looked, in seconds.'),
    p50Ms: nullable(integer('The median, in milliseconds.')),
    p99Ms: nullable(integer('The 99th percentile, in milliseconds.')),
    maxMs: nullable(integer('The latest, in milliseconds.')),
  },
  {
    title: 'Lateness',
    description:
      'For runs that ended in the last hour: how long after their due time they began, to two significant digits. All ' +
      'null if none ended in it since the start of the server.',
    examples: [{ windowSeconds: 3600, p50Ms: 3, p99Ms: 21, maxMs: 34 }],
  },
);

const notes: OperationNotes = {
  operationId: 'getLateness',
  tag: 'Schedules',
  summary: 'Get how late runs begin',
  description: 'It is that of the whole server, not of a workspace. Missed runs are not in it.',
  answer: 'The lateness of the last hour.',
  failures: {},
  isExtension: true,
};

/** Adds the route. */
export function latenessRoutes(server: ApiServer, { lateness }: App): void {
  server.route({
    method: 'GET',
    url: '/lateness',
    schema: { response: { 200: Lateness }, operation: notes },
    handler: () => lateness(),
  });
}
