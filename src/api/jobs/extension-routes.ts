/** Routes of jobs beyond the promised interface: due times, copies, and actions on many jobs. */

import { actOnJobs, jobsPerStep } from '../../app/jobs/actions.ts';
import type { JobsApp, RunsApp } from '../../app/app.ts';
import { runJobs } from '../../app/runs/runs.ts';
import { getChain } from '../../app/jobs/afterwards.ts';
import { copyJob, getDueTimes } from '../../app/jobs/jobs.ts';
import { isoTime } from '../../domain/clock.ts';
import { badRequest, describe, notPaid } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { countItems, type RequestLimits } from '../http/limits/request-limits.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../http/repeatable.ts';
import { JobPath, JobResponse } from './contract.ts';
import { copiedJob } from './examples.ts';
import {
  defaultDueTimes,
  DueTimes,
  DueTimesQuery,
  JobActionResults,
  JobActions,
  JobChain,
  JobCopy,
} from './extension-contract.ts';
import { jobShape } from './shape.ts';

const operations = describe(
  { tag: 'Jobs', noun: 'job', isExtension: true },
  {
    getDueTimes: {
      summary: 'Get the next due times of a job',
      description:
        'Returns the schedule of the job in words, its next due times, and the effects of daylight saving on them.',
      params: JobPath,
      querystring: DueTimesQuery,
      response: { 200: DueTimes },
      answer: 'The due times, and notes on them.',
      failures: { 400: badRequest('count must be between 1 and 20, got 0') },
    },
    getJobChain: {
      summary: 'Get what a job runs after, and what runs after it',
      description:
        'Returns the names of its neighbours: the job in its `after`, and the first hundred jobs that have it in theirs.',
      params: JobPath,
      response: { 200: JobChain },
      answer: 'The neighbours.',
    },
    copyJob: {
      summary: 'Copy a job',
      description:
        'Creates a job with the settings of another one, its header values included, which no key can read. The copy is ' +
        'paused and new: it has no runs and no key of a definition, and no channel names it.',
      params: JobPath,
      headers: RepeatableHeaders,
      body: JobCopy,
      response: { 201: JobResponse },
      answer: 'The copy.',
      answerExample: { job: copiedJob },
      failures: {
        400: badRequest('name must not be blank'),
        402: notPaid,
        403: 'The key may only read, or the plan does not allow another job, this interval or this timeout.',
        409: usedKey,
      },
    },
    actOnJobs: {
      summary: 'Pause, resume, run or delete many jobs',
      description:
        'Pauses, resumes, runs or deletes up to 100 jobs at once. A job that is refused does not affect the others; its result ' +
        'says why. A job with a run in progress is not run or deleted, and one is run by hand once a minute. A job that is paused or resumed already, or is over, stays as it is. ' +
        'Jobs are changed in groups of 20, and a group counts as one request.',
      body: JobActions,
      response: { 200: JobActionResults },
      answer: 'What became of each job.',
      failures: { 400: badRequest('ids must have at most 100 entries, got 101'), 402: notPaid },
    },
  },
);

/** Adds the routes. */
export function jobExtensionRoutes(
  server: ApiServer,
  app: JobsApp & RunsApp,
  limits: RequestLimits,
): void {
  server.get(
    '/jobs/:id/due-times',
    operations.getDueTimes,
    async ({ principal, params, query: { count = defaultDueTimes } }) => {
      const { words, next, notes } = await getDueTimes(app, principal, params.id, count);
      return { words, next: next.map(isoTime), notes };
    },
  );

  server.get('/jobs/:id/chain', operations.getJobChain, async ({ principal, params }) =>
    getChain(app, principal, params.id),
  );

  server.post('/jobs/:id/copy', operations.copyJob, async (request, reply) => {
    const { principal, params, body } = request;
    const job = await copyJob(app, principal, params.id, body.name, repeatableOf(request));
    const answer = { job: jobShape(job) };
    return reply.code(201).at(`/jobs/${job.id}`).send(answer);
  });

  server.post('/jobs/actions', operations.actOnJobs, async ({ principal, body }, answer) => {
    const items = body.ids.length;
    await countItems(limits, principal, { items, perRequest: jobsPerStep, answer });
    const { action, ids } = body;
    const results =
      action === 'run'
        ? await runJobs(app, principal, ids)
        : await actOnJobs(app, principal, { action, ids });
    return {
      results: results.map(({ id, refusal, isOver = false, runId }) => ({
        id,
        error: isOver ? null : (refusal?.message ?? null),
        isOver,
        ...(runId !== undefined && { runId }),
      })),
    };
  });
}
