/** `jobd runs`: what became of a job's runs, over the API. */

import type { Command } from 'commander';
import type { Run } from '../../api/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { moment, state } from '../terminal/cell.ts';
import { createClient } from '../client/client.ts';
import { findJob } from '../client/find-named.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { plainLines } from '../terminal/text.ts';
import type { Context } from '../context.ts';
import { addTailCommand } from './tail-command.ts';
import { parseWholeNumber } from '../options/whole-number.ts';

/** Adds the commands. */
export function addRunCommands(program: Command, context: Context): void {
  const { output } = context;
  const runs = program.command('runs').description('list, show and follow runs');

  runs
    .command('list')
    .argument('<job>', 'id or name of the job')
    .description('list the latest runs of a job, newest first')
    .option('--limit <n>', 'how many, 1 to 100', '50')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd runs list backup --limit 10')
    .action(async (name: string, flags: Flags & { limit: string }) => {
      const limit = parseWholeNumber(flags.limit, '--limit', { min: 1, max: 100 });
      const client = createClient(clientConfig());
      const { id } = await findJob(client, name);
      const found = await client.listRuns(id, limit);
      if (flags['json']) return printJson(output, found);
      printRows(
        output,
        found.runs,
        {
          id: (run) => run.id,
          status: (run) => state(run.status),
          'scheduled for': (run) => moment(run.scheduledFor),
          http: (run) => run.httpStatus,
          ms: (run) => run.durationMs,
          attempts: (run) => run.attempts,
          error: (run) => run.error,
        },
        { none: 'there are no runs yet', optional: ['ms', 'attempts'] },
      );
    });

  runs
    .command('get')
    .argument('<job>', 'id or name of the job')
    .argument('<run>', 'id of the run')
    .description('show a run, with the preview of its response')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd runs get backup 019a9b1c-0000-7000-8000-000000000000')
    .action(async (name: string, runId: string, flags: Flags) => {
      const client = createClient(clientConfig());
      const { id } = await findJob(client, name);
      const run = await client.getRun(id, runId);
      if (flags['json']) printJson(output, { run });
      else printRun(output, run);
    });

  runs
    .command('receipt')
    .argument('<job>', 'id or name of the job')
    .argument('<run>', 'id of the run')
    .description('print the receipt of a run, to be kept and checked with jobd verify')
    .option('--json', 'print one JSON document, which is what a receipt is')
    .addHelpText(
      'after',
      '\nExample:\n  jobd runs receipt backup 019a9b1c-0000-7000-8000-000000000000 > receipt.json',
    )
    .action(async (name: string, runId: string) => {
      const client = createClient(clientConfig());
      const { id } = await findJob(client, name);
      printJson(output, await client.getReceipt(id, runId));
    });

  addTailCommand(runs, context);
}

function previewText({ truncated, responseBody }: Run): string | null {
  return truncated ? `${responseBody ?? ''}…` : responseBody;
}

/** Prints a run, field by field; for people, with the lines of its response behind. */
export function printRun(output: Output, run: Run): void {
  printFields(output, {
    id: run.id,
    status: state(run.status),
    source: run.source,
    'scheduled for': moment(run.scheduledFor),
    'started at': moment(run.startedAt),
    'finished at': moment(run.finishedAt),
    'duration ms': run.durationMs,
    attempts: run.attempts,
    http: run.httpStatus,
    ...(run.error !== null && { error: run.error }),
    ...(!output.isTerminal && { response: previewText(run) }),
  });
  if (!output.isTerminal || run.responseBody === null) return;
  output.data('');
  for (const line of plainLines(previewText(run) ?? '')) output.data(line);
}
