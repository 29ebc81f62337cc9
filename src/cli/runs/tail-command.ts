/** `jobd runs tail`: runs as they end, for programs. */

import type { Command } from 'commander';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { systemClock } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { createClient } from '../client/client.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../manual/exit-codes.ts';
import { findJob } from '../client/find-named.ts';
import { catchInterrupt } from '../terminal/interrupt.ts';
import { parseMomentOrAge } from '../options/moment.ts';
import { printLine } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import type { Asks, Follower } from './tail.ts';
import { plain } from '../terminal/text.ts';
import { patienceMs, pause } from '../client/wait.ts';

const finalStatuses = runStatuses.filter(isFinal);
/** Between looks, at least. */
const pauseMs = 1_000;

/** Adds the command. */
export function addTailCommand(runs: Command, context: Context): void {
  const { output } = context;
  runs
    .command('tail')
    .description('follow runs as they end, one JSON document a line, until Ctrl-C')
    .option('--job <job>', 'only runs of this job, by id or name')
    .option('--status <status>', `only runs that ended so: ${finalStatuses.join(', ')}`)
    .option('--since <when>', 'from then on: a time, or how long ago such as 10m (default: now)')
    .option('--json', 'print JSON documents, which is what it does')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd runs tail --status failed\n' +
        "  jobd runs tail --job backup --since 1h | jq -r '[.finishedAt, .status] | @tsv'\n" +
        '\nIt asks the API about once a second, so that it takes half of what a key may ask\n' +
        'at most. A server that is restarted meanwhile is waited for, and nothing is told\n' +
        'twice.',
    )
    .action(async (flags: Flags) => {
      const status = statusOf(flags['status']);
      const now = systemClock.now();
      const since =
        typeof flags['since'] === 'string' ? parseMomentOrAge(flags['since'], '--since', now) : now;
      const client = createClient(clientConfig());
      const jobId =
        typeof flags['job'] === 'string' ? (await findJob(client, flags['job'])).id : null;
      using interrupt = catchInterrupt();
      const { signal } = interrupt;
      const { createPace } = await import('../client/pace.ts');
      const { followRuns } = await import('./tail.ts');
      const pace = createPace(
        () => systemClock.monotonicMs(),
        (ms) => pause(ms, signal),
      );
      const asks: Asks = {
        async *listJobs() {
          await pace();
          if (jobId === null) yield* client.listJobs();
          else yield await client.getJob(jobId);
        },
        async listRuns(id, limit, cursor) {
          await pace();
          return await client.listRuns(id, limit, cursor);
        },
      };
      await follow(
        followRuns(asks, since, () => systemClock.now()),
        output,
        { status, signal },
      );
      context.exitCode = interruptedExitCode;
    });
}

/** Prints what ends until the signal comes. What will not pass is thrown. */
async function follow(
  follower: Follower,
  output: Output,
  { status, signal }: { status: RunStatus | null; signal: AbortSignal },
): Promise<void> {
  let isLost = false;
  while (!signal.aborted) {
    try {
      const ended = await follower.look();
      if (isLost) output.say('the server answers again');
      isLost = false;
      for (const run of ended) {
        if (status === null || run.status === status) printLine(output, run);
      }
      await pause(pauseMs, signal);
    } catch (error) {
      const againMs = patienceMs(error);
      if (againMs === null) throw error;
      if (!isLost) output.say(`${plain((error as Error).message)}; retrying`);
      isLost = true;
      await pause(againMs, signal);
    }
  }
}

function statusOf(flag: Flags[string]): RunStatus | null {
  if (flag === undefined) return null;
  const status = finalStatuses.find((known) => known === flag);
  if (status !== undefined) return status;
  throw invalidInput(`--status must be one of ${finalStatuses.join(', ')}, got ${String(flag)}`);
}
