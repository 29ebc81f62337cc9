/** Routes for a page that shows a whole workspace. Each request reads a bounded number of rows, however many there are. */

import { withWindows } from '../../app/accounts/windows.ts';
import type { JobsApp } from '../../app/app.ts';
import { createOverview } from '../../app/overview/counts.ts';
import { createLabelOverview } from '../../app/overview/labels.ts';
import { getJobSummary, listJobs } from '../../app/overview/jobs.ts';
import { listMonitors } from '../../app/overview/monitors.ts';
import { listTrouble } from '../../app/overview/trouble.ts';
import { isoTime } from '../../domain/clock.ts';
import { searchFor } from '../../domain/search.ts';
import { describe } from '../description/operation.ts';
import { pageRequest } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { JobPath } from '../jobs/contract.ts';
import { runsRequest } from '../runs/history-routes.ts';
import {
  JobListQuery,
  JobSummaryList,
  JobSummaryResponse,
  LabelOverview,
  MonitorListQuery,
  MonitorSummaryList,
  OverviewResponse,
  TroubleList,
  TroubleQuery,
} from './contract.ts';
import { jobSummary, monitorSummary, troubleShape } from './shape.ts';

const operations = describe(
  { tag: 'Overview', noun: 'job', isExtension: true },
  {
    getOverview: {
      summary: 'Get an overview',
      description:
        'Counts jobs and monitors by state, and the runs of the last 24 hours that were no success.',
      response: { 200: OverviewResponse },
      answer: 'The overview.',
    },
    getLabels: {
      summary: 'List the labels',
      description:
        'Returns the labels that jobs and monitors have, and how many have each. They are counted once in 5 seconds at most.',
      response: { 200: LabelOverview },
      answer: 'The labels.',
    },
    listOverviewJobs: {
      summary: 'List jobs with their recent runs',
      description:
        'Returns jobs by status, text, labels and order, without their bodies, headers and notes, and with the statuses of their ' +
        'newest runs. A request looks at 5,000 jobs at most, and searches 4,000; a page may then be partial or even empty, and `nextCursor` continues the list.',
      querystring: JobListQuery,
      response: { 200: JobSummaryList },
      answer: 'A page of jobs.',
    },
    getOverviewJob: {
      summary: 'Get a job as lists show it',
      description:
        'Returns one job as `GET /overview/jobs` lists it: with its key if it is managed, since when it fails, and the ' +
        'statuses of its newest runs.',
      params: JobPath,
      response: { 200: JobSummaryResponse },
      answer: 'The job.',
    },
    listOverviewMonitors: {
      summary: 'List monitors with their recent pings',
      description:
        'Returns monitors by status, text and labels, newest first, with what their newest pings said. A request looks at 5,000 monitors ' +
        'at most; a page may then be partial or even empty, and `nextCursor` continues the list.',
      querystring: MonitorListQuery,
      response: { 200: MonitorSummaryList },
      answer: 'A page of monitors.',
    },
    listTrouble: {
      summary: 'List what went wrong, once each',
      description:
        'Groups the runs that were no success: those that an outage of jobd made missed or interrupted are one row, and so are ' +
        'those of one job. A request reads 10,000 runs at most; `nextCursor` continues further back, where a row may go on.',
      querystring: TroubleQuery,
      response: { 200: TroubleList },
      answer: 'A page of trouble.',
    },
  },
);

/** Adds the routes. */
export function overviewRoutes(server: ApiServer, app: JobsApp): void {
  const getOverview = createOverview(app);
  const getLabels = createLabelOverview(app);

  server.get('/overview', operations.getOverview, async ({ principal }) => {
    const { asOf, mutes, holds, ...counts } = await getOverview(principal);
    const muting = mutes.map(untilInIso);
    const holding = holds.map(untilInIso);
    return { overview: { ...counts, mutes: muting, holds: holding, asOf: isoTime(asOf) } };
  });

  server.get('/overview/labels', operations.getLabels, ({ principal }) => getLabels(principal));

  server.get('/overview/jobs', operations.listOverviewJobs, async ({ principal, query }) => {
    const { status, q, selector, order, ...page } = query;
    const { items, ...rest } = await listJobs(app, principal, {
      ...pageRequest(page),
      filter: status ?? null,
      search: searchFor(q, selector),
      order: order ?? 'newest',
    });
    return { jobs: items.map(jobSummary), ...rest };
  });

  server.get('/overview/jobs/:id', operations.getOverviewJob, async ({ principal, params }) => ({
    job: jobSummary(await getJobSummary(app, principal, params.id)),
  }));

  server.get(
    '/overview/monitors',
    operations.listOverviewMonitors,
    async ({ principal, query }) => {
      const { status, q, selector, ...page } = query;
      const now = app.clock.now();
      const { items, ...rest } = await listMonitors(app, principal, {
        ...pageRequest(page),
        status: status ?? null,
        search: searchFor(q, selector),
        now,
      });
      const monitors = items.map((item) => monitorSummary(item, now));
      return { monitors: await withWindows(app, principal, monitors), ...rest };
    },
  );

  server.get('/overview/trouble', operations.listTrouble, async ({ principal, query }) => {
    const { kind = null, ...span } = query;
    const asked = { ...runsRequest(span), kind };
    const { items, ...rest } = await listTrouble(app, principal, asked);
    return { trouble: items.map(troubleShape), ...rest };
  });
}

function untilInIso<Ending extends { until: number }>(one: Ending) {
  return { ...one, until: isoTime(one.until) };
}
