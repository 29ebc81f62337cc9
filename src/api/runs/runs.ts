/** Routes of runs. */

import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { getRun, listRuns, runJob } from '../../app/runs/runs.ts';
import { runDocument } from '../../domain/runs/document.ts';
import type { App } from '../../app/app.ts';
import { ignoreTypeOfNothing, refuseBody } from '../http/bodiless.ts';
import {
  JobPath,
  PageQuery,
  QueuedRun,
  RunJobHeaders,
  RunList,
  RunPath,
  RunResponse,
} from '../contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import * as operations from '../description/operations.ts';
import { pageRequest } from '../http/page.ts';

/** Adds the routes; `apiUrl` gives the absolute base of the API, without a slash at its end. */
export function runRoutes(server: ApiServer, app: App, apiUrl: () => string): void {
  server.route({
    method: 'POST',
    url: '/jobs/:id/run',
    schema: {
      params: JobPath,
      headers: RunJobHeaders,
      response: { 202: QueuedRun },
      operation: operations.runJob,
    },
    onRequest: ignoreTypeOfNothing,
    preValidation: [refuseBody, readIdempotencyKey],
    handler: async ({ principal, params, headers }, reply) => {
      const idempotencyKey = headers['idempotency-key'] ?? null;
      const run = await runJob(app, principal, params.id, idempotencyKey);
      const resultUrl = `${apiUrl()}/jobs/${run.jobId}/runs/${run.id}`;
      return reply.code(202).send({ run: runDocument(run), resultUrl });
    },
  });

  server.route({
    method: 'GET',
    url: '/jobs/:id/runs',
    schema: {
      params: JobPath,
      querystring: PageQuery,
      response: { 200: RunList },
      operation: operations.listRuns,
    },
    handler: async ({ principal, params, query }) => {
      const found = await listRuns(app, principal, params.id, pageRequest(query));
      const { items, nextCursor, totals } = found;
      return { runs: items.map(runDocument), nextCursor, totals };
    },
  });

  server.route({
    method: 'GET',
    url: '/jobs/:id/runs/:runId',
    schema: { params: RunPath, response: { 200: RunResponse }, operation: operations.getRun },
    handler: async ({ principal, params }) => ({
      run: runDocument(await getRun(app, principal, params.id, params.runId)),
    }),
  });
}

/** The header as text: node makes a character of each byte, most clients send UTF-8. */
function readIdempotencyKey({ headers }: FastifyRequest, _: unknown, done: () => void): void {
  const bytes = Buffer.from(String(headers['idempotency-key'] ?? ''), 'latin1');
  if (bytes.length > 0 && isUtf8(bytes)) headers['idempotency-key'] = bytes.toString('utf8');
  done();
}
