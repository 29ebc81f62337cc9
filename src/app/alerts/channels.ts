/** Channels: what people ask about where alerts of a workspace go. */

import { randomBytes } from 'node:crypto';
import { changeChannel, defineChannel, mostChannels } from '../../domain/alerts/channel.ts';
import type {
  Channel,
  ChannelInput,
  ChannelUpdate,
  KeptChannel,
  ShownChannel,
} from '../../domain/alerts/channel.ts';
import { checkConfig, generatedConfig, keepGenerated } from '../../domain/alerts/config.ts';
import { destinationOf } from '../../domain/alerts/destination.ts';
import type { ChannelConfig } from '../../domain/alerts/kinds/kind.ts';
import { channelKinds } from '../../domain/alerts/kinds/registry.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { changedFields } from '../../domain/definition.ts';
import { got, invalidInput, JobdError, unlessRefused } from '../../domain/errors.ts';
import { isId, newId } from '../../domain/id.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import { openConfig, sealConfig } from '../../domain/secrets/sealed-config.ts';
import { wasUpdated } from '../../store/accounts/audit.ts';
import * as channels from '../../store/alerts/channels.ts';
import { endDeliveries } from '../../store/alerts/deliveries.ts';
import { endBackOff } from '../../store/alerts/delivery-queue.ts';
import { planReminders, removeDigests } from '../../store/alerts/digests.ts';
import type { Db } from '../../store/database/store.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { ChannelsApp, Ground, Principal } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { makeOnce } from '../make-once.ts';
import { idPage, type NamedRequest, type Page } from '../page.ts';

/**
 * Creates a channel, once for each key of a repeatable request. `generated` is the part of its config that jobd made, to be shown
 * in this answer alone. Throws `invalid_input`, `payment_required`, `conflict` for another request with the same key, and `forbidden` if the workspace has too many.
 */
export async function createChannel(
  app: ChannelsApp,
  principal: Principal,
  input: ChannelInput,
  repeatable: Repeatable | null = null,
): Promise<MadeChannel> {
  const drafted = newChannel(app, principal, input);
  const { channel, config, generated } = drafted;
  return await makeOnce(app, principal, {
    id: channel.id,
    repeatable,
    async make(tx, note) {
      await keepNewChannel(app, principal, tx, drafted, note);
      const destination = destinationOf(channel.type, config);
      const untried = { lastDelivery: null, consecutiveFailures: 0, nextAttemptAt: null };
      return { channel: { ...channel, destination, ...untried }, generated };
    },
    async find(tx, id) {
      const kept = await requireChannel(tx, principal, id);
      const names = Object.keys(generated);
      return { channel: shownChannel(app, kept), generated: await asMade(app, tx, kept, names) };
    },
  });
}

/** A channel, with the part of its config that jobd made. */
export interface MadeChannel {
  channel: ShownChannel;
  generated: ChannelConfig;
}

/** The values of a new channel's config with these names; none if the config was changed since, or no key can open it. */
async function asMade(
  { vault }: ChannelsApp,
  tx: Db,
  kept: KeptChannel,
  names: readonly string[],
): Promise<ChannelConfig> {
  const { id: subjectId, workspaceId } = kept;
  if (await wasUpdated(tx, { workspaceId, subjectId }, ['config'])) return {};
  const config = unlessRefused(() => openConfig(kept, kept.sealed, vault)) ?? {};
  return Object.fromEntries(names.map((name) => [name, config[name] ?? '']));
}

/** A channel that is not kept yet, and its config, of which jobd made the part `generated`. */
export interface NewChannel {
  channel: Channel;
  config: ChannelConfig;
  generated: ChannelConfig;
}

/** A new channel. Throws `invalid_input`. */
export function newChannel(
  app: ChannelsApp,
  { workspaceId }: Principal,
  input: ChannelInput,
): NewChannel {
  const now = app.clock.now();
  const channel = defineChannel(input, { id: newId(now), workspaceId, now });
  checkConfig(channel.type, input.config, app);
  requireMailServer(app, channel);
  const generated = generatedConfig(channel.type, input.config, randomBytes(32));
  return { channel, config: { ...input.config, ...generated }, generated };
}

/** Keeps a new channel. Throws `invalid_input`, `payment_required`, and `forbidden` if the workspace has too many. */
export async function keepNewChannel(
  app: ChannelsApp,
  principal: Principal,
  tx: Db,
  { channel, config }: NewChannel,
  note: NoteChange,
): Promise<void> {
  await requirePaid(tx, principal, app.clock.now());
  if ((await channels.countChannels(tx, principal.workspaceId)) >= mostChannels) {
    throw new JobdError('forbidden', `a workspace may have ${mostChannels} channels`);
  }
  await requireServed(tx, channel, null);
  await channels.insertChannel(tx, channel, await seal(app, tx, channel, config));
  note({ action: 'channel.create', subject: channel });
}

/** A page of the workspace's channels, newest first. */
export async function listChannels(
  app: ChannelsApp,
  { workspaceId }: Principal,
  request: NamedRequest,
): Promise<Page<ShownChannel>> {
  const { items, nextCursor } = await idPage('channels', request, (page) =>
    channels.listChannels(app.store.db, workspaceId, page),
  );
  return { items: items.map((channel) => shownChannel(app, channel)), nextCursor };
}

/** A channel of the workspace. Throws `not_found`. */
export async function getChannel(
  app: ChannelsApp,
  principal: Principal,
  id: string,
): Promise<ShownChannel> {
  return shownChannel(app, await requireChannel(app.store.db, principal, id));
}

