/** `jobd runs`: what happened, over the API. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { withName } from '../resource.ts';
import { printJson } from '../terminal/output.ts';
import { addReportRunCommand } from './report.ts';
import { addListCommand } from './list.ts';
import { findRun, findRunId, runArgument } from './named-run.ts';
import { firstJobOf, printRun } from './print-run.ts';
import { addTailCommand } from './tail-command.ts';

const exampleId = '019a9b1c-0000-7000-8000-000000000000';

/** Adds the commands. */
export function addRunCommands(program: Command, context: Context): void {
  const { output } = context;
  const runs = program.command('runs').description('list, show and follow runs');
  const ofJob = (name: string): Command => withName(runs.command(name), 'job');

  addListCommand(runs, context);

  ofJob('get')
    .argument('[run]', runArgument, 'latest')
    .description('show a run and the start of its response')
    .addHelpText(
      'after',
      `
Examples:
  jobd runs get backup
  jobd runs get backup failed
  jobd runs get backup ${exampleId}`,
    )
    .action(async (name: string, text: string, flags: Flags) => {
      const api = connect(context);
      const job = await api.jobs.find(name);
      const run = await findRun(api, job, text);
      if (flags['json']) printJson(output, { run });
      else printRun(output, run, { ...job, firstJob: await firstJobOf(api, run) });
    });

  ofJob('receipt')
    .argument('[run]', runArgument, 'latest')
    .description('print the receipt of a run, to archive and to verify it')
    .option('--json', 'print one JSON document, which is the default')
    .addHelpText(
      'after',
      `\nExamples:\n  jobd runs receipt backup > receipt.json\n  jobd runs receipt backup ${exampleId} > receipt.json`,
    )
    .action(async (name: string, text: string) => {
      const api = connect(context);
      const job = await api.jobs.find(name);
      printJson(output, await api.runs.receipt(job.id, await findRunId(api, job, text)));
    });

  addReportRunCommand(runs, context);
  addTailCommand(runs, context);
}
