/** The routes of reports. */

import type { App } from '../../app/app.ts';
import { createTurns } from '../../app/turns.ts';
import { badRequest, describe } from '../../api/description/operation.ts';
import { pageRequest } from '../../api/http/contract.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { whenLeft } from '../../api/http/left.ts';
import { countItems } from '../../api/http/limits/request-limits.ts';
import { JobPath } from '../../api/jobs/contract.ts';
import type { ApiParts } from '../../serve/house.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { readSelector } from '../../domain/labels.ts';
import { canonicalZone } from '../../domain/schedule/zone.ts';
import {
  JobsReport,
  MonitorsReport,
  ReceiptsQuery,
  ReceiptTexts,
  ReportQuery,
} from './contract.ts';
import type { ReportedJob } from './contract.ts';
import { readMonth } from './month.ts';
import { reportJobs, reportMonitors, listReceipts, type JobReport } from './report.ts';

const runsPerRequest = 5_000;
const failures = { 400: badRequest('month must be one such as 2026-11, got "November"') };

const operations = describe(
  { tag: 'Overview', noun: 'job', isExtension: true },
  {
    reportJobs: {
      summary: 'Report on the jobs of a month',
      description:
        'Counts for each job what was due in a month and what became of it, and how many of its runs have receipts. Deleted jobs are not ' +
        'in it, nor are runs that are not over. A page ends with the job with which it has read 20,000 runs; of one job, the newest 100,000 are ' +
        'counted. A page counts as two requests, and as one more for each 5,000 runs and due times after the first 10,000. Pages of a ' +
        'workspace are read one after the other.',
      querystring: ReportQuery,
      response: { 200: JobsReport },
      answer: 'A page of jobs.',
      failures,
    },
    reportMonitors: {
      summary: 'Report on the monitors of a month',
      description: 'Counts the pings of each monitor in a month. The newest 1,000 are kept.',
      querystring: ReportQuery,
      response: { 200: MonitorsReport },
      answer: 'A page of monitors.',
      failures,
    },
    listReceipts: {
      summary: "Download the receipts of a job's month",
      description:
        'Returns the receipts of runs that were due in a month, by due time. In a file with a line for each, the oldest first, `jobd verify` ' +
        'reads them. A page may have fewer than `limit`: runs without an answer have none.',
      params: JobPath,
      querystring: ReceiptsQuery,
      response: { 200: ReceiptTexts },
      answer: 'A page of receipts.',
      failures,
    },
  },
);

/** Adds the routes. */
export function reportRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  const monthOf = ({ month, timezone = 'UTC' }: Pick<ReportQuery, 'month' | 'timezone'>) =>
    readMonth(month, canonicalZone(timezone), app.clock.now());
  const turns = createTurns();
  const requestOf = ({ selector, ...query }: ReportQuery) => ({
    ...pageRequest(query),
    month: monthOf(query),
    selector: selector === undefined ? null : readSelector(selector),
  });
  server.get('/report/jobs', operations.reportJobs, async ({ principal, query }, answer) => {
    const signal = whenLeft(answer);
    const request = { ...requestOf(query), signal };
    return await turns(principal.workspaceId, signal, async () => {
      // What it costs is known afterwards: whoever has nothing left is refused before.
      const counted = { items: 2 * runsPerRequest, perRequest: runsPerRequest, answer };
      await countItems(limits, principal, counted);
      const { items, nextCursor, read } = await reportJobs(app, principal, request);
      await countItems(limits, principal, { ...counted, items: read - runsPerRequest });
      return { jobs: items.map(jobShape), nextCursor };
    });
  });
  server.get(
    '/report/monitors',
    operations.reportMonitors,
    async ({ principal, query }, answer) => {
      const request = { ...requestOf(query), signal: whenLeft(answer) };
      const { items, nextCursor } = await reportMonitors(app, principal, request);
      const monitors = items.map(({ monitor: { id, name }, countedFrom, ...pings }) => {
        return { id, name, ...pings, countedFrom: isoTimeOrNull(countedFrom) };
      });
      return { monitors, nextCursor };
    },
  );
  server.get(
    '/jobs/:id/receipts',
    operations.listReceipts,
    async ({ principal, params, query }) => {
      const request = { ...pageRequest(query), month: monthOf(query) };
      const { items, nextCursor } = await listReceipts(app, principal, params.id, request);
      return { receipts: items, nextCursor };
    },
  );
}

function jobShape({
  job: { id, name },
  longestTrouble,
  countedFrom,
  ...counts
}: JobReport): ReportedJob {
  const trouble = longestTrouble && {
    from: isoTime(longestTrouble.from),
    until: isoTimeOrNull(longestTrouble.until),
  };
  return { id, name, ...counts, longestTrouble: trouble, countedFrom: isoTimeOrNull(countedFrom) };
}
