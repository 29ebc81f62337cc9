/** `jobd figures`: how often a job succeeded, and how long its runs took, over the API. */

import type { Command } from 'commander';
import { connect } from '../../cli/client/connect.ts';
import { path } from '../../cli/client/path.ts';
import type { Context } from '../../cli/context.ts';
import { withName } from '../../cli/resource.ts';
import { moment } from '../../cli/terminal/cell.ts';
import { printJson, printRows } from '../../cli/terminal/output.ts';
import { rateText } from '../../domain/runs/rate.ts';
import type { Flags } from '../../settings/config.ts';
import type { JobFigures } from './contract.ts';

/** Adds the command. */
export function addFiguresCommand(program: Command, context: Context): void {
  const { output } = context;
  withName(program.command('figures'), 'job')
    .description('say how often a job succeeded, and how long it took')
    .addHelpText(
      'after',
      `
Example:
  jobd figures backup

Durations are of answered runs: the median, and what 95 and 99 of 100 did not
exceed. Missed are due times.`,
    )
    .action(async (name: string, flags: Flags) => {
      const api = connect(context);
      const job = await api.jobs.find(name);
      const figures = await api.ask<JobFigures>('GET', path`/jobs/${job.id}/figures`);
      if (flags['json']) return printJson(output, figures);
      printRows(
        output,
        figures.periods,
        {
          days: ({ days }) => days,
          rate: (of) => rateText(of),
          success: ({ success }) => success,
          failed: ({ failed }) => failed,
          interrupted: ({ interrupted }) => interrupted,
          missed: ({ missed }) => missed,
          'p50 ms': ({ durations }) => durations?.p50Ms ?? null,
          'p95 ms': ({ durations }) => durations?.p95Ms ?? null,
          'p99 ms': ({ durations }) => durations?.p99Ms ?? null,
          'counted from': ({ countedFrom }) => moment(countedFrom),
        },
        { none: 'there are no figures', optional: ['counted from'] },
      );
    });
}
