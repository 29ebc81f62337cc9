/** `jobd jobs`: jobs, over the API. */

import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';
import type * as contract from '../api/contract.ts';
import { clientConfig } from '../config.ts';
import type { Flags } from '../config.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { createClient } from './client.ts';
import { parseDuration } from './duration.ts';
import { findJob } from './find-job.ts';
import { printFields, printJson, printRows } from './output.ts';
import type { Context } from './context.ts';
import { printRun } from './runs.ts';
import { waitForRun } from './wait.ts';

/** Adds the commands. */
export function addJobCommands(program: Command, context: Context): void {
  const { output } = context;
  const jobs = program.command('jobs').description('create, list, show and run jobs');

  jobs
    .command('create')
    .description('create a job')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--url <url>', 'what it calls')
    .option('--cron <expr>', 'when: five fields, or @daily and the like (default 0 * * * *)')
    .option('--tz <zone>', 'IANA time zone of the expression (default Europe/Paris)')
    .option('--every <duration>', 'when: a fixed interval such as 5m, instead of --cron')
    .option('--method <method>', 'GET, POST, PUT, PATCH, DELETE or HEAD')
    .option('--header <name:value>', 'header to send; may be repeated', collect)
    .option('--data <text|@file|->', 'body to send: the text, a file, or standard input')
    .option('--timeout <duration>', 'longest wait for an answer, such as 10s')
    .option('--retries <n>', 'further attempts after a passing failure, 0 to 2')
    .option('--notes <text>', 'notes for people')
    .option('--paused', 'create it paused')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        "  jobd jobs create --name backup --url https://example.com/backup --cron '30 2 * * *' --tz UTC\n" +
        '  jobd jobs create --name ping --url https://example.com/ping --every 5m --retries 2\n' +
        "  jobd jobs create --name invoice --url https://example.com/invoice --method POST \\\n    --header 'Content-Type: application/json' --data @invoice.json --cron @monthly",
    )
    .action(async (flags: CreateFlags) => {
      const job = await createClient(clientConfig()).createJob(await inputOf(flags));
      if (flags['json']) printJson(output, { job });
      else printJob(context, job);
    });

  jobs
    .command('list')
    .description('list all jobs of the workspace, newest first')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd jobs list')
    .action(async (flags: Flags) => {
      const found = await Array.fromAsync(createClient(clientConfig()).listJobs());
      if (flags['json']) return printJson(output, { jobs: found });
      printRows(output, found, {
        id: ({ id }) => id,
        name: ({ name }) => name,
        status: ({ status }) => status,
        schedule: scheduleText,
        'next run': ({ nextRunAt }) => nextRunAt,
      });
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
      else printJob(context, job);
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
      const { run, exitCode } = await waitForRun(client, queued.run, timeoutMs);
      context.exitCode = exitCode;
      if (flags['json']) printJson(output, { run });
      else printRun(output, run);
    });
}

type CreateFlags = Flags & {
  name: string;
  url: string;
  header?: string[];
};

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

async function inputOf(flags: CreateFlags): Promise<contract.JobInput> {
  const { cron, tz, every, method, data, timeout, retries, notes } = flags as Record<
    string,
    string | undefined
  >;
  if (cron !== undefined && every !== undefined) {
    throw invalidInput('--cron and --every exclude each other, give one of them');
  }
  return {
    name: flags.name,
    url: flags.url,
    ...(cron !== undefined && { cronExpr: cron }),
    ...(tz !== undefined && { timezone: tz }),
    ...(every !== undefined && {
      scheduleType: 'period' as const,
      periodSeconds: parseDuration(every, '--every'),
    }),
    ...(method !== undefined && { method: method.toUpperCase() as contract.Job['method'] }),
    ...(flags.header !== undefined && { headers: headersOf(flags.header) }),
    ...(data !== undefined && { body: await bodyOf(data) }),
    ...(timeout !== undefined && { timeoutSeconds: parseDuration(timeout, '--timeout') }),
    ...(retries !== undefined && { retries: retriesOf(retries) }),
    ...(notes !== undefined && { notes }),
    ...(flags['paused'] === true && { paused: true }),
  };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw invalidInput("--header must be 'Name: value', with a colon");
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

async function bodyOf(data: string): Promise<string> {
  if (data === '-') return await readStream(process.stdin);
  if (!data.startsWith('@')) return data;
  try {
    return await readFile(data.slice(1), 'utf8');
  } catch (error) {
    throw new JobdError('usage', `--data names a file that cannot be read, got ${data}`, {
      cause: error,
    });
  }
}

function retriesOf(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw invalidInput(`--retries must be a whole number between 0 and 2, got ${text || 'nothing'}`);
}

function printJob({ output }: Context, job: contract.Job): void {
  printFields(output, {
    id: job.id,
    name: job.name,
    status: job.status,
    call: `${job.method} ${job.url}`,
    schedule: scheduleText(job),
    'next run': job.nextRunAt,
    'last run': job.lastRunAt,
    ...(job.downReason !== null && { 'down because': job.downReason }),
  });
}

function scheduleText({ scheduleType, cronExpr, timezone, periodSeconds }: contract.Job): string {
  return scheduleType === 'cron' ? `${cronExpr} ${timezone}` : `every ${periodSeconds} s`;
}
