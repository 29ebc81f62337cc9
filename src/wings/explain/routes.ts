import type { App } from '../../app/app.ts';
import { explain } from './explain.ts';
import { readRecords } from './records.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { canonicalZone } from '../../domain/schedule/zone.ts';
import type { Fact } from './facts.ts';
import { badRequest, describe } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { JobPath } from '../../api/jobs/contract.ts';
import { ExplanationQuery, JobExplanation } from './contract.ts';

const operations = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    explainJob: {
      summary: 'Explain why a job ran or did not',
      description:
        'Says why the job ran, did not run or ran late at a time, or what came of a run: in an answer, and in the facts behind it. What was not ' +
        'recorded is said to be not known. The address of the target is looked up and judged now; no request is sent to it. ' +
        'Who changed the job is said only to keys that may write, as they may read the audit trail.',
      params: JobPath,
      querystring: ExplanationQuery,
      response: { 200: JobExplanation },
      answer: 'The explanation.',
      failures: {
        400: badRequest(
          'at must be a time such as 2026-11-24T02:30:00Z, or a local time in the zone of the job such as "2026-11-24 02:30" or 02:30, got "yesterday"',
        ),
      },
    },
  },
);

/** Adds the route. */
export function explanationRoutes(server: ApiServer, app: App): void {
  server.get(
    '/jobs/:id/explanation',
    operations.explainJob,
    async ({ principal, params, query }) => {
      const { at = null, runId = null, timezone } = query;
      const zone = timezone === undefined ? null : canonicalZone(timezone);
      const records = await readRecords(app, principal, params.id, { at, runId, zone });
      const { facts, ...explanation } = explain(records);
      return {
        ...explanation,
        at: isoTime(explanation.at),
        dueAt: isoTimeOrNull(explanation.dueAt),
        facts: facts.map(factShape),
      };
    },
  );
}

function factShape({ at, until, ...fact }: Fact): JobExplanation['facts'][number] {
  return {
    ...fact,
    ...(at !== undefined && { at: isoTime(at) }),
    ...(until !== undefined && { until: isoTime(until) }),
  };
}
