/** The routes that call again for the due time of an earlier run. */

import { Type, type Static } from 'typebox';
import { badRequest, describe, noRun, notPaid } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { partialPage } from '../../api/http/contract.ts';
import * as t from '../../api/http/schema.ts';
import {
  AllRunsQuery,
  ListedRun,
  QueuedRun,
  RunJobHeaders,
  RunPath,
} from '../../api/runs/contract.ts';
import { runsRequest } from '../../api/runs/history-routes.ts';
import { listedRun } from '../../api/runs/examples.ts';
import { queuedAnswer } from '../../api/runs/routes.ts';
import type { App } from '../../app/app.ts';
import { isoTime } from '../../domain/clock.ts';
import { readTime } from '../../domain/fields.ts';
import { badRunStatuses, readRunStatuses } from '../../domain/runs/run.ts';
import type { ApiParts } from '../../serve/house.ts';
import { checkReplay, listReplayable, replayRun, type Replay } from './replay.ts';

const ReplayInput = t.input(
  'Replay',
  'Which due time to call for, and whether also if that has succeeded.',
  [{ again: true }],
  t.optional({
    dueAt: t.momentOrNull(
      'Of a missed run, one of the due times that it stands for. Default: the last one.',
    ),
    again: t.nullable(t.flag('Whether to call for a due time that has succeeded already.')),
  }),
);
export type ReplayInput = Static<typeof ReplayInput>;

const CheckQuery = t.query(
  t.optional({
    dueAt: t.moment('As for a replay.'),
    again: t.oneOf(['true'], 'As for a replay.'),
  }),
);
const ReplayChecked = t.envelope(
  'ReplayChecked',
  { dueAt: t.moment('The due time for which a replay would call.') },
  { dueAt: listedRun.scheduledFor },
);
export type ReplayChecked = Static<typeof ReplayChecked>;

const ReplayableQuery = t.query({
  ...AllRunsQuery.properties,
  status: Type.Optional(
    t.text(`One or more of ${badRunStatuses.join(', ')}, with commas between them. Default: all.`),
  ),
  jobId: Type.Optional(t.id('Only runs of this job.')),
});

const example = {
  job: listedRun.job,
  runId: listedRun.id,
  status: listedRun.status,
  dueAt: listedRun.scheduledFor,
  count: 1,
  done: null,
} as const;
const Replayable = t.output('Replayable', 'A due time that went wrong.', example, {
  job: ListedRun.properties.job,
  runId: t.id('The run that stands for it.'),
  status: ListedRun.properties.status,
  dueAt: t.moment('The due time; of a missed run, the last one.'),
  count: t.integer('How many due times the run stands for.'),
  done: t.nullable(
    t.oneOf(
      ['queued', 'running', 'success'],
      'The status of another run for it; null if it is left to replay.',
    ),
  ),
});
export type Replayable = Static<typeof Replayable>;
const ReplayableList = t.envelope('ReplayableList', partialPage('replayable', Replayable), {
  replayable: [example],
  nextCursor: null,
  isPartial: false,
});

const refusals = {
  402: notPaid,
  404: noRun,
  409: {
    when:
      'A run has succeeded for this due time, is executing or waits to be called for it; or the run was asked for by hand and ' +
      'has none.',
    example: `run ${listedRun.id} was asked for by hand and stands for no due time: run the job instead`,
  },
};

const operations = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    listReplayable: {
      summary: 'List what went wrong and can be replayed',
      description:
        'Returns the due times of runs that failed, were missed or were interrupted, newest first, and whether another run has ' +
        'succeeded for each, or is about to. Two runs may stand for one due time.',
      querystring: ReplayableQuery,
      response: { 200: ReplayableList },
      answer: 'A page of due times.',
      failures: {
        400: badRequest('limit must be between 1 and 100, got 0'),
        404: {
          when: 'The workspace has no job with this id.',
          example: `there is no job with id ${listedRun.job.id}`,
        },
      },
    },
    checkReplay: {
      summary: 'Check a replay',
      description:
        'Refuses what a replay would refuse, and queues nothing. Whether the job was run by hand in the last minute does not matter.',
      params: RunPath,
      querystring: CheckQuery,
      response: { 200: ReplayChecked },
      answer: 'A replay would be queued.',
      failures: refusals,
    },
    replayRun: {
      summary: 'Replay a run',
      description:
        'Queues a run by hand that stands for the due time of an earlier run, which it has as `dueAt` and sends as ' +
        '`X-Service-Scheduled-For`. The job is called as it is now, once no other run of it executes. As of runs by hand, one a ' +
        'minute is taken.',
      params: RunPath,
      headers: RunJobHeaders,
      body: ReplayInput,
      response: { 202: QueuedRun },
      answer: 'The queued run, or the earlier run with the same `Idempotency-Key`.',
      failures: refusals,
    },
  },
);

/** Adds the routes. */
export function replayRoutes(server: ApiServer, app: App, { siteUrl }: ApiParts): void {
  server.get('/runs/replayable', operations.listReplayable, async ({ principal, query }) => {
    const { jobId = null, status: asBad = badRunStatuses.join(), ...asked } = query;
    const statuses = readRunStatuses(asBad, 'status', badRunStatuses);
    const request = { ...runsRequest(asked), statuses, jobId };
    const { items, ...rest } = await listReplayable(app, principal, request);
    const replayable = items.map(({ id: runId, jobId: of, jobName: name, dueAt, ...run }) => {
      const { status, missed, done } = run;
      const due = { dueAt: isoTime(dueAt), count: missed?.count ?? 1 };
      return { job: { id: of, name }, runId, status, ...due, done } as Replayable;
    });
    return { replayable, ...rest };
  });

  const path = '/jobs/:id/runs/:runId/replay';
  server.get(path, operations.checkReplay, async ({ principal, params, query }) => {
    const replay = replayOf(params, { ...query, again: query.again === 'true' });
    return { dueAt: isoTime(await checkReplay(app, principal, replay)) };
  });

  server.post(path, operations.replayRun, async ({ principal, params, headers, body }, reply) => {
    const replay = replayOf(params, body);
    const key = headers['idempotency-key'] ?? null;
    const queued = await replayRun(app, principal, replay, key);
    const { path: at, body: answer } = queuedAnswer(queued, `${siteUrl()}/api/v1`);
    return reply.code(202).at(at).send(answer);
  });
}

function replayOf(
  { id: jobId, runId }: { id: string; runId: string },
  { dueAt = null, again }: ReplayInput,
): Replay {
  const at = dueAt === null ? null : readTime('dueAt', dueAt);
  return { jobId, runId, dueAt: at, again: again === true };
}
