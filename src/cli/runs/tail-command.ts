/** `jobd runs tail`: runs as they end. */

import type { Command } from 'commander';
import type { ListedRun, RunSummary } from '../../api/runs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { systemClock } from '../../domain/clock.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import { parseChoice } from '../../settings/setting.ts';
import { createApi, type Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { serverTime } from '../client/exchange.ts';
import { createListener } from '../client/listen.ts';
import { createPace, pause } from '../client/retry.ts';
import { clientConfig } from '../client/settings.ts';
import type { Named } from '../client/find.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../exit-codes.ts';
import { parseMoment } from '../options.ts';
import { printLine } from '../terminal/output.ts';
import { Cancelled } from '../terminal/prompt.ts';
import { catchInterrupt } from '../terminal/waiting.ts';
import { createEndedLines } from './ended-lines.ts';
import { followEnded } from './follow.ts';
import { runsOf } from './list.ts';
import { followRuns, type RunSource } from './tail.ts';

const finalStatuses = runStatuses.filter(isFinal);
/** What `--no-follow` shows if nothing else is asked for. */
const lastHourMs = 3_600_000;

/** Adds the command. */
export function addTailCommand(runs: Command, context: Context): void {
  runs
    .command('tail')
    .description('print runs as they end, until Ctrl-C: lines on a terminal, JSON in a pipe')
    .option('--job <job>', 'only runs of this job')
    .option('--status <status>', `only runs with this result: ${finalStatuses.join(', ')}`)
    .option('--since <when>', 'start here: a time, or an age such as 10m (default: now)')
    .option('--no-follow', 'print what has ended since then (default: 1h) and stop')
    .option('--json', 'print a JSON document per line on a terminal too')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs tail --status failed
  jobd runs tail --job backup --since 1h | jq -r '[.finishedAt, .status] | @tsv'
  jobd runs tail --no-follow --since 12h

It listens to the events of the server, and polls where they do not get through.
It takes at most half of the rate limit of a key, survives a restart of the
server, and prints each run once.`,
    )
    .action((flags: Flags) => tail(flags, context));
}

async function tail(flags: Flags, context: Context): Promise<void> {
  const { output } = context;
  const { status: wanted, since: from, job, follow } = flags;
  const status =
    wanted === undefined ? null : parseChoice(String(wanted), '--status', finalStatuses);
  const { ask } = connect(context);
  // What follows is counted by the clock of the server. If this fails, so will the first look for runs, which says why.
  await ask('GET', '/me').catch(() => {});
  const now = serverTime();
  const begin = follow === false ? now - lastHourMs : now;
  const since = typeof from === 'string' ? await parseMoment(from, '--since', now, -1) : begin;
  using interrupt = catchInterrupt();
  const { signal } = interrupt;
  const pace = createPace(
    () => systemClock.monotonicMs(),
    (ms) => pause(ms, signal),
  );
  const api = createApi(async (...question) => {
    await pace();
    if (signal.aborted) throw new Cancelled();
    return await ask(...question);
  });
  const named = typeof job === 'string' ? await api.jobs.find(job) : null;
  const follower = followRuns(sourceOf(api, named), since, serverTime);
  const isText = output.isTerminal && flags['json'] !== true;
  const printLineOf = createEndedLines(output, now);
  const print = (run: ListedRun): void => {
    if (isText) printLineOf(run);
    else printLine(output, run);
  };
  if (follow === false) {
    for (const run of await follower.poll()) {
      if (status === null || run.status === status) print(run);
    }
    return;
  }
  const listen = createListener(clientConfig());
  const jobId = named?.id ?? null;
  await followEnded({ follower, listen, output, print, status, jobId, signal });
  context.exitCode = interruptedExitCode;
}

/** Asks for the runs of a job, or of all, each with the name of its job. */
function sourceOf(api: Api, job: Named | null): RunSource {
  const names = new Map<string, string>(job === null ? [] : [[job.id, job.name]]);
  const listed = (run: RunSummary & Partial<ListedRun>, jobId: string): ListedRun => {
    const { id, name } = run.job ?? { id: jobId, name: names.get(jobId) ?? jobId };
    names.set(id, name);
    return { ...run, job: { id, name } };
  };
  return {
    async *list(filter) {
      for await (const run of runsOf(api, job?.id ?? null, filter))
        yield listed(run, job?.id ?? '');
    },
    async get(jobId, id) {
      const run = await api.runs.get(jobId, id);
      if (!names.has(jobId)) names.set(jobId, (await api.jobs.get(jobId)).name);
      // As it is in lists.
      const { jobId: _, responseBody: __, truncated: ___, report: ____, ...summary } = run;
      return listed(summary, jobId);
    },
  };
}