/** Changes a channel. Disabling it gives up what is pending. Throws `not_found`, `invalid_input`, `payment_required`. */
export async function updateChannel(
  app: ChannelsApp,
  principal: Principal,
  id: string,
  update: ChannelUpdate,
): Promise<ShownChannel> {
  return await changeBy(app, principal, (tx, note) =>
    changeChannelIn(app, principal, tx, id, update, note),
  );
}

/** The same inside a transaction. */
export async function changeChannelIn(
  app: ChannelsApp,
  principal: Principal,
  tx: Db,
  id: string,
  update: ChannelUpdate,
  note: NoteChange,
): Promise<ShownChannel> {
  const { clock, vault } = app;
  const kept = await requireChannel(tx, principal, id);
  const before = shownChannel(app, kept);
  await requirePaid(tx, principal, clock.now());
  const channel = changeChannel(before, update);
  if (channel.enabled && !before.enabled) requireMailServer(app, channel);
  await requireServed(tx, channel, before);
  let sealed: string | null = null;
  if (update.config !== undefined) {
    const open = async () => openConfig(kept, kept.sealed, vault);
    const config = await keepGenerated(channel.type, update.config, open);
    checkConfig(channel.type, config, app);
    sealed = await seal(app, tx, channel, config);
  }
  await channels.updateChannel(tx, channel, sealed);
  if (sealed !== null) await endBackOff(tx, id);
  if (before.enabled && !channel.enabled) {
    await endDeliveries(tx, id, 'the channel was disabled');
    await removeDigests(tx, id);
  }
  const remindAt = reminderAfter(before, channel, clock.now());
  if (remindAt !== null) {
    await planReminders(tx, [{ channelId: id, dueAt: remindAt }], { moved: true });
  }
  const after = shownChannel(app, await requireChannel(tx, principal, id));
  const fields = [
    ...changedFields(channelFields, before, after),
    ...(update.config === undefined ? [] : ['config']),
  ];
  note({ action: 'channel.update', subject: after, fields });
  return after;
}

/** Deletes a channel at once, and its deliveries in small steps later. An attempt under way may arrive. Throws `not_found`. */
export async function deleteChannel(
  app: ChannelsApp,
  principal: Principal,
  id: string,
): Promise<void> {
  await changeBy(app, principal, async (tx, note) => {
    const channel = await requireChannel(tx, principal, id);
    await deleteChannelIn(app, tx, channel, note);
  });
}

/** The same inside a transaction. */
export async function deleteChannelIn(
  { clock }: Pick<Ground, 'clock'>,
  tx: Db,
  channel: Pick<Channel, 'id' | 'name'>,
  note: NoteChange,
): Promise<void> {
  await channels.markChannelDeleted(tx, channel.id, clock.now());
  note({ action: 'channel.delete', subject: channel });
}

/** The channel of the workspace with this id. Throws `not_found`. */
export async function requireChannel(
  db: Db,
  { workspaceId }: Principal,
  id: string,
): Promise<KeptChannel> {
  const channel = isId(id) ? await channels.findChannel(db, workspaceId, id) : undefined;
  if (channel !== undefined) return channel;
  throw new JobdError('not_found', `there is no channel with id ${id}`);
}

/** A channel of a kind that sends mail needs a mail server. Throws `conflict`. */
export function requireMailServer(
  { instance }: ChannelsApp,
  { type }: Pick<Channel, 'type'>,
): void {
  if (!channelKinds[type].needsMailServer || instance.mailIsConfigured) return;
  throw new JobdError(
    'conflict',
    `this jobd has no mail server, which an ${type} channel needs: its operator sets one with jobd serve --smtp-url URL or JOBD_SMTP_URL`,
  );
}

/** A channel as people see it. Whoever lost the master key still sees it. */
function shownChannel({ vault }: ChannelsApp, { sealed, ...channel }: KeptChannel): ShownChannel {
  const { type, lastDelivery } = channel;
  const destination = unlessRefused(() => destinationOf(type, openConfig(channel, sealed, vault)));
  return { ...channel, destination: destination ?? null, lastDelivery };
}

async function seal({ vault }: ChannelsApp, tx: Db, channel: Channel, config: ChannelConfig) {
  return sealConfig(channel, config, vault, await activeMasterKeyId(tx));
}

/** When the next reminder is due if a change moves it; null if it stays. The interval begins with the change. */
function reminderAfter(before: Channel, after: Channel, now: number): number | null {
  const { enabled, remindEverySeconds } = after;
  const isSame = before.enabled && before.remindEverySeconds === remindEverySeconds;
  return !enabled || remindEverySeconds === null || isSame
    ? null
    : now + remindEverySeconds * 1_000;
}

type Served = Pick<Channel, 'workspaceId' | 'jobIds' | 'monitorIds'>;

/** Jobs and monitors that are added must exist. Those that were there before may be gone. Throws `invalid_input`. */
export async function requireServed(
  tx: Db,
  channel: Served,
  before: Omit<Served, 'workspaceId'> | null,
): Promise<void> {
  for (const [table, field] of [
    ['jobs', 'jobIds'],
    ['monitors', 'monitorIds'],
  ] as const) {
    const known = new Set(before?.[field]);
    const ids = (channel[field] ?? []).filter((id) => !known.has(id));
    const { workspaceId } = channel;
    const [unknown] = await channels.findUnknownSubjects(tx, table, { workspaceId, ids });
    if (unknown !== undefined) {
      throw invalidInput(`${field} must be ids of ${table} of the workspace, ${got(unknown)}`);
    }
  }
}
