import { createJob, deleteJob, getJob, listJobs, updateJob } from '../../app/jobs/jobs.ts';
import type { JobsApp } from '../../app/app.ts';
import { badPeriod, describe, notPaid, type Refusal } from '../description/operation.ts';
import { labelledRequest, LabelledQuery, Ok } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../http/repeatable.ts';
import { JobInput, JobKept, JobList, JobPath, JobResponse, JobUpdate } from './contract.ts';
import { changedJob, createdJob } from './examples.ts';
import { jobShape, keptJobShape } from './shape.ts';

const longBody: Refusal = {
  when: 'The request body is over 256 KiB, or the `body` of the job is over 32768 characters.',
  example: 'body must be at most 32768 characters, got 40000',
};
const stillExecuting: Refusal = {
  when:
    'A run of the job was still executing after 5 s. An update with only `action` does not wait: pause the job, and no ' +
    'further run starts.',
  example:
    'run 0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63 of this job is still executing: try again when it has ended. An update with ' +
    'only action pause is taken at once, and then no further run begins',
};
const stillExecutingOrFollowed: Refusal = {
  ...stillExecuting,
  when: 'A run of the job was still executing after 5 s, or other jobs run after it (`after`).',
};

const operations = describe(
  { tag: 'Jobs', noun: 'job' },
  {
    listJobs: {
      summary: 'List jobs',
      description: 'Returns the jobs of the workspace, newest first.',
      querystring: LabelledQuery,
      response: { 200: JobList },
      answer: 'A page of jobs.',
    },
    createJob: {
      summary: 'Create a job',
      description:
        'Only `name` and `url` are required; such a job is called every full hour. The schedule starts at once unless `paused` ' +
        'is true.',
      headers: RepeatableHeaders,
      body: JobInput,
      response: { 201: JobKept },
      answer: 'The job, with its `id` and next due time.',
      answerExample: { job: createdJob },
      failures: {
        400: badPeriod,
        402: notPaid,
        403: 'The key may only read, `workspaceId` is another workspace, or the plan does not allow another job, this interval or this timeout.',
        409: usedKey,
        413: longBody,
      },
    },
    getJob: {
      summary: 'Get a job',
      description: 'Returns the job: its settings, its health and its next due time.',
      params: JobPath,
      response: { 200: JobResponse },
      answer: 'The job.',
    },
    updateJob: {
      summary: 'Change, pause or resume a job',
      description:
        'Only the given fields change; `headers` replaces all headers. A changed or resumed schedule counts from now on. An ' +
        'update that changes no field, with or without `action`, takes effect at once; any other waits up to 5 s for a run in ' +
        'progress. Pausing does not stop a call that has started.',
      params: JobPath,
      body: JobUpdate,
      response: { 200: JobKept },
      answer: 'The job after the change.',
      answerExample: { job: changedJob },
      failures: {
        400: badPeriod,
        402: notPaid,
        403: 'The key may only read, or the plan does not allow this interval or this timeout.',
        409: stillExecuting,
        413: longBody,
      },
    },
    deleteJob: {
      summary: 'Delete a job',
      description:
        'Deletes the job and all its runs. Waits up to 5 s for a run in progress. A job that others run after is not deleted.',
      params: JobPath,
      response: { 200: Ok },
      answer: 'The job is deleted.',
      failures: { 409: stillExecutingOrFollowed },
    },
  },
);

/** Adds the routes. */
export function jobRoutes(server: ApiServer, app: JobsApp): void {
  server.get('/jobs', operations.listJobs, async ({ principal, query }) => {
    const { items, nextCursor } = await listJobs(app, principal, labelledRequest(query));
    return { jobs: items.map(jobShape), nextCursor };
  });

  server.post('/jobs', operations.createJob, async (request, reply) => {
    const { principal, body } = request;
    const kept = await createJob(app, principal, body, repeatableOf(request));
    return reply.code(201).at(`/jobs/${kept.id}`).send(keptJobShape(kept));
  });

  server.get('/jobs/:id', operations.getJob, async ({ principal, params }) => ({
    job: jobShape(await getJob(app, principal, params.id)),
  }));

  server.patch('/jobs/:id', operations.updateJob, async ({ principal, params, body }) =>
    keptJobShape(await updateJob(app, principal, params.id, body)),
  );

  server.delete('/jobs/:id', operations.deleteJob, async ({ principal, params }) => {
    await deleteJob(app, principal, params.id);
    return { ok: true };
  });
}
