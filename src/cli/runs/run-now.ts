/** `jobd jobs run`: runs a job now, and can wait for the result. */

import type { Command } from 'commander';
import type { Run } from '../../api/runs/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import { isFinal } from '../../domain/runs/run.ts';
import { createApi } from '../client/api.ts';
import type { Api } from '../client/api.ts';
import { passingDelayMs, pause, retry } from '../client/retry.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode, runExitCodes } from '../exit-codes.ts';
import { parseDuration } from '../options.ts';
import { withName } from '../resource.ts';
import { printJson } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { catchInterrupt, startSpinner } from '../terminal/waiting.ts';
import { printRun } from './runs.ts';

/** Adds the command to those of jobs. */
export function addRunNowCommand(jobs: Command, context: Context): void {
  const { output } = context;
  withName(jobs.command('run'), 'job')
    .description('run a job now; its schedule does not change')
    .option('--wait', 'wait for the result, which sets the exit code')
    .option('--timeout <duration>', 'longest wait', '5m')
    .addHelpText('after', '\nExample:\n  jobd jobs run backup --wait')
    .action(async (name: string, flags: Flags & { timeout: string }) => {
      const timeoutMs = parseDuration(flags.timeout, '--timeout') * 1_000;
      const api = createApi(clientConfig());
      const job = await api.jobs.find(name);
      const queued = await api.jobs.run(job.id);
      if (!flags['wait']) {
        if (flags['json']) printJson(output, queued);
        else output.data(queued.run.id);
        return;
      }
      const { run, exitCode } = await waitVisibly(api, queued.run, { name: job.name, timeoutMs });
      context.exitCode = exitCode;
      if (exitCode === interruptedExitCode) {
        output.say(`the run continues; to see it: jobd runs get ${job.id} ${run.id}`);
        return;
      }
      if (flags['json']) printJson(output, { run });
      else printRun(output, run);
    });
}

async function waitVisibly(
  api: Api,
  run: Run,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<Waited> {
  using parts = new DisposableStack();
  const { signal } = parts.use(catchInterrupt());
  parts.use(startSpinner(`waiting for the run of ${plain(name)}`));
  return await waitForRun(() => api.runs.get(run.jobId, run.id), run, timeoutMs, signal);
}

/** The first pause between two requests: most runs are short. */
const firstPauseMs = 250;
/** The longest pause: well below the rate limit of a key. */
const longestPauseMs = 2_000;

/** How the wait ended; `run` is the last known state. */
export interface Waited {
  run: Run;
  exitCode: number;
}

/** Polls until the run has ended, the time is up or the signal aborts. Outages and rate limits are waited out. */
export async function waitForRun(
  getRun: () => Promise<Run>,
  queued: Run,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Waited> {
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(deadline - performance.now(), 0);
  let run = queued;
  let pauseMs = firstPauseMs;
  while (!isFinal(run.status) && leftMs() > 0) {
    await pause(Math.min(pauseMs, leftMs()), signal);
    if (signal?.aborted) break;
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    try {
      run = await retry(getRun, {
        delayMs(error) {
          const delayMs = passingDelayMs(error);
          return delayMs === null || leftMs() === 0 ? null : Math.min(delayMs, leftMs());
        },
        signal,
      });
    } catch (error) {
      // A failure that may pass means that the time is up, or Ctrl-C.
      if (!(error instanceof JobdError) || passingDelayMs(error) === null) throw error;
    }
  }
  const isInterrupted = signal?.aborted === true && !isFinal(run.status);
  return { run, exitCode: isInterrupted ? interruptedExitCode : runExitCodes[run.status] };
}
