/** The options that describe a job, and the fields of the API that they give. */

import type { Command } from 'commander';
import type { Job, JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { got, invalidInput, JobdError } from '../../domain/errors.ts';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import { jobDefaults, jobRules } from '../../domain/jobs/job.ts';
import type { Api } from '../client/api.ts';
import { collect, parseSeconds, textOrFile } from '../options.ts';
import { parseWholeNumber } from '../../settings/setting.ts';
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
    .option(
      '--await <duration>',
      'after an answer of 202, longest time until the target reports how its work ended',
    )
    .option('--after <job>', 'run after this job, by name or id, instead of on a schedule')
    .option('--after-on <end>', 'success, failed or finished: which end of it (default success)')
    .option('--on-result <url>', 'URL that gets each finished run')
    .option('--on-result-secret <@file|->', 'file with the secret that signs it (default: made)')
    .option('--notes <text>', 'notes for people')
    .option('--sign <kind>', 'prove who calls: httpsig (a signature), oidc or oidc-rs256 (a token)')
    .option('--audience <text>', 'who the token is for, such as the URL of the target');
}

/** A secret is never typed: other users of the machine can see that. */
async function secretIn(text: string): Promise<string> {
  if (text === '-' || text.startsWith('@')) {
    return (await textOrFile(text, '--on-result-secret')).trim();
  }
  throw new JobdError('usage', '--on-result-secret must be @FILE, or - for standard input');
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
  await: (text) => ({ awaitSeconds: parseSeconds(text, '--await') }),
  onResult: (onResult) => ({ onResult }),
  onResultSecret: async (text) => ({ onResultSecret: await secretIn(text) }),
  notes: (notes) => ({ notes }),
  sign: (text) => ({ sign: text as NonNullable<Job['sign']> }),
  audience: (audience) => ({ audience }),
};

/** The fields that the options give. Throws `invalid_input`, naming the option, and `not_found` for `--after`. */
export async function updateOf(flags: Flags, api: Api): Promise<JobUpdate> {
  const update: JobUpdate = scheduleFieldsOf(flags);
  for (const [flag, read] of Object.entries(fieldsOf)) {
    const text = textFlag(flags, flag);
    if (text !== undefined) Object.assign(update, await read(text));
  }
  if (Array.isArray(flags['header'])) update.headers = headersOf(flags['header']);
  if (flags['headers'] === false) update.headers = {};
  if (flags['data'] === false) update.body = null;
  if (flags['await'] === false) update.awaitSeconds = null;
  if (flags['onResult'] === false) update.onResult = null;
  const after = await afterOf(flags, api);
  if (after !== undefined) update.after = after;
  if (flags['sign'] === false) update.sign = null;
  return update;
}

/** Stands for the job that a job runs after already, where only `--after-on` is given. */
const same = '';

/** Fields with the job that the changed one runs after, if they stand for that. Throws `usage` if there is none. */
export function withFirstJob<Fields extends Pick<JobUpdate, 'after'>>(
  fields: Fields,
  found: Pick<Job, 'after'> | null,
): Fields {
  if (fields.after?.jobId !== same) return fields;
  const firstJob = found?.after;
  if (firstJob) return { ...fields, after: { ...fields.after, jobId: firstJob.jobId } };
  throw new JobdError('usage', '--after-on needs --after, the job that it runs after');
}

/** What `--after`, `--after-on` and `--no-after` say; undefined for nothing. */
async function afterOf(flags: Flags, api: Api): Promise<JobUpdate['after']> {
  const on = textFlag(flags, 'afterOn');
  if (on !== undefined && !isAfterOn(on)) {
    throw invalidInput(`--after-on must be one of ${afterOnWords.join(', ')}, ${got(on)}`);
  }
  if (flags['after'] === false) return null;
  const job = textFlag(flags, 'after');
  if (job === undefined) {
    return on === undefined ? undefined : { jobId: same, on };
  }
  return { jobId: (await api.jobs.find(job)).id, ...(on !== undefined && { on }) };
}

function isAfterOn(word: string): word is AfterOn {
  return (afterOnWords as readonly string[]).includes(word);
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
