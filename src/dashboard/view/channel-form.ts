/** What somebody has typed about a channel, and what of it is sent to the API. */

import type { Channel, ChannelInput } from '../../api/alerts/contract.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { emptyOf, type Labels } from './forms.ts';
import { lengthOf, sentOf, typedIn, without, type TypedIn } from './typed.ts';
import { channelKinds } from './channel-kinds.ts';

/** Which jobs or monitors are served. */
export interface Served {
  isAll: boolean;
  /** Those that are chosen; kept while all are served. */
  ids: readonly string[];
}

/** The interval of reminders that the form begins with. */
const usualReminderSeconds = 3_600;

/** The fields that are typed as their row says; the interval of reminders is kept while there are none. */
const plain = without(channelFields, ['jobIds', 'monitorIds', 'alsoOn']);

/** The fields as they were typed. */
export interface ChannelForm extends TypedIn<typeof plain> {
  type: Channel['type'];
  /** Null keeps what the channel has, which cannot be read. */
  config: Readonly<Record<string, string>> | null;
  jobIds: Served;
  monitorIds: Served;
  alsoOn: Channel['alsoOn'];
  reminds: boolean;
}

/** The form of a channel, or of a new one. */
export function channelForm(channel: Channel | null): ChannelForm {
  const { remindEverySeconds } = channel ?? {};
  return {
    ...typedIn(plain, channel, ''),
    type: channel?.type ?? 'webhook',
    config: channel === null ? {} : null,
    jobIds: servedOf(channel?.jobIds ?? null),
    monitorIds: servedOf(channel?.monitorIds ?? null),
    alsoOn: channel?.alsoOn ?? [],
    reminds: Boolean(remindEverySeconds),
    remindEverySeconds: lengthOf(remindEverySeconds ?? usualReminderSeconds),
  };
}

function servedOf(ids: readonly string[] | null): Served {
  return { isAll: ids === null, ids: ids ?? [] };
}

function idsOf({ isAll, ids }: Served): string[] | null {
  return isAll ? null : [...ids];
}

/** All that was typed, without a config that is kept. */
export function channelInput(form: ChannelForm): Omit<ChannelInput, 'config'> {
  const { type, config, jobIds, monitorIds, alsoOn, reminds } = form;
  return {
    ...sentOf(plain, form),
    type,
    ...(config !== null && { config: configOf(type, config) }),
    jobIds: idsOf(jobIds),
    monitorIds: idsOf(monitorIds),
    alsoOn: [...alsoOn],
    ...(!reminds && { remindEverySeconds: null }),
  } as ChannelInput;
}

/** What the form calls the fields that only some channels have, or that cannot be changed. */
export function channelLabelsOf({ type }: Pick<ChannelForm, 'type'>): Labels {
  const fields = Object.entries(channelKinds[type].fields);
  return { type: 'Type', ...Object.fromEntries(fields.map(([name, { label }]) => [name, label])) };
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
