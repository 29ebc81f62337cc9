/** `jobd runs report`: ends the wait of a run in place of its target. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { quoted } from '../../domain/quote.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { waitUntil } from '../client/wait.ts';
import type { Context } from '../context.ts';
import { withName } from '../resource.ts';
import { printJson } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { findRunId, runArgument } from './named-run.ts';
import { printRun } from './print-run.ts';

/** The engine ends a run within a second of its report. */
const longestWaitMs = 10_000;

/** Adds the command. */
export function addReportRunCommand(runs: Command, context: Context): void {
  const { output } = context;
  withName(runs.command('report'), 'job')
    .argument('[run]', runArgument, 'running')
    .description('end a run whose target answered 202 and does not report')
    .option('--fail', 'end it as failed, not as a success')
    .option('--message <text>', 'what to keep with the run')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs report backup
  jobd runs report backup --fail --message 'the worker is gone'`,
    )
    .action(async (name: string, text: string, flags: Flags & { message?: string }) => {
      const api = connect(context);
      const job = await api.jobs.find(name);
      // A run with another status does not wait: the word says how it is to end.
      if (text !== 'running' && runStatuses.some((status) => status === text)) {
        throw new JobdError('usage', `${text} is no run that waits: ${howToSay(name)}`);
      }
      const runId = await findWaitingId(api, job, text);
      const { message } = flags;
      const status = flags['fail'] === true ? 'failed' : 'success';
      const end = { status, ...(message !== undefined && { message }) } as const;
      const reported = await api.runs.report(job.id, runId, end);
      const isOver = (run: typeof reported) => isFinal(run.status);
      const options = { isOver, timeoutMs: longestWaitMs };
      const run = await waitUntil(() => api.runs.get(job.id, runId), reported, options);
      if (flags['json']) printJson(output, { run });
      else printRun(output, run, job);
    });
}

/** Without an argument, the run that waits: it is the only one of its job that runs. */
async function findWaitingId(
  api: Api,
  job: { id: string; name: string },
  text: string,
): Promise<string> {
  if (text.toLowerCase() !== 'running') return await findRunId(api, job, text);
  for await (const { id } of api.runs.history(job.id, { status: 'running' })) return id;
  throw new JobdError('not_found', `no run of ${job.name} waits for a report`);
}

function howToSay(name: string): string {
  return `to end it as a success: jobd runs report ${plain(quoted(name))}; as a failure: with --fail`;
}
