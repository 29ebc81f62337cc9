/** Routes of what happened: the runs of all jobs, those of one job by status, and its days. */

import type { Static } from 'typebox';
import type { RunsApp } from '../../app/app.ts';
import { listAllRuns, type RunsRequest } from '../../app/runs/all-runs.ts';
import { listDays, listHistory } from '../../app/runs/history.ts';
import { readTime } from '../../domain/fields.ts';
import { readSelector } from '../../domain/labels.ts';
import { readRunStatuses, runSummaryDocument } from '../../domain/runs/run.ts';
import { badRequest, describe } from '../description/operation.ts';
import { pageRequest } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { JobPath } from '../jobs/contract.ts';
import {
  AllRuns,
  AllRunsQuery,
  DaysQuery,
  defaultDays,
  HistoryQuery,
  JobDays,
  RunHistory,
} from './contract.ts';
import { daysShape, listedRunShape } from './shape.ts';

const operations = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    listAllRuns: {
      summary: 'List runs of all jobs',
      description:
        'Returns the kept runs of all jobs, newest first, without what the targets answered. They can be limited to some ' +
        'statuses, to a time and to labels of jobs: `status=failed,interrupted,missed` says what went wrong. A page may be partial or even ' +
        'empty where the search read many runs that do not fit, and `nextCursor` continues the list.',
      querystring: AllRunsQuery,
      response: { 200: AllRuns },
      answer: 'A page of runs, by due time.',
    },
    listHistory: {
      summary: 'List runs of a job by status',
      description:
        'Returns the kept runs of a job, newest first, without what the target answered. They can be limited to some ' +
        'statuses and to runs that were due before a moment.',
      params: JobPath,
      querystring: HistoryQuery,
      response: { 200: RunHistory },
      answer: 'A page of runs.',
    },
    getDays: {
      summary: 'Get the days of a job',
      description:
        'Counts the kept runs of a job by the day on which they were due, in the time zone of the job, and says how long ' +
        'they took. Runs that are not over do not count.',
      params: JobPath,
      querystring: DaysQuery,
      response: { 200: JobDays },
      answer: 'The days.',
      failures: { 400: badRequest('days must be between 1 and 366, got 0') },
    },
  },
);

/** What a query asks of the runs of a workspace. Throws `invalid_input`. */
export function runsRequest(query: Static<typeof AllRunsQuery>): RunsRequest {
  const { status, since, until, selector, ...page } = query;
  return {
    ...pageRequest(page),
    statuses: status === undefined ? null : readRunStatuses(status),
    since: since === undefined ? null : readTime('since', since),
    until: until === undefined ? null : readTime('until', until),
    selector: selector === undefined ? null : readSelector(selector),
  };
}

/** Adds the routes. */
export function historyRoutes(server: ApiServer, app: RunsApp): void {
  server.get('/runs', operations.listAllRuns, async ({ principal, query }) => {
    const { items, ...rest } = await listAllRuns(app, principal, runsRequest(query));
    return { runs: items.map(listedRunShape), ...rest };
  });

  server.get('/jobs/:id/history', operations.listHistory, async ({ principal, params, query }) => {
    const { status, before } = query;
    const { items, nextCursor, isPartial } = await listHistory(app, principal, params.id, {
      ...pageRequest(query),
      statuses: status === undefined ? null : readRunStatuses(status),
      before: before === undefined ? null : readTime('before', before),
    });
    return { runs: items.map(runSummaryDocument), nextCursor, isPartial };
  });

  server.get('/jobs/:id/days', operations.getDays, async ({ principal, params, query }) =>
    daysShape(await listDays(app, principal, params.id, query.days ?? defaultDays)),
  );
}
