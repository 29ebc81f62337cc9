/** `jobd runs tail`: runs as they end. */

import type { Command } from 'commander';
import type { Job } from '../../api/jobs/contract.ts';
import type { Run } from '../../api/runs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { systemClock } from '../../domain/clock.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import { parseChoice } from '../../settings/setting.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { createListener } from '../client/listen.ts';
import { createPace, pause } from '../client/retry.ts';
import { clientConfig } from '../client/settings.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../exit-codes.ts';
import { parseMomentOrDuration } from '../options.ts';
import { printLine } from '../terminal/output.ts';
import { catchInterrupt } from '../terminal/waiting.ts';
import { createEndedLines } from './ended-lines.ts';
import { followEnded } from './follow.ts';
import { followRuns } from './tail.ts';

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
  const now = systemClock.now();
  const begin = follow === false ? now - lastHourMs : now;
  const since = typeof from === 'string' ? parseMomentOrDuration(from, '--since', now, -1) : begin;
  const api = connect(context);
  const jobId = typeof job === 'string' ? (await api.jobs.find(job)).id : null;
  using interrupt = catchInterrupt();
  const { signal } = interrupt;
  const names = createNames(api);
  const pace = createPace(
    () => systemClock.monotonicMs(),
    (ms) => pause(ms, signal),
  );
  const follower = followRuns(
    {
      async *listJobs() {
        await pace();
        if (jobId !== null) yield names.note(await api.jobs.get(jobId));
        else for await (const one of api.jobs.list()) yield names.note(one);
      },
      async listRuns(id, limit, cursor) {
        await pace();
        return await api.runs.list(id, limit, cursor);
      },
    },
    since,
    () => systemClock.now(),
  );
  const isText = output.isTerminal && flags['json'] !== true;
  const printLineOf = createEndedLines(output, now);
  const print = async (run: Run): Promise<void> => {
    const name = await names.of(run.jobId);
    if (isText) printLineOf(run, name);
    else printLine(output, { ...run, job: { id: run.jobId, name } });
  };
  if (follow === false) {
    for (const run of await follower.poll()) {
      if (status === null || run.status === status) await print(run);
    }
    return;
  }
  const listen = createListener(clientConfig());
  await followEnded({ follower, listen, output, print, status, jobId, signal });
  context.exitCode = interruptedExitCode;
}

/** The names of jobs, as far as they were seen; others are asked for once. */
function createNames(api: Api) {
  const names = new Map<string, string>();
  const note = (job: Job): Job => {
    names.set(job.id, job.name);
    return job;
  };
  return {
    note,
    async of(jobId: string): Promise<string> {
      // A job that was deleted meanwhile has no name any more.
      if (!names.has(jobId)) await api.jobs.get(jobId).then(note, () => names.set(jobId, jobId));
      return names.get(jobId) ?? jobId;
    },
  };
}
