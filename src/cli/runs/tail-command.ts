/** `jobd runs tail`: runs as they end, for programs. */

import type { Command } from 'commander';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { systemClock } from '../../domain/clock.ts';
import { isFinal, runStatuses } from '../../domain/runs/run.ts';
import { createApi } from '../client/api.ts';
import { createListener } from '../client/listen.ts';
import { createPace, pause } from '../client/retry.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode } from '../exit-codes.ts';
import { parseMomentOrDuration } from '../options.ts';
import { parseChoice } from '../../setting.ts';
import { catchInterrupt } from '../terminal/waiting.ts';
import { followEnded } from './follow.ts';
import { followRuns } from './tail.ts';
import type { RunSource } from './tail.ts';

const finalStatuses = runStatuses.filter(isFinal);

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

It listens to the events of the server, and polls where they do not get through.
It takes at most half of the rate limit of a key, survives a restart of the
server, and prints each run once.`,
    )
    .action(async (flags: Flags) => {
      const { status: wanted, since: from, job } = flags;
      const status =
        wanted === undefined ? null : parseChoice(String(wanted), '--status', finalStatuses);
      const now = systemClock.now();
      const since =
        typeof from === 'string' ? parseMomentOrDuration(from, '--since', now, -1) : now;
      const config = clientConfig();
      const api = createApi(config);
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
      const listen = createListener(config);
      const { output } = context;
      await followEnded({ follower, listen, output, status, jobId, signal });
      context.exitCode = interruptedExitCode;
    });
}
