/** `jobd runs replay`: calls again for due times of earlier runs, over the API. */

import type { Command } from 'commander';
import type { QueuedRun, RunSummary } from '../../api/runs/contract.ts';
import type { Api } from '../../cli/client/api.ts';
import { connect } from '../../cli/client/connect.ts';
import { pages } from '../../cli/client/client.ts';
import { path, queryOf } from '../../cli/client/path.ts';
import { askOnce, pause } from '../../cli/client/retry.ts';
import { waitVisibly } from '../../cli/client/wait.ts';
import type { Context } from '../../cli/context.ts';
import { interruptedExitCode } from '../../cli/exit-codes.ts';
import { wantedOf, type Wanted } from '../../cli/runs/list.ts';
import { sayHeld, waitForAll, withWait, type KnownRun } from '../../cli/runs/run-now.ts';
import { parseMoment, parseSeconds } from '../../cli/options.ts';
import { findRunId, runArgument } from '../../cli/runs/named-run.ts';
import { printRun } from '../../cli/runs/print-run.ts';
import { withSelector, type Selected } from '../../cli/selection.ts';
import { idCell, moment, state } from '../../cli/terminal/cell.ts';
import { printJson, printRows, type Output } from '../../cli/terminal/output.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import { plain } from '../../cli/terminal/text.ts';
import { isoTime } from '../../domain/clock.ts';
import { counted } from '../../domain/counted.ts';
import { errorCodes, JobdError } from '../../domain/errors.ts';
import { quoted } from '../../domain/quote.ts';
import { againRemedy, inTurns } from '../../domain/runs/replays.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import type { Flags } from '../../settings/config.ts';
import type { Replayable, ReplayChecked, ReplayInput } from './routes.ts';

