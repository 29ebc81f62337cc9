/** `jobd jobs`: jobs, over the API. */

import type { Command } from 'commander';
import type * as contract from '../../api/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { interruptedExitCode } from '../manual/exit-codes.ts';
import { jobActions, leavesOrigin } from '../../domain/jobs/job.ts';
import type { JobAction } from '../../domain/jobs/job.ts';
import { moment, state } from '../terminal/cell.ts';
import { createClient } from '../client/client.ts';
import type { Client } from '../client/client.ts';
import { confirm } from '../terminal/confirm.ts';
import { printDueTimes } from './due-times.ts';
import { parseDuration } from '../options/duration.ts';
import { findJob } from '../client/find-named.ts';
import { catchInterrupt } from '../terminal/interrupt.ts';
import { fieldsOfCurl } from './job-curl.ts';
import { textOrFile, updateOf, withJobOptions } from './job-options.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import type { Context } from '../context.ts';
import { printRun } from '../runs/runs.ts';
import { startSpinner } from '../terminal/spinner.ts';
import { scheduleText } from './schedule-options.ts';
import { waitForRun } from '../client/wait.ts';
import type { Waited } from '../client/wait.ts';

/** Adds the commands. */
export function addJobCommands(program: Command, context: Context): void {
  const { output } = context;
  const jobs = program.command('jobs').description('create, change, list, show and run jobs');

  withJobOptions(jobs.command('create').description('create a job'), { required: true })
    .option('--curl <command|@file|->', 'the call that a curl command makes, instead of --url')
    .option('--paused', 'create it paused')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        "  jobd jobs create --name backup --url https://example.com/backup \\\n    --cron '30 2 * * *' --tz UTC\n" +
        '  jobd jobs create --name ping --url https://example.com/ping --every 5m\n' +
        "  jobd jobs create --name invoice --url https://example.com/invoice \\\n    --method POST --header 'Content-Type: application/json' \\\n    --data @invoice.json --cron @monthly\n" +
        '  jobd jobs create --name orders --every 15m \\\n    --curl "curl -u me:secret -d state=open https://example.com/orders"',
    )
    .action(async (flags: Flags & { name: string }) => {
      const { name, curl, ['paused']: paused } = flags;
      const copied =
        typeof curl === 'string'
          ? fieldsOfCurl(await textOrFile(curl, '--curl'), flags, output)
          : {};
      const given = { ...copied, ...(await updateOf(flags)), name };
      const { url } = given;
      if (url === undefined)
        throw new JobdError('usage', "required option '--url <url>' not specified");
      const input = { ...given, url, ...(paused === true && { paused }) };
      const job = await createClient(clientConfig()).createJob(input);
      if (flags['json']) printJson(output, { job });
      else await printJob(context, job);
    });

  jobs
    .command('list')
    .description('list all jobs of the workspace, newest first')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd jobs list')
    .action(async (flags: Flags) => {
      const found = await Array.fromAsync(createClient(clientConfig()).listJobs());
      if (flags['json']) return printJson(output, { jobs: found });
      printRows(
        output,
        found,
        {
          id: ({ id }) => id,
          name: ({ name }) => name,
          status: ({ status }) => state(status),
          schedule: scheduleText,
          'next run': ({ nextRunAt }) => moment(nextRunAt),
        },
        { none: 'there are no jobs' },
      );
    });

  jobs
    .command('get')
    .argument('<job>', 'id or name of the job')
    .description('show a job')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd jobs get backup')
    .action(async (name: string, flags: Flags) => {
      const job = await findJob(createClient(clientConfig()), name);
      if (flags['json']) printJson(output, { job });
      else await printJob(context, job);
    });

  withJobOptions(jobs.command('update').argument('<job>', 'id or name of the job'), {
    required: false,
  })
    .description('change a job: only what is given changes')
    .option('--no-headers', 'send no headers any more')
    .option('--no-data', 'send no body any more')
    .option('--json', 'print one JSON document')
    .addHelpText('after', "\nExample:\n  jobd jobs update backup --cron '30 3 * * *' --tz UTC")
    .action(async (name: string, flags: Flags) => {
      const update = await updateOf(flags);
      const client = createClient(clientConfig());
      const found = await findJob(client, name);
      checkMove(found, update);
      const job = await client.updateJob(found.id, update);
      if (flags['json']) printJson(output, { job });
      else await printJob(context, job);
    });

  for (const action of jobActions) {
    jobs
      .command(action)
      .argument('<job>', 'id or name of the job')
      .description(actionWords[action])
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nExample:\n  jobd jobs ${action} backup`)
      .action(async (name: string, flags: Flags) => {
        const client = createClient(clientConfig());
        const { id } = await findJob(client, name);
        const job = await client.updateJob(id, { action });
        if (flags['json']) printJson(output, { job });
        else await printJob(context, job);
      });
  }

  jobs
    .command('delete')
    .argument('<job>', 'id or name of the job')
    .description('delete a job with all its runs')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd jobs delete backup --yes')
    .action(async (name: string, flags: Flags) => {
      const client = createClient(clientConfig());
      const job = await findJob(client, name);
      await confirm(`Delete job ${plain(job.name)} with all its runs?`, flags['yes'] === true);
      await client.deleteJob(job.id);
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`deleted ${job.id}`);
    });

  jobs
    .command('run')
    .argument('<job>', 'id or name of the job')
    .description('run a job now; its schedule stays as it is')
    .option('--wait', 'wait for the result; the exit code tells it')
    .option('--timeout <duration>', 'longest wait', '5m')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd jobs run backup --wait')
    .action(async (name: string, flags: Flags & { timeout: string }) => {
      const timeoutMs = parseDuration(flags.timeout, '--timeout') * 1_000;
      const client = createClient(clientConfig());
      const job = await findJob(client, name);
      const queued = await client.runJob(job.id);
      if (!flags['wait']) {
        if (flags['json']) printJson(output, queued);
        else output.data(queued.run.id);
        return;
      }
      const { run, exitCode } = await waitFor(client, queued.run, { name: job.name, timeoutMs });
      context.exitCode = exitCode;
      if (exitCode === interruptedExitCode) {
        output.say(`the run goes on, look at it with: jobd runs get ${job.id} ${run.id}`);
        return;
      }
      if (flags['json']) printJson(output, { run });
      else printRun(output, run);
    });
}

/** Says in words of the command line what the server would refuse. */
function checkMove({ url, headerNames }: contract.Job, update: contract.JobUpdate): void {
  const areKept = headerNames.length > 0 && update.headers === undefined;
  if (!areKept || !leavesOrigin({ url }, update)) return;
  throw invalidInput(
    `give --header again for ${headerNames.join(', ')}, or --no-headers, when --url moves to another scheme, host or port: their values are secret`,
  );
}

const actionWords: Record<JobAction, string> = {
  pause: 'stop calling a job until it is resumed; a call in flight may finish',
  resume: 'call a paused job again, from its next due time',
};

/** Waits where people can see it, and until they press Ctrl-C. */
async function waitFor(
  client: Client,
  run: contract.Run,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<Waited> {
  using parts = new DisposableStack();
  const { signal } = parts.use(catchInterrupt());
  parts.use(startSpinner(`waiting for the run of ${plain(name)}`));
  return await waitForRun(client, run, timeoutMs, signal);
}

async function printJob({ output }: Context, job: contract.Job): Promise<void> {
  printFields(output, {
    id: job.id,
    name: job.name,
    status: state(job.status),
    call: `${job.method} ${job.url}`,
    schedule: scheduleText(job),
    'next run': moment(job.nextRunAt),
    'last run': moment(job.lastRunAt),
    ...(job.downReason !== null && { 'down because': job.downReason }),
  });
  await printDueTimes(output, job);
}
