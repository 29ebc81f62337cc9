/** The route that calls again for the due time of an earlier run. */

import type { Static } from 'typebox';
import { describe, noRun, notPaid } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { readIdempotencyKey } from '../../api/http/repeatable.ts';
import * as t from '../../api/http/schema.ts';
import { QueuedRun, RunJobHeaders, RunPath } from '../../api/runs/contract.ts';
import { run } from '../../api/runs/examples.ts';
import { queuedAnswer } from '../../api/runs/routes.ts';
import type { App } from '../../app/app.ts';
import { readTime } from '../../domain/fields.ts';
import type { ApiParts } from '../../serve/house.ts';
import { replayRun } from './replay.ts';

const ReplayInput = t.input(
  'Replay',
  'Which due time to call for, and whether also if that has succeeded.',
  [{ again: true }],
  t.optional({
    dueAt: t.nullable(
      t.moment('Of a missed run, one of the due times that it stands for. Default: the last one.'),
    ),
    again: t.nullable(t.flag('Whether to call for a due time that has succeeded already.')),
  }),
);
/** What a request says. */
export type ReplayInput = Static<typeof ReplayInput>;

const operations = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    replayRun: {
      summary: 'Replay a run',
      description:
        'Queues a run by hand that stands for the due time of an earlier run, which it has as `dueAt` and sends as ' +
        '`X-Service-Scheduled-For`. The job is called as it is now. The rules of runs by hand apply: one a minute.',
      params: RunPath,
      headers: RunJobHeaders,
      body: ReplayInput,
      response: { 202: QueuedRun },
      answer: 'The queued run, or the earlier run with the same `Idempotency-Key`.',
      failures: {
        402: notPaid,
        404: noRun,
        409: {
          when:
            'A run of the job is executing, or awaits the report of its target; a run has succeeded for this due time, or waits ' +
            'to be called for it; or the run was asked for by hand and has none.',
          example: `run ${run.id} of this job is executing, wait for it`,
        },
      },
    },
  },
);

/** Adds the route. */
export function replayRoutes(server: ApiServer, app: App, { siteUrl }: ApiParts): void {
  server.post(
    '/jobs/:id/runs/:runId/replay',
    { ...operations.replayRun, preValidation: readIdempotencyKey },
    async ({ principal, params: { id: jobId, runId }, headers, body }, reply) => {
      const { dueAt = null, again } = body;
      const replay = {
        jobId,
        runId,
        dueAt: dueAt === null ? null : readTime('dueAt', dueAt),
        again: again === true,
      };
      const key = headers['idempotency-key'] ?? null;
      const queued = await replayRun(app, principal, replay, key);
      const { path, body: answer } = queuedAnswer(queued, `${siteUrl()}/api/v1`);
      return reply.code(202).at(path).send(answer);
    },
  );
}
