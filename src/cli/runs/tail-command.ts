/** `jobd runs tail`: runs as they end, for programs. */

import type { Command } from 'commander';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { systemClock } from '../../domain/clock.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { createApi } from '../client/api.ts';
import { createPace, passingDelayMs, pause, retry } from '../client/retry.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../exit-codes.ts';
import { parseMomentOrDuration } from '../options.ts';
import { parseChoice } from '../../setting.ts';
import { printLine } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { catchInterrupt } from '../terminal/waiting.ts';
import { followRuns } from './tail.ts';
import type { Follower, RunSource } from './tail.ts';

const finalStatuses = runStatuses.filter(isFinal);
/** The shortest pause between two polls. */
const pauseMs = 1_000;

/** Adds the command. */
export function addTailCommand(runs: Command, context: Context): void {
  runs
    .command('tail')
    .description('print runs as they end, as one JSON document per line, until Ctrl-C')
    .option('--job <job>', 'only runs of this job, by id or name')
    .option('--status <status>', `only runs with this result: ${finalStatuses.join(', ')}`)
    .option('--since <when>', 'start here: a time, or an age such as 10m (default: now)')
    .option('--json', 'print JSON documents, which is the default')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs tail --status failed
  jobd runs tail --job backup --since 1h | jq -r '[.finishedAt, .status] | @tsv'

It polls the API about once a second, which is at most half of the rate limit of
a key. It survives a restart of the server, and prints each run once.`,
    )
    .action(async (flags: Flags) => {
      const { status: wanted, since: from, job } = flags;
      const status =
        wanted === undefined ? null : parseChoice(String(wanted), '--status', finalStatuses);
      const now = systemClock.now();
      const since =
        typeof from === 'string' ? parseMomentOrDuration(from, '--since', now, -1) : now;
      const api = createApi(clientConfig());
      const jobId = typeof job === 'string' ? (await api.jobs.find(job)).id : null;
      using interrupt = catchInterrupt();
      const { signal } = interrupt;
      const pace = createPace(
        () => systemClock.monotonicMs(),
        (ms) => pause(ms, signal),
      );
      const source: RunSource = {
        async *listJobs() {
          await pace();
          if (jobId === null) yield* api.jobs.list();
          else yield await api.jobs.get(jobId);
        },
        async listRuns(id, limit, cursor) {
          await pace();
          return await api.runs.list(id, limit, cursor);
        },
      };
      const follower = followRuns(source, since, () => systemClock.now());
      await follow(follower, context.output, { status, signal });
      context.exitCode = interruptedExitCode;
    });
}

/** Prints runs until the signal aborts. Throws failures that will not pass. */
async function follow(
  follower: Follower,
  output: Output,
  { status, signal }: { status: RunStatus | null; signal: AbortSignal },
): Promise<void> {
  let isLost = false;
  while (!signal.aborted) {
    try {
      const ended = await retry(() => follower.poll(), {
        delayMs: passingDelayMs,
        onRetry(error) {
          if (!isLost) output.say(`${plain(error.message)}; retrying`);
          isLost = true;
        },
        signal,
      });
      if (isLost) output.say('the server answers again');
      isLost = false;
      for (const run of ended) {
        if (status === null || run.status === status) printLine(output, run);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await pause(pauseMs, signal);
  }
}
