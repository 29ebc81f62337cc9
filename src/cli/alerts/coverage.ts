/** What a channel covers, as options and in words: monitors, missed and interrupted runs, reminders. */

import type { Command } from 'commander';
import type { Channel, ChannelUpdate } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { alsoOnWords, channelLimits } from '../../domain/alerts/channel.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import { invalidInput } from '../../domain/errors.ts';
import { durationOf, parseChoice, parseDuration } from '../../settings/setting.ts';
import type { Api } from '../client/api.ts';
import { collect } from '../options.ts';

/** Adds the options. */
export function withCoverageOptions(command: Command): Command {
  return command
    .option(
      '--monitor <monitor>',
      'only alerts of this monitor, by id or name; may be repeated (default: every monitor, or none with --job)',
      collect,
    )
    .option('--all-monitors', 'send alerts of every monitor')
    .option('--no-monitors', 'send no alerts of monitors')
    .option('--also <kinds>', `alert also of these runs: ${alsoOnWords.join(',')}; or none`)
    .option('--remind-every <duration>', 'remind of what is still down, such as 1h (15m to 7d)')
    .option('--no-reminders', 'send no reminders');
}

/** The fields that the options give. Throws `invalid_input`, naming the option. */
export async function coverageOf(flags: Flags, api: Api): Promise<ChannelUpdate> {
  const { monitor, also, remindEvery } = flags;
  // A `--no-` option is true unless it is given.
  const monitors = [Array.isArray(monitor), flags['allMonitors'] === true, !flags['monitors']];
  if (monitors.filter(Boolean).length > 1) {
    throw invalidInput('use one of --monitor, --all-monitors and --no-monitors');
  }
  const reminders = [typeof remindEvery === 'string', !flags['reminders']];
  if (reminders.every(Boolean)) {
    throw invalidInput('use either --remind-every or --no-reminders, not both');
  }
  return {
    ...(typeof also === 'string' && { alsoOn: alsoOnOf(also) }),
    ...(typeof remindEvery === 'string' && { remindEverySeconds: intervalOf(remindEvery) }),
    ...(flags['reminders'] === false && { remindEverySeconds: null }),
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

function alsoOnOf(text: string): Channel['alsoOn'] {
  if (text === 'none') return [];
  return text.split(',').map((word) => parseChoice(word.trim(), '--also', alsoOnWords));
}

function intervalOf(text: string): number {
  const seconds = parseDuration(text, '--remind-every');
  const { min, max } = channelLimits.remindEverySeconds;
  if (seconds >= min && seconds <= max) return seconds;
  throw invalidInput(
    `--remind-every must be between ${durationOf(min)} and ${durationOf(max)}, got ${text}`,
  );
}

/** Whom a channel serves, in words. */
export function servedWords({ jobIds, monitorIds }: Channel): Record<string, string> {
  return { jobs: listWords(jobIds), monitors: listWords(monitorIds) };
}

function listWords(ids: readonly string[] | null): string {
  if (ids === null) return 'all';
  return ids.length === 0 ? 'none' : ids.join(' ');
}

/** What else a channel is alerted of, in words. */
export function moreWords({ alsoOn, remindEverySeconds }: Channel): Record<string, string> {
  const interval =
    remindEverySeconds === null ? null : inTwoUnits(remindEverySeconds, { minute: 'min' });
  return {
    'also on': alsoOn.length === 0 ? 'nothing else' : `${alsoOn.join(' and ')} runs`,
    reminders: interval === null ? 'none' : `every ${interval} while something is down`,
  };
}
