/** `jobd jobs run`: runs a job now, and can wait for the result. */

import type { Command } from 'commander';
import type { QueuedRun, Run } from '../../api/runs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { counted, someOf } from '../../domain/counted.ts';
import { errorCodes, JobdError } from '../../domain/errors.ts';
import { jobFilters } from '../../domain/jobs/listed-job.ts';
import { progressWords } from '../../domain/runs/report.ts';
import { isWaiting, isFinal } from '../../domain/runs/run.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { waitUntil, waitVisibly } from '../client/wait.ts';
import type { Context } from '../context.ts';
import { durationOf } from '../../domain/durations.ts';
import { interruptedExitCode, runExitCodes } from '../exit-codes.ts';
import { parseSeconds } from '../options.ts';
import { mostAtOnce } from '../many.ts';
import { isForMany, select, withSelection, type Selected } from '../selection.ts';
import { idCell, state } from '../terminal/cell.ts';
import { printJson, printRows, type Output } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { howToEnd, printRun } from './print-run.ts';

/** Adds the command to those of jobs. */
export function addRunNowCommand(jobs: Command, context: Context): void {
  const { output } = context;
  withWait(withSelection(jobs.command('run'), 'job', jobFilters))
    .description('run jobs now, each once a minute; their schedules do not change')
    .addHelpText(
      'after',
      '\nExamples:\n  jobd jobs run backup --wait\n  jobd jobs run --status down --wait',
    )
    .action(async (names: string[], flags: Flags & { timeout: string }) => {
      const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1_000;
      const isMany = isForMany(names, flags);
      const api = isMany ? connect(context, { waits: true }) : connect(context);
      const found = await select(names, flags, {
        noun: 'job',
        statuses: jobFilters,
        find: (text) => api.jobs.find(text),
        all: (limits) => api.jobs.summaries(limits),
      });
      sayHeld(output, found);
      if (isMany) return await runMany(context, api, found, timeoutMs, flags);
      const [job = { id: '', name: '' }] = found;
      const queued = await runOne(api, job.id);
      if (!flags['wait']) {
        if (flags['json']) printJson(output, queued);
        else output.data(queued.run.id);
        return;
      }
      const { run, exitCode } = await waitFor(context, api, { ...queued, ...job, timeoutMs });
      context.exitCode = exitCode;
      if (exitCode === interruptedExitCode) {
        output.say(`the run continues; to see it: jobd runs get ${job.id} ${run.id}`);
        return;
      }
      if (exitCode === runExitCodes.running) {
        output.say(
          `no result within ${durationOf(timeoutMs / 1_000)}, the run continues; to see it: jobd runs get ${job.id} ${run.id}`,
        );
      }
      if (flags['json']) printJson(output, { run });
      else printRun(output, run, { name: job.name });
    });
}

/** Says which of these jobs a window holds. */
export function sayHeld(output: Output, jobs: readonly Selected[]): void {
  const held = jobs.filter(({ heldUntil }) => heldUntil !== undefined).map(({ name }) => name);
  if (held.length > 0)
    output.say(`held by a window, which does not stop a run by hand: ${someOf(held, 3)}`);
}

/** Adds the options of a command that can wait for runs. */
export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait for the results, which set the exit code')
    .option('--timeout <duration>', 'longest wait', '5m');
}

/** Runs a job. The refusal of one whose run waits for a report says how to end that wait. */
async function runOne(api: Api, jobId: string): Promise<QueuedRun> {
  try {
    return await api.jobs.run(jobId);
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'conflict') throw error;
    for await (const run of api.runs.history(jobId, { status: 'running' })) {
      if (!isWaiting(run)) break;
      const notes = [howToEnd({ jobId, id: run.id })];
      throw new JobdError(error.code, error.message, { cause: error, notes });
    }
    throw error;
  }
}

/** What is known of a run at least. */
export type KnownRun = Pick<Run, 'id' | 'jobId' | 'status' | 'durationMs' | 'error'>;

interface Started extends Pick<Selected, 'id' | 'name'> {
  /** Null if it was refused. */
  run: KnownRun | null;
  /** Why it was not run; null if it was. */
  error: string | null;
}

