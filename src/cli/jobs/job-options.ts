/** The options that say what a job is, and the fields of the API that they mean. */

import type { Command } from 'commander';
import type { Job, JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../config.ts';
import { invalidInput } from '../../domain/errors.ts';
import { jobRules } from '../../domain/jobs/job.ts';
import { collect, parseDuration, parseWholeNumber, textOrFile } from '../options.ts';
import { scheduleFieldsOf, textFlag, withScheduleOptions } from '../schedule/schedule-options.ts';

/** Adds the options; a name is required where a job is created. */
export function withJobOptions(command: Command, { required }: { required: boolean }): Command {
  const defaults = required ? (value: string) => ` (default ${value})` : () => '';
  command
    .addOption(
      command.createOption('--name <name>', 'what it is called').makeOptionMandatory(required),
    )
    .option('--url <url>', 'what it calls');
  return withScheduleOptions(command, defaults)
    .option('--method <method>', `GET, POST, PUT, PATCH, DELETE or HEAD${defaults('GET')}`)
    .option('--header <name:value>', 'header to send; may be repeated', collect)
    .option('--data <text|@file|->', 'body to send: the text, a file, or standard input')
    .option(
      '--timeout <duration>',
      `longest wait for an answer${defaults('30s, or less as on the plan')}`,
    )
    .option('--retries <n>', `further attempts after a passing failure, 0 to 2${defaults('0')}`)
    .option('--notes <text>', 'notes for people');
}

const { minimum: min, maximum: max } = jobRules.retries;

/** The fields that the options give. Throws `invalid_input`, naming the option. */
export async function updateOf(flags: Flags): Promise<JobUpdate> {
  const text = (flag: string): string | undefined => textFlag(flags, flag);
  const [name, url] = ['name', 'url'].map(text);
  const [method, data, timeout, retries, notes] = [
    'method',
    'data',
    'timeout',
    'retries',
    'notes',
  ].map(text);
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...scheduleFieldsOf(flags),
    ...(method !== undefined && { method: method.toUpperCase() as Job['method'] }),
    ...(Array.isArray(flags['header']) && { headers: headersOf(flags['header']) }),
    ...(flags['headers'] === false && { headers: {} }),
    ...(data !== undefined && { body: await textOrFile(data, '--data') }),
    ...(flags['data'] === false && { body: null }),
    ...(timeout !== undefined && { timeoutSeconds: parseDuration(timeout, '--timeout') }),
    ...(retries !== undefined && {
      retries: parseWholeNumber(retries, '--retries', { min, max }),
    }),
    ...(notes !== undefined && { notes }),
  };
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
