/** `jobd jobs callbacks`: what became of the results that a job posts to its `onResult`. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { quoted } from '../../domain/quote.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit, withWide } from '../options.ts';
import { withName } from '../resource.ts';
import { plain } from '../terminal/text.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';

/** Adds the command. */
export function addCallbacksCommand(jobs: Command, context: Context): void {
  const command = withName(jobs.command('callbacks'), 'job').description(
    'list the latest results that a job posted to its --on-result URL, newest first',
  );
  withWide(withListLimit(command))
    .addHelpText('after', '\nExample:\n  jobd jobs callbacks backup')
    .action(async (name: string, flags: Flags) => {
      const { output } = context;
      const { jobs: items } = connect(context);
      const { id, name: job, onResult } = await items.find(name);
      const found = await items.callbacks(id, listLimitOf(flags));
      if (flags['json']) return printJson(output, found);
      printRows(
        output,
        found.deliveries,
        {
          status: ({ status }) => state(status),
          attempts: ({ attempts }) => attempts,
          created: ({ createdAt }) => moment(createdAt),
          'last attempt': ({ lastAttemptAt }) => moment(lastAttemptAt),
          'next attempt': ({ nextAttemptAt }) => moment(nextAttemptAt),
          error: ({ lastError }) => lastError,
          run: ({ runId }) => idCell(runId),
          id: ({ id: deliveryId }) => idCell(deliveryId),
        },
        {
          none:
            onResult === undefined
              ? `${plain(job)} posts its results nowhere: jobd jobs update ${plain(quoted(job))} --on-result URL`
              : 'there are no results yet',
          optional: ['id', 'created', 'last attempt'],
          isWide: flags['wide'] === true,
        },
      );
    });
}
