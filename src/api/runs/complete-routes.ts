/** A person ends the wait of a run in place of its target. */

import type { RunsApp } from '../../app/app.ts';
import { completeRun } from '../../app/runs/completions.ts';
import { readReport } from '../../domain/runs/report.ts';
import { runDocument } from '../../domain/runs/run.ts';
import { describe, noRun } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { EndOfWait } from './completion-contract.ts';
import { RunPath, RunResponse } from './contract.ts';
import { reportedRun, runId } from './examples.ts';

const { completeRun: operation } = describe(
  { tag: 'Runs', noun: 'job', isExtension: true },
  {
    completeRun: {
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
export function completeRoutes(server: ApiServer, app: RunsApp): void {
  server.post(
    '/jobs/:id/runs/:runId/completion',
    operation,
    async ({ principal, params: { id: jobId, runId: ofRun }, body }) => {
      const report = readReport(null, body);
      return {
        run: runDocument(await completeRun(app, principal, { jobId, runId: ofRun }, report)),
      };
    },
  );
}