/** Asks for all runs, as fast as the server takes them, and then waits for all. */
async function runMany(
  context: Context,
  api: Api,
  jobs: readonly Selected[],
  timeoutMs: number,
  flags: Flags,
): Promise<void> {
  const { output } = context;
  const results: Started[] = [];
  const queued = () => `asked for ${results.length} of ${counted(jobs.length, 'run')}`;
  const failure = await waitVisibly(queued, async (signal) => {
    while (results.length < jobs.length && !signal.aborted) {
      results.push(...(await start(api, jobs.slice(results.length, results.length + mostAtOnce))));
    }
  }).catch((error: unknown) => error);
  const isStopped = results.length < jobs.length;
  if (results.some(({ error }) => error !== null)) context.exitCode = errorCodes.conflict.exitCode;
  if (isStopped) {
    output.say(`stopped: ${queued()}`);
    context.exitCode = interruptedExitCode;
  } else if (flags['wait']) {
    await waitForAll(context, api, results, timeoutMs);
  }
  if (flags['json']) printJson(output, { results });
  else printStarted(output, results);
  if (failure !== undefined) throw failure;
}

/** Waits for one run after the other, and sets the exit code. */
export async function waitForAll(
  context: Context,
  api: Api,
  results: readonly { name: string; run: KnownRun | null }[],
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const result of results) {
    const { run, name } = result;
    if (run === null) continue;
    const leftMs = Math.max(deadline - performance.now(), 1);
    const waited = await waitFor(context, api, { run, name, timeoutMs: leftMs });
    result.run = waited.run;
    if (waited.exitCode !== 0) context.exitCode = waited.exitCode;
    if (waited.exitCode === interruptedExitCode) break;
  }
}

function printStarted(output: Output, results: readonly Started[]): void {
  printRows(
    output,
    results,
    {
      job: ({ name }) => name,
      status: ({ run }) => state(run?.status ?? 'refused'),
      ms: ({ run }) => run?.durationMs ?? null,
      because: ({ run, error }) => error ?? run?.error ?? null,
      run: ({ run }) => idCell(run?.id ?? null),
    },
    { none: 'there are no such jobs', optional: ['run'] },
  );
}

/** Asks for the runs of jobs that fit into one request. */
async function start(api: Api, jobs: readonly Selected[]): Promise<Started[]> {
  const ids = jobs.map(({ id }) => id);
  const outcomes = await api.jobs.act('run', ids);
  return jobs.map(({ id: jobId, name }, index) => {
    const { runId, error = null } = outcomes[index] ?? {};
    const fresh = { jobId, status: 'queued', durationMs: null, error: null } as const;
    const run = runId === undefined ? null : { id: runId, ...fresh };
    return { id: jobId, name, run, error };
  });
}

/** Waits with a spinner that names the job, and says how far its target is. Without a terminal that is a line for each change. */
async function waitFor<Known extends KnownRun>(
  { output }: Context,
  api: Api,
  { run, name, timeoutMs }: { run: Known; name: string; timeoutMs: number },
): Promise<Waited<Known>> {
  const words = `waiting for the run of ${plain(name)}`;
  let progress = '';
  const get = async (): Promise<Run> => {
    const now = await api.runs.get(run.jobId, run.id);
    const far = plain((now.report && progressWords(now.report)) ?? '');
    if (far !== progress && far !== '' && !output.isTerminal) output.say(`${words}: ${far}`);
    progress = far;
    return now;
  };
  return await waitVisibly(
    () => (progress === '' ? words : `${words}: ${progress}`),
    (signal) => waitForRun(get, run, timeoutMs, signal),
  );
}

/** How the wait ended; `run` is the last known state. */
export interface Waited<Known extends KnownRun> {
  run: Known | Run;
  exitCode: number;
}

const isOver = ({ status }: KnownRun): boolean => isFinal(status);

/** Waits until the run has ended, the time is up or the signal aborts. */
export async function waitForRun<Known extends KnownRun>(
  getRun: () => Promise<Run>,
  queued: Known,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Waited<Known>> {
  const run = await waitUntil<Known | Run>(getRun, queued, { isOver, timeoutMs, signal });
  const isInterrupted = signal?.aborted === true && !isOver(run);
  return { run, exitCode: isInterrupted ? interruptedExitCode : runExitCodes[run.status] };
}
