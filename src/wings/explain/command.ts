/** `jobd explain`: why a job ran, did not run or ran late, over the API. */

import type { Command } from 'commander';
import type { JobExplanation } from './contract.ts';
import type { Flags } from '../../settings/config.ts';
import { connect } from '../../cli/client/connect.ts';
import { path, queryOf } from '../../cli/client/path.ts';
import type { Context } from '../../cli/context.ts';
import { findRunId, runArgument } from '../../cli/runs/named-run.ts';
import { withName } from '../../cli/resource.ts';
import { printJson, type Output } from '../../cli/terminal/output.ts';
import { plain, wrapTo } from '../../cli/terminal/text.ts';

/** Longer lines are hard to read. */
const widest = 100;

/** Adds the command. */
export function addExplainCommand(program: Command, context: Context): void {
  const { output } = context;
  withName(program.command('explain'), 'job')
    .description('say why a job ran, did not run or ran late')
    .option('--run <run>', `a run to explain, instead of a time: ${runArgument}`)
    .option('--at <time>', 'the time to explain', 'the newest due time')
    .addHelpText(
      'after',
      `
Examples:
  jobd explain backup
  jobd explain backup --at 02:30
  jobd explain backup --at '2026-11-24 02:30'
  jobd explain backup --run failed
  jobd explain backup --at 2026-11-24T01:30:00Z --json

A time without Z or an offset is one of the clocks in the zone of the job; one
without a date is the last one. The address of the target is looked up and
judged, but nothing is sent to it.`,
    )
    .action(async (name: string, flags: Flags & { at: string; run?: string }, command: Command) => {
      const at = command.getOptionValueSource('at') === 'default' ? null : flags.at;
      const api = connect(context);
      const job = await api.jobs.find(name);
      const runId = flags.run === undefined ? null : await findRunId(api, job, flags.run);
      const asked = path`/jobs/${job.id}/explanation` + queryOf({ at, runId });
      const explanation = await api.ask<JobExplanation>('GET', asked);
      if (flags['json']) printJson(output, explanation);
      else printExplanation(output, explanation);
    });
}

/** Prints the answer, a command whole, then a fact per line; what is not known is marked with `?`. On a terminal long lines wrap. */
export function printExplanation(
  output: Output,
  { answer, todo, command, facts }: JobExplanation,
): void {
  const width = output.isTerminal ? Math.min(output.width, widest) : Infinity;
  for (const text of [answer, ...(todo === null ? [] : [todo])]) {
    for (const line of wrapTo(plain(text), width)) output.data(line);
  }
  if (command !== null) output.data(plain(command));
  if (output.isTerminal) output.data('');
  for (const { sentence, isKnown } of facts) {
    const [first = '', ...others] = wrapTo(plain(sentence), width - 2);
    output.data(`${isKnown ? '-' : '?'} ${first}`);
    for (const line of others) output.data(`  ${line}`);
  }
}
