/** The options that describe a job, and the fields of the API that they give. */

import type { Command } from 'commander';
import type { Job, JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../config.ts';
import { invalidInput } from '../../domain/errors.ts';
import { jobDefaults, jobRules } from '../../domain/jobs/job.ts';
import { collect, parseSeconds, textOrFile } from '../options.ts';
import { parseWholeNumber } from '../../setting.ts';
import { scheduleFieldsOf, textFlag, withScheduleOptions } from '../schedule/schedule-options.ts';

/** Adds the options; a name is required where a job is created. */
export function withJobOptions(command: Command, { required }: { required: boolean }): Command {
  const defaults = required ? (value: string) => ` (default ${value})` : () => '';
  command
    .addOption(
      command.createOption('--name <name>', 'name of the job').makeOptionMandatory(required),
    )
    .option('--url <url>', 'URL to call');
  return withScheduleOptions(command, defaults)
    .option(
      '--method <method>',
      `GET, POST, PUT, PATCH, DELETE or HEAD${defaults(jobDefaults.method)}`,
    )
    .option('--header <name:value>', 'header to send; may be repeated', collect)
    .option('--data <text|@file|->', 'body to send: the text, a file, or standard input')
    .option(
      '--timeout <duration>',
      `longest time for an attempt${defaults(`${jobDefaults.timeoutSeconds}s, or the maximum of the plan`)}`,
    )
    .option(
      '--retries <n>',
      `retries after a temporary failure, 0 to 2${defaults(`${jobDefaults.retries}`)}`,
    )
    .option('--notes <text>', 'notes for people');
}

const { minimum: min, maximum: max } = jobRules.retries;

/** The fields that the text of an option gives. */
const fieldsOf: Record<string, (text: string) => JobUpdate | Promise<JobUpdate>> = {
  name: (name) => ({ name }),
  url: (url) => ({ url }),
  method: (text) => ({ method: text.toUpperCase() as Job['method'] }),
  data: async (text) => ({ body: await textOrFile(text, '--data') }),
  timeout: (text) => ({ timeoutSeconds: parseSeconds(text, '--timeout') }),
  retries: (text) => ({ retries: parseWholeNumber(text, '--retries', { min, max }) }),
  notes: (notes) => ({ notes }),
};

/** The fields that the options give. Throws `invalid_input`, naming the option. */
export async function updateOf(flags: Flags): Promise<JobUpdate> {
  const update: JobUpdate = scheduleFieldsOf(flags);
  for (const [flag, read] of Object.entries(fieldsOf)) {
    const text = textFlag(flags, flag);
    if (text !== undefined) Object.assign(update, await read(text));
  }
  if (Array.isArray(flags['header'])) update.headers = headersOf(flags['header']);
  if (flags['headers'] === false) update.headers = {};
  if (flags['data'] === false) update.body = null;
  return update;
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw invalidInput("--header must be 'Name: value', with a colon");
    const name = line.slice(0, colon).trim();
    if (headers.has(name)) throw invalidInput(`--header ${name} is given twice`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(headers);
}
