/** What somebody has typed about a channel, and what of it is sent to the API. */

import type { Channel, ChannelInput, ChannelUpdate } from '../../../api/alerts/contract.ts';
import { channelKinds } from './channel-kinds.ts';
import { emptyOf } from '../field-errors.ts';
import type { Labels } from '../field-errors.ts';
import { lengthOf, secondsOf } from '../schedule/lengths.ts';
import type { Length } from '../schedule/lengths.ts';

/** Which jobs or monitors are served. */
export interface Served {
  isAll: boolean;
  /** Those that are chosen; kept while all are served. */
  ids: readonly string[];
}

/** The interval of reminders that the form begins with. */
const usualReminderSeconds = 3_600;

/** The fields as they were typed. */
export interface ChannelForm {
  name: string;
  type: Channel['type'];
  /** Null keeps what the channel has, which cannot be read. */
  config: Readonly<Record<string, string>> | null;
  jobs: Served;
  monitors: Served;
  afterFailures: string;
  alsoOn: Channel['alsoOn'];
  reminds: boolean;
  /** Kept while there are no reminders. */
  remindEvery: Length;
  enabled: boolean;
}

/** The form of a channel, or of a new one. */
export function channelForm(channel: Channel | null): ChannelForm {
  return {
    name: channel?.name ?? '',
    type: channel?.type ?? 'webhook',
    config: channel === null ? {} : null,
    jobs: servedOf(channel?.jobIds ?? null),
    monitors: servedOf(channel?.monitorIds ?? null),
    afterFailures: String(channel?.afterFailures ?? 1),
    alsoOn: channel?.alsoOn ?? [],
    reminds: (channel?.remindEverySeconds ?? null) !== null,
    remindEvery: lengthOf(channel?.remindEverySeconds ?? usualReminderSeconds),
    enabled: channel?.enabled ?? true,
  };
}

function servedOf(ids: readonly string[] | null): Served {
  return { isAll: ids === null, ids: ids ?? [] };
}

function idsOf({ isAll, ids }: Served): string[] | null {
  return isAll ? null : [...ids];
}

/** What an update sends. */
export function channelUpdate(form: ChannelForm): ChannelUpdate {
  const { name, type, config, jobs, monitors, afterFailures, enabled } = form;
  return {
    name,
    ...(config !== null && { config: configOf(type, config) }),
    jobIds: idsOf(jobs),
    monitorIds: idsOf(monitors),
    afterFailures: countOf(afterFailures),
    alsoOn: [...form.alsoOn],
    remindEverySeconds: form.reminds ? secondsOf(form.remindEvery) : null,
    enabled,
  };
}

/** What a new channel sends. */
export function channelInput(form: ChannelForm): ChannelInput {
  return {
    ...channelUpdate(form),
    name: form.name,
    type: form.type,
    config: configOf(form.type, form.config ?? {}),
  };
}

/** What the form calls the fields of the API that each kind has. */
export const channelLabels = {
  name: 'Name',
  type: 'Type',
  jobIds: 'Chosen jobs',
  monitorIds: 'Chosen monitors',
  afterFailures: 'Alert after failures in a row',
  remindEverySeconds: 'Every',
} as const;

/** The same with those of a kind. */
export function labelsOf(type: Channel['type']): Labels {
  const fields = Object.entries(channelKinds[type].fields);
  return {
    ...channelLabels,
    ...Object.fromEntries(fields.map(([name, { label }]) => [name, label])),
  };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyInChannel({ name, type, config, afterFailures }: ChannelForm): string[] {
  const fields = Object.entries(channelKinds[type].fields);
  const needed = config === null ? [] : fields.filter(([, { isOptional }]) => isOptional !== true);
  return emptyOf({
    name,
    ...Object.fromEntries(needed.map(([field]) => [field, config?.[field] ?? ''])),
    afterFailures,
  });
}

/** Only fields of the type that are filled in: another type may have been chosen before. */
function configOf(type: Channel['type'], config: Readonly<Record<string, string>>) {
  const names = Object.keys(channelKinds[type].fields);
  const filled = names.map((name) => [name, (config[name] ?? '').trim()] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== ''));
}

/** Text that is no number is sent as it is: the API says what is wrong with it. */
function countOf(text: string): number {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : (text as unknown as number);
}
