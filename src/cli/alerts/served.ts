/** The jobs and monitors that a channel serves, as options and in words. */

import type { Command } from 'commander';
import type { Channel, ChannelUpdate } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { someOf } from '../../domain/counted.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
import { collect } from '../options.ts';

/** Adds the options. */
export function withServedOptions(command: Command): Command {
  return command
    .option(
      '--job <job>',
      'only alerts of this job, by id or name; may be repeated (default: every job)',
      collect,
    )
    .option(
      '--monitor <monitor>',
      'only alerts of this monitor, by id or name; may be repeated (default: every monitor, or none with --job)',
      collect,
    )
    .option('--all-monitors', 'send alerts of every monitor')
    .option('--no-monitors', 'send no alerts of monitors');
}

/** The fields that the options give. Throws `invalid_input`, naming the option. */
export async function servedOf(flags: Flags, api: Api): Promise<ChannelUpdate> {
  const { job, monitor } = flags;
  // A `--no-` option is true unless it is given.
  const monitors = [Array.isArray(monitor), flags['allMonitors'] === true, !flags['monitors']];
  if (monitors.filter(Boolean).length > 1) {
    throw invalidInput('use one of --monitor, --all-monitors and --no-monitors');
  }
  return {
    ...(flags['allJobs'] === true && { jobIds: null }),
    ...(Array.isArray(job) && { jobIds: await idsOf(job, api.jobs) }),
    ...(flags['allMonitors'] === true && { monitorIds: null }),
    ...(flags['monitors'] === false && { monitorIds: [] }),
    ...(Array.isArray(monitor) && { monitorIds: await idsOf(monitor, api.monitors) }),
  };
}

/** The ids of jobs or monitors, each given by id or name. Throws `not_found`. */
export async function idsOf(
  names: readonly string[],
  items: { find(text: string): Promise<{ id: string }> },
): Promise<string[]> {
  return await Promise.all(names.map(async (name) => (await items.find(name)).id));
}

/** How many names are asked for. */
const mostNames = 10;

/** Names of chosen jobs or monitors. What is gone has its id. */
export async function namesOf(
  ids: readonly string[],
  items: { get(id: string): Promise<{ name: string }> },
): Promise<string> {
  const named = ids.slice(0, mostNames).map(async (id) => {
    const found = await items.get(id).catch(() => null);
    return found === null ? id : found.name;
  });
  return someOf([...(await Promise.all(named)), ...ids.slice(mostNames)], mostNames);
}

/** Whom a channel serves, in words. */
export async function servedWords(channel: Channel, { jobs, monitors }: Api) {
  const { selector, jobIds, monitorIds } = channel;
  if (selector !== null) return { serves: `jobs and monitors with ${selector}` };
  return { jobs: await listWords(jobIds, jobs), monitors: await listWords(monitorIds, monitors) };
}

/** Chosen jobs or monitors in words: all, none, or which. */
async function listWords(ids: readonly string[] | null, items: Parameters<typeof namesOf>[1]) {
  return ids === null ? 'all' : (await namesOf(ids, items)) || 'none';
}
