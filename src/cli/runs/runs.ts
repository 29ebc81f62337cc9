/** `jobd runs`: the runs of a job, over the API. */

import type { Command } from 'commander';
import type { Run } from '../../api/runs/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { createApi } from '../client/api.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit } from '../options.ts';
import { withName } from '../resource.ts';
import { moment, state } from '../terminal/cell.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { plainLines } from '../terminal/text.ts';
import { addTailCommand } from './tail-command.ts';

const exampleId = '019a9b1c-0000-7000-8000-000000000000';

/** Adds the commands. */
export function addRunCommands(program: Command, context: Context): void {
  const { output } = context;
  const runs = program.command('runs').description('list, show and follow runs');
  const ofJob = (name: string): Command => withName(runs.command(name), 'job');

  withListLimit(ofJob('list'))
    .description('list the latest runs of a job, newest first')
    .addHelpText('after', '\nExample:\n  jobd runs list backup --limit 10')
    .action(async (name: string, flags: Flags) => {
      const limit = listLimitOf(flags);
      const api = createApi(clientConfig());
      const found = await api.runs.list((await api.jobs.find(name)).id, limit);
      if (flags['json']) printJson(output, found);
      else printRuns(output, found.runs);
    });

  ofJob('get')
    .argument('<run>', 'id of the run')
    .description('show a run and the start of its response')
    .addHelpText('after', `\nExample:\n  jobd runs get backup ${exampleId}`)
    .action(async (name: string, runId: string, flags: Flags) => {
      const api = createApi(clientConfig());
      const run = await api.runs.get((await api.jobs.find(name)).id, runId);
      if (flags['json']) printJson(output, { run });
      else printRun(output, run);
    });

  ofJob('receipt')
    .argument('<run>', 'id of the run')
    .description('print the receipt of a run, to archive it and check it with jobd verify')
    .option('--json', 'print one JSON document, which is the default')
    .addHelpText('after', `\nExample:\n  jobd runs receipt backup ${exampleId} > receipt.json`)
    .action(async (name: string, runId: string) => {
      const api = createApi(clientConfig());
      printJson(output, await api.runs.receipt((await api.jobs.find(name)).id, runId));
    });

  addTailCommand(runs, context);
}

function printRuns(output: Output, runs: readonly Run[]): void {
  printRows(
    output,
    runs,
    {
      id: ({ id }) => id,
      status: ({ status }) => state(status),
      'scheduled for': ({ scheduledFor }) => moment(scheduledFor),
      http: ({ httpStatus }) => httpStatus,
      ms: ({ durationMs }) => durationMs,
      attempts: ({ attempts }) => attempts,
      error: ({ error }) => error,
    },
    { none: 'there are no runs yet', optional: ['ms', 'attempts'] },
  );
}

function previewText({ truncated, responseBody }: Run): string | null {
  return truncated ? `${responseBody ?? ''}…` : responseBody;
}

/** Prints the fields of a run; on a terminal, followed by the lines of its response. */
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
