/** Routes of jobs. */

import { createJob, deleteJob, getJob, listJobs, updateJob } from '../../app/jobs/jobs.ts';
import type { App } from '../../app/app.ts';
import { JobInput, JobList, JobPath, JobResponse, JobUpdate, Ok, PageQuery } from '../contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import * as operations from '../description/operations.ts';
import { pageRequest } from '../http/page.ts';
import { jobShape } from '../shape.ts';

/** Adds the routes. */
export function jobRoutes(server: ApiServer, app: App): void {
  server.route({
    method: 'GET',
    url: '/jobs',
    schema: { querystring: PageQuery, response: { 200: JobList }, operation: operations.listJobs },
    handler: async ({ principal, query }) => {
      const { items, nextCursor } = await listJobs(app, principal, pageRequest(query));
      return { jobs: items.map(jobShape), nextCursor };
    },
  });

  server.route({
    method: 'POST',
    url: '/jobs',
    schema: { body: JobInput, response: { 201: JobResponse }, operation: operations.createJob },
    handler: async ({ principal, body }, reply) => {
      const job = await createJob(app, principal, body);
      return reply.code(201).send({ job: jobShape(job) });
    },
  });

  server.route({
    method: 'GET',
    url: '/jobs/:id',
    schema: { params: JobPath, response: { 200: JobResponse }, operation: operations.getJob },
    handler: async ({ principal, params }) => ({
      job: jobShape(await getJob(app, principal, params.id)),
    }),
  });

  server.route({
    method: 'PATCH',
    url: '/jobs/:id',
    schema: {
      params: JobPath,
      body: JobUpdate,
      response: { 200: JobResponse },
      operation: operations.updateJob,
    },
    handler: async ({ principal, params, body }) => ({
      job: jobShape(await updateJob(app, principal, params.id, body)),
    }),
  });

  server.route({
    method: 'DELETE',
    url: '/jobs/:id',
    schema: { params: JobPath, response: { 200: Ok }, operation: operations.deleteJob },
    handler: async ({ principal, params }) => {
      await deleteJob(app, principal, params.id);
      return { ok: true };
    },
  });
}
