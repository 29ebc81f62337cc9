/** The jobs and monitors that a channel serves, as options and in words. */

import type { Command } from 'commander';
import type { Channel, ChannelUpdate } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
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

/** Whom a channel serves, in words. */
export function servedWords({ jobIds, monitorIds }: Channel): Record<string, string> {
  return { jobs: listWords(jobIds), monitors: listWords(monitorIds) };
}

/** Ids in words: all, none, or which. */
export function listWords(ids: readonly string[] | null): string {
  if (ids === null) return 'all';
  return ids.length === 0 ? 'none' : ids.join(' ');
}
