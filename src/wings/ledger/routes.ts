import type { App } from '../../app/app.ts';
import { createTurns } from '../../app/turns.ts';
import { describe } from '../../api/description/operation.ts';
import { pageRequest } from '../../api/http/contract.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { whenLeft } from '../../api/http/left.ts';
import { countItems } from '../../api/http/limits/request-limits.ts';
import { jobId as exampleId } from '../../api/jobs/examples.ts';
import { isoTime, msPerDay } from '../../domain/clock.ts';
import { readTime } from '../../domain/fields.ts';
import type { DueTimes } from '../../domain/schedule/next.ts';
import type { ApiParts } from '../../serve/house.ts';
import { countsByReason } from './accounted.ts';
import { LedgerPage, LedgerQuery, type LedgerJob } from './contract.ts';
import { listLedger, type JobLedger } from './entries.ts';

const operations = describe(
  { tag: 'Runs', isExtension: true },
  {
    listLedger: {
      summary: 'Check that due times are accounted for',
      description:
        'Computes again when jobs were due, from all schedules that they had, and compares that with their runs. Each due time ' +
        'has a run, or is in a missed one, or there is a recorded reason. A page has up to `limit` jobs, or the parts of one job with a ' +
        'long history or many changes of its schedule: add up what several pages say of it. A page ends with 20,000 runs and changes, ' +
        'and counts as one more request for each 5,000 of them after the first.',
      querystring: LedgerQuery,
      response: { 200: LedgerPage },
      answer: 'A page of jobs, the oldest first.',
      failures: {
        404: {
          when: 'There is no job with `jobId`.',
          example: `there is no job with id ${exampleId}`,
        },
      },
    },
  },
);

/** Runs and spans that count as one request. */
const readPerRequest = 5_000;

/** Adds the route. */
export function ledgerRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  const turns = createTurns();
  server.get('/ledger', operations.listLedger, async ({ principal, query }, answer) => {
    const { jobId, since, until, ...page } = query;
    const asked = {
      jobId: jobId ?? null,
      after: since === undefined ? app.clock.now() - msPerDay : readTime('since', since),
      until: until === undefined ? null : readTime('until', until),
      ...pageRequest(page),
      signal: whenLeft(answer),
    };
    const { items, nextCursor, read } = await turns(principal.workspaceId, asked.signal, () =>
      listLedger(app, principal, asked),
    );
    await countItems(limits, principal, { items: read, perRequest: readPerRequest, answer });
    return { jobs: items.map(ledgerShape), nextCursor };
  });
}

/** Entries of one list of a job. */
const mostEntries = 100;

function ledgerShape({
  keptFrom,
  explained,
  unaccounted,
  unexpected,
  ...job
}: JobLedger): LedgerJob {
  return {
    ...job,
    keptFrom: keptFrom === null ? null : isoTime(keptFrom),
    explained: explained
      .slice(0, mostEntries)
      .map(({ reason, ...times }) => ({ reason, ...dueTimesShape(times) })),
    explainedBy: countsByReason(explained),
    unaccounted: unaccounted.slice(0, mostEntries).map(dueTimesShape),
    unexpected: unexpected.slice(0, mostEntries).map(isoTime),
  };
}

function dueTimesShape({ first, last, count }: DueTimes) {
  return { first: isoTime(first), last: isoTime(last), count };
}