/** Adds the command to those of runs. */
export function addReplayCommand(program: Command, context: Context): void {
  const runs = program.commands.find((command) => command.name() === 'runs');
  if (runs === undefined) return;
  withWait(withSelector(runs.command('replay'), 'with --since, only runs of jobs'))
    .argument('[job]', 'name of the job, its id or the beginning of its id')
    .argument('[run]', runArgument)
    .description('call again for the due times of earlier runs')
    .option('--due-at <time>', 'one of the due times of a missed run', 'the last one')
    .option('--since <when>', 'all that went wrong since: a time, or an age such as 12h')
    .option('--until <when>', 'and before: a time, or an age such as 2h')
    .option('--status <status>', 'only runs with these', 'failed,missed,interrupted')
    .option('--again', 'also if the due time has succeeded already')
    .option('--dry-run', 'only say what would be called, or why not')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs replay backup failed --wait
  jobd runs replay backup missed --due-at 2026-11-24T01:30:00Z
  jobd runs replay --since 12h
  jobd runs replay backup --since 12h --status missed

A due time that has succeeded since is not called again. Jobs are called as they
are now, each once a minute.`,
    )
    .action(async (name: string | undefined, run: string | undefined, flags: Flags) => {
      const api = connect(context, { waits: true });
      const again = flags['again'] === true;
      const timeoutMs = parseSeconds(String(flags['timeout']), '--timeout') * 1_000;
      if (flags['since'] !== undefined && run === undefined) {
        const wanted = await wantedOf(flags, name);
        const job = name === undefined ? null : await api.jobs.find(name);
        const { all, earlier } = await chosen(api, job?.id ?? null, wanted, again);
        if (earlier > 0) context.output.say(earlierWords(earlier));
        sayHeld(context.output, await jobsOf(api, all, job, wanted));
        const rest = again ? null : typed(name, wanted);
        return await replayMany(context, api, { all, flags, rest, timeoutMs });
      }
      const isOfMany = ['since', 'until', 'selector'].some((flag) => flags[flag] !== undefined);
      if (name === undefined || run === undefined || isOfMany) {
        const how =
          'name a job and its run, as in: jobd runs replay JOB failed; or use --since 12h';
        throw new JobdError('usage', how);
      }
      await replayOne(context, api, { name, run, timeoutMs }, flags);
    });
}

/** Replays one due time of a named job, or says whether that would be refused. */
async function replayOne(
  context: Context,
  api: Api,
  { name, run, timeoutMs }: { name: string; run: string; timeoutMs: number },
  flags: Flags,
): Promise<void> {
  const { output } = context;
  const again = flags['again'] === true;
  const job = await api.jobs.find(name);
  const runId = (await newestDue(api, job.id, run)) ?? (await findRunId(api, job, run));
  const asked = String(flags['dueAt']);
  const at = () => parseMoment(asked, '--due-at', Date.now(), -1, job.timezone);
  const dueAt = asked === 'the last one' ? null : isoTime(await at());
  const one = { name: job.name, jobId: job.id, runId };
  sayHeld(output, [job]);
  if (flags['dryRun'] === true) {
    const query = queryOf({ dueAt, again: again ? 'true' : null });
    const checking = api.ask<ReplayChecked>('GET', replayPath(one) + query).catch(refuse);
    const [checked, { status }] = [await checking, await api.runs.get(job.id, runId)];
    return printReplayed(output, [{ ...one, status, ...checked, run: null, error: null }], flags);
  }
  const queued = await replay(api, one, { again, dueAt }).catch(refuse);
  if (!flags['wait']) {
    return flags['json'] ? printJson(output, queued) : output.data(queued.run.id);
  }
  await waitForAll(context, api, [{ ...one, run: queued.run }], timeoutMs);
  const ended = await api.runs.get(job.id, queued.run.id);
  if (flags['json']) printJson(output, { run: ended });
  else printRun(output, ended, { name: job.name });
}

/** The newest run with a status that went wrong and stands for a due time: one by hand may stand for none. Null if there is none. */
async function newestDue({ ask }: Api, jobId: string, text: string): Promise<string | null> {
  const status = badRunStatuses.find((one) => one === text.toLowerCase());
  if (status === undefined) return null;
  const query = queryOf({ jobId, status });
  const listed = pages<Replayable>(ask, `/runs/replayable${query}`, 'replayable');
  for await (const { runId } of listed) return runId;
  return null;
}

/** What a server refuses, in the words of this command. */
function inOptions(message: string): string {
  return message.replace(againRemedy, 'use --again to call it anyway');
}

function refuse(error: unknown): never {
  if (!(error instanceof JobdError)) throw error;
  const { code, retryAfterSeconds, notes } = error;
  throw new JobdError(code, inOptions(error.message), { cause: error, retryAfterSeconds, notes });
}

function replayPath({ jobId, runId }: Pick<Chosen, 'jobId' | 'runId'>): string {
  return path`/jobs/${jobId}/runs/${runId}/replay`;
}

function replay(
  { ask }: Api,
  one: Pick<Chosen, 'jobId' | 'runId'>,
  input: ReplayInput,
): Promise<QueuedRun> {
  return askOnce<QueuedRun>(ask, replayPath(one), input);
}

/** A due time to call for, and the run that it was chosen by. */
interface Chosen {
  /** Of the job. */
  name: string;
  jobId: string;
  runId: string;
  status: RunSummary['status'];
  dueAt: string;
}

/** The same as a command line, with the span that its ages meant when they were typed. */
function typed(name: string | undefined, wanted: Wanted): string {
  const given = Object.entries(wanted).filter(([, value]) => value !== null);
  const options = given.map(([flag, value]) => ` --${flag} ${quoted(String(value))}`);
  return plain(
    `jobd runs replay${name === undefined ? '' : ` ${quoted(name)}`}${options.join('')}`,
  );
}

/**
 * What is left of what went wrong, each due time once, the oldest first; with `--again` also what has succeeded since. `earlier`
 * counts the due times of missed runs before their last ones.
 */
async function chosen(api: Api, jobId: string | null, wanted: Wanted, again: boolean) {
  const query = queryOf({ ...wanted, jobId });
  const found = new Map<string, Chosen>();
  let earlier = 0;
  const listed = pages<Replayable>(api.ask, `/runs/replayable${query}`, 'replayable');
  for await (const { job, runId, status, dueAt, count, done } of listed) {
    earlier += count - 1;
    const key = `${job.id} ${dueAt}`;
    if ((done !== null && !again) || found.has(key)) continue;
    found.set(key, { name: job.name, jobId: job.id, runId, status, dueAt });
  }
  const all = [...found.values()].toSorted(
    (one, other) => Date.parse(one.dueAt) - Date.parse(other.dueAt),
  );
  return { all, earlier };
}

function earlierWords(earlier: number): string {
  const [are, each] = earlier === 1 ? ['is', 'it'] : ['are', 'each'];
  return `of due times missed in a row only the last is called: ${counted(earlier, 'earlier one')} ${are} not, name ${each} with --due-at`;
}

/** The jobs that would be called: the one that was named, or those of the due times. */
async function jobsOf(
  api: Api,
  all: readonly Chosen[],
  named: Selected | null,
  { selector }: Wanted,
): Promise<Selected[]> {
  const ids = new Set(all.map(({ jobId }) => jobId));
  if (ids.size === 0) return [];
  if (named !== null) return [named];
  const found: Selected[] = [];
  for await (const job of api.jobs.summaries({ status: null, selector })) {
    if (ids.has(job.id)) found.push(job);
  }
  return found;
}

interface Replayed extends Chosen {
  /** Null if it was refused, or not asked for before the end. */
  run: KnownRun | null;
  error: string | null;
}

/** Prints what became of each; with `--dry-run`, which they are. */
function printReplayed(output: Output, results: readonly Replayed[], flags: Flags): void {
  if (flags['json']) return printJson(output, { results: results.map(shape) });
  const columns = {
    job: ({ name }: Replayed) => name,
    'due at': ({ dueAt }: Replayed) => moment(dueAt),
    was: ({ status }: Replayed) => state(status),
    ...(flags['dryRun'] !== true && {
      is: ({ run }: Replayed) => run && state(run.status),
      because: ({ run, error }: Replayed) => error ?? run?.error ?? null,
      run: ({ run }: Replayed) => idCell(run?.id ?? null),
    }),
  };
  const none = 'nothing that went wrong then is left to replay';
  printRows(output, results, columns, { none, optional: ['run'] });
}

/** As `--json` shows it. */
function shape({ name: job, run, error, ...one }: Replayed): object {
  return { job, ...one, newRunId: run?.id ?? null, newStatus: run?.status ?? null, error };
}

/** A job may be run by hand once a minute. */
const pauseMs = 61_000;

/** What is said of a due time whose request had no answer: it may have been carried out. */
const inDoubt = 'not known: there was no answer';

interface Asked {
  all: readonly Chosen[];
  flags: Flags;
  /** The command for what is left; null with `--again`, which would call for all once more. */
  rest: string | null;
  /** The longest wait for their ends. */
  timeoutMs: number;
}

/** Replays them, and says what became of each, also before a failure of the server. */
async function replayMany(
  context: Context,
  api: Api,
  { all, flags, rest, timeoutMs }: Asked,
): Promise<void> {
  const { output } = context;
  const results: Replayed[] = all.map((one) => ({ ...one, run: null, error: null }));
  const print = (): void => printReplayed(output, results, flags);
  if (flags['dryRun'] === true || all.length === 0) return print();
  const doubtful = all.filter(({ status }) => status === 'interrupted').length;
  if (doubtful > 0) {
    const were = doubtful === 1 ? 'run was' : 'runs were';
    output.say(`${doubtful} ${were} interrupted: the target may have done the work`);
  }
  const jobs = new Set(all.map(({ jobId }) => jobId)).size;
  const question = `Replay ${counted(all.length, 'due time')} of ${counted(jobs, 'job')}?`;
  await confirm(`${question} To see them: --dry-run.`, flags['yes'] === true);
  const failure = await replayInTurns(api, results, flags['again'] === true);
  const left = results.filter(({ run, error }) => run === null && (error ?? inDoubt) === inDoubt);
  const ended = failure === null ? 'stopped by Ctrl-C' : 'the server failed before';
  for (const result of left) result.error ??= `not called: ${ended}`;
  const queued = results.filter(({ run }) => run !== null).length;
  const refused = results.length - queued - left.length;
  if (refused > 0) context.exitCode = errorCodes.conflict.exitCode;
  if (left.length > 0) context.exitCode = interruptedExitCode;
  if (flags['wait'] && left.length === 0) await waitForAll(context, api, results, timeoutMs);
  print();
  output.say(`queued ${counted(queued, 'replay')}, ${refused} refused, ${left.length} left`);
  const [next] = left;
  if (next !== undefined) output.say(`to go on: ${rest ?? oneByOne(next)}`);
  if (failure !== null) throw failure;
}

/** How to go on with `--again`. */
function oneByOne({ name, runId }: Chosen): string {
  const command = plain(`jobd runs replay ${quoted(name)} ${runId} --again`);
  return `${command}, and so on for each that is left: without a run, --again calls for all once more`;
}

/** Replays one due time of each job, then the next one of each, a minute later. Returns the failure that ended it, or null. */
async function replayInTurns(api: Api, results: Replayed[], again: boolean): Promise<Error | null> {
  const queued = () => results.filter(({ run, error }) => run !== null || error !== null).length;
  const words = () => `replays: ${queued()} of ${results.length}`;
  return await waitVisibly(words, async (signal) => {
    const calledAt = new Map<string, number>();
    for (const result of inTurns(results, ({ jobId }) => jobId)) {
      const before = calledAt.get(result.jobId) ?? -Infinity;
      await pause(Math.max(0, before + pauseMs - performance.now()), signal);
      if (signal.aborted) break;
      try {
        Object.assign(result, await replayed(api, result, again, signal));
      } catch (error) {
        result.error = inDoubt;
        return error as Error;
      }
      if (result.run !== null) calledAt.set(result.jobId, performance.now());
    }
    return null;
  });
}

async function replayed(
  api: Api,
  one: Chosen,
  again: boolean,
  signal: AbortSignal,
): Promise<Partial<Replayed>> {
  try {
    return { run: (await replay(api, one, { again, dueAt: one.dueAt })).run };
  } catch (error) {
    if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
    // Ctrl-C ended its wait for the limit, so it is left.
    if (signal.aborted && error.code === 'rate_limited') return {};
    return { error: inOptions(error.message) };
  }
}
