/** A person ends the wait of a run in place of its target. */

import type { RunsApp } from '../../app/app.ts';
import { reportRun } from '../../app/runs/reports.ts';
import { readReport } from '../../domain/runs/read-report.ts';
import { runDocument } from '../../domain/runs/run.ts';
import { describe, noRun } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { EndOfWait } from './report-contract.ts';
import { RunPath, RunResponse } from './contract.ts';
import { reportedRun, runId } from './examples.ts';

const { reportRun: operation } = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    reportRun: {
      summary: 'End the wait of a run',
      description:
        'Reports in place of the target how a run ended that was answered 202. The run ends within a second.',
      params: RunPath,
      body: EndOfWait,
      response: { 200: RunResponse },
      answer: 'The run; its end follows.',
      answerExample: { run: reportedRun },
      failures: {
        404: noRun,
        409: {
          when: 'The run does not wait for a report.',
          example: `run ${runId} does not wait for a report: it ended as success at 2025-10-09T05:30:00.626Z`,
        },
      },
    },
  },
);

/** Adds the route. */
export function reportRunRoutes(server: ApiServer, app: RunsApp): void {
  server.post(
    '/jobs/:id/runs/:runId/report',
    operation,
    async ({ principal, params: { id: jobId, runId: ofRun }, body }) => {
      const report = readReport(null, body);
      return {
        run: runDocument(await reportRun(app, principal, { jobId, runId: ofRun }, report)),
      };
    },
  );
}
