/**
 * `SITE/report/TOKEN`: targets report here after an answer of 202, outside the API and without a key. The token is a secret,
 * so it never gets into the log, and all unknown ones get the same answer.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonApp, RunsApp } from '../../app/app.ts';
import { createReportKeeper, findReported, noReportedRun } from '../../app/runs/reports.ts';
import type { ReportedRun } from '../../app/runs/reports.ts';
import { got, invalidInput, JobdError } from '../../domain/errors.ts';
import { reportSignal, readReport } from '../../domain/runs/read-report.ts';
import type { ReportStatus } from '../../domain/runs/report.ts';
import { acceptUntypedJson } from '../http/body.ts';
import type { ApiServer } from '../http/fastify.ts';
import type { Ok } from '../http/contract.ts';
import { connectionOf } from '../http/limits/connection.ts';
import type { RequestLimits } from '../http/limits/request-limits.ts';
import { refuseWhileOutdated } from '../http/refusals.ts';
import { operations, type ReportBody, type ReportQuery } from './report-contract.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the URL of a report says, on routes of reports. */
    reported: { run: ReportedRun; signal: ReportStatus | null };
  }
}

/**
 * Adds the routes. The end of a run is never refused for its rate. Progress counts for its run. What is refused counts for the
 * address like other errors (errors.ts), whether its token is known or not: that of a run that is over is known for as long as
 * the run is kept.
 */
export function reportRoutes(
  server: ApiServer,
  app: RunsApp & Pick<DaemonApp, 'trouble'>,
  limits: RequestLimits,
): void {
  const keep = createReportKeeper(app);
  acceptUntypedJson(server);
  server.decorateRequest('reported');

  refuseWhileOutdated(server, app);
  // Before the body is read: without a known token nobody can send one.
  server.addHook('onRequest', async (request, reply) => {
    const { token = '', end: words } = request.params as { token?: string; end?: string };
    const runId = app.reportTokens.runIdOf(token);
    if (runId === null) throw noReportedRun();
    const signal = reportSignal(words);
    // Before the store is asked.
    if (signal === 'progress' && request.method !== 'HEAD') {
      limits.countProgress(runId, request.raw, reply);
    }
    const run = await findReported(app, runId);
    if (run === undefined) throw noReportedRun();
    if (signal === undefined) throw badSignal(words ?? '');
    if (request.method === 'GET' && hasBody(request))
      throw invalidInput('a report with a body must be a POST');
    request.reported = { run, signal };
    if (request.method === 'HEAD' || run.status !== 'running') {
      return limits.countAddress(request.raw);
    }
    connectionOf(request.socket)?.trust();
  });
  // A report without a body says what its URL says.
  server.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && request.body === undefined) request.body = {};
  });

  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<Ok> => {
    const { method, query, body, reported } = request;
    // Programs that only look whether a URL works end no run.
    if (method === 'HEAD') return { ok: true };
    const given = { ...(query as ReportQuery), ...(body as ReportBody | undefined) };
    const { run, signal } = reported;
    const report = readReport(signal, given);
    if (report.status === 'progress' && signal === null) {
      limits.countProgress(run.runId, request.raw, reply);
    }
    await keep(run, report);
    return { ok: true };
  };
  const [url, signalUrl] = ['/report/:token', '/report/:token/:end'] as const;
  server.route({ method: 'GET', url, ...operations.report, handler });
  server.route({ method: 'POST', url, ...operations.reportWithBody, handler });
  server.route({ method: 'GET', url: signalUrl, ...operations.reportSignal, handler });
  server.route({ method: 'POST', url: signalUrl, ...operations.reportSignalWithBody, handler });
  // The answer to other unknown paths repeats them, and with it the token. Clients may write it into a log.
  server.register(
    (others, _, done) => {
      others.setNotFoundHandler(() => {
        throw noReportedRun();
      });
      done();
    },
    { prefix: '/report' },
  );
}

/** Only a client that knows a token gets this answer. */
function badSignal(words: string): JobdError {
  return new JobdError('not_found', `after the token may follow fail or progress, ${got(words)}`);
}

/** fastify does not read the body of a `GET`: what it says would be lost. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
