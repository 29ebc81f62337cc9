import type { DaemonApp, RunsApp } from '../../app/app.ts';
import { getRun, listRuns, runJob } from '../../app/runs/runs.ts';
import { runDocument, type Run } from '../../domain/runs/run.ts';
import { badRequest, describe, noRun, notPaid } from '../description/operation.ts';
import { withoutBody } from '../http/body.ts';
import { pageRequest, PageQuery } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { JobPath } from '../jobs/contract.ts';
import { Lateness, QueuedRun, RunJobHeaders, RunList, RunPath, RunResponse } from './contract.ts';
import { run } from './examples.ts';

const operations = describe(
  { tag: 'Runs', noun: 'job' },
  {
    runJob: {
      summary: 'Run a job by hand',
      description:
        'Queues one call and does not change the schedule. A paused job can be run too. Poll `resultUrl` while `status` is ' +
        '`queued` or `running`. A job can be run by hand once a minute.',
      params: JobPath,
      headers: RunJobHeaders,
      response: { 202: QueuedRun },
      answer: 'The queued run, or the earlier run with the same `Idempotency-Key`.',
      failures: {
        400: badRequest('Idempotency-Key must be at most 128 characters, got 129'),
        402: notPaid,
        409: {
          when: 'A run of the job is executing, or waits for the report of its target.',
          example: `run ${run.id} of this job is executing, wait for it`,
        },
        429: {
          when: 'The job was run by hand less than a minute ago, or the key made more than 120 requests in 60 s.',
          example: 'a job can be run by hand once a minute: again in 60 s',
        },
      },
    },
    listRuns: {
      summary: 'List runs of a job',
      description: 'Returns the kept runs of a job, newest first, and how many are in each state.',
      params: JobPath,
      querystring: PageQuery,
      response: { 200: RunList },
      answer: 'A page of runs.',
    },
    getRun: {
      summary: 'Get a run',
      description: 'Returns the current state of the run.',
      params: RunPath,
      response: { 200: RunResponse },
      answer: 'The run.',
      failures: { 404: noRun },
    },
  },
);

const { getLateness } = describe(
  { tag: 'Schedules', isExtension: true },
  {
    getLateness: {
      summary: 'Get how late runs start',
      description: 'Covers the whole server, not only a workspace. Missed runs do not count.',
      response: { 200: Lateness },
      answer: 'The lateness of the last hour.',
    },
  },
);

/** The path of a run that was queued, and the answer that says so. */
export function queuedAnswer(queued: Run, apiUrl: string) {
  const path = `/jobs/${queued.jobId}/runs/${queued.id}`;
  return { path, body: { run: runDocument(queued), resultUrl: `${apiUrl}${path}` } };
}

/** Adds the routes; `apiUrl` returns the absolute base URL of the API, without a trailing slash. */
export function runRoutes(
  server: ApiServer,
  app: RunsApp & Pick<DaemonApp, 'lateness'>,
  apiUrl: () => string,
): void {
  server.post(
    '/jobs/:id/run',
    { ...operations.runJob, ...withoutBody },
    async ({ principal, params, headers }, reply) => {
      const idempotencyKey = headers['idempotency-key'] ?? null;
      const queued = await runJob(app, principal, params.id, idempotencyKey);
      const { path, body } = queuedAnswer(queued, apiUrl());
      return reply.code(202).at(path).send(body);
    },
  );

  server.get('/jobs/:id/runs', operations.listRuns, async ({ principal, params, query }) => {
    const found = await listRuns(app, principal, params.id, pageRequest(query));
    const { items, nextCursor, totals } = found;
    return { runs: items.map(runDocument), nextCursor, totals };
  });

  server.get('/jobs/:id/runs/:runId', operations.getRun, async ({ principal, params }) => ({
    run: runDocument(await getRun(app, principal, params.id, params.runId)),
  }));

  server.get('/lateness', getLateness, async () => await app.lateness());
}
