/** Channels: where alerts of a workspace go, and what people may ask about them. */

import { randomBytes } from 'node:crypto';
import type { Alert } from '../../domain/alerts/alert.ts';
import { channelLimits } from '../../domain/alerts/channel.ts';
import type { Channel, ChannelConfig, ShownChannel } from '../../domain/alerts/channel.ts';
import { changeChannel, checkConfig, defineChannel } from '../../domain/alerts/channel-input.ts';
import type { ChannelInput, ChannelUpdate } from '../../domain/alerts/channel-input.ts';
import { isoTime } from '../../domain/clock.ts';
import type { Delivery, TriedDelivery } from '../../domain/alerts/delivery.ts';
import { got, invalidInput, JobdError } from '../../domain/errors.ts';
import { isId, newId } from '../../domain/id.ts';
import { isMailAllowed, notAllowed } from '../../domain/alerts/mail-allow.ts';
import type { MailRule } from '../../domain/alerts/mail-allow.ts';
import { openConfig, sealConfig } from '../../domain/secrets/sealed-config.ts';
import * as channels from '../../store/alerts/channels.ts';
import * as deliveries from '../../store/alerts/deliveries.ts';
import { endBackOff } from '../../store/alerts/delivery-queue.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import type { Db } from '../../store/database/open.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { App, Principal } from '../app.ts';
import { idCursor, pageOf, parseIdCursor } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';

/** A channel that was made or changed; `secret` is one that was made for it, shown once. */
export interface MadeChannel {
  channel: ShownChannel;
  secret: string | null;
}

/** One test of a channel in this time. */
const testIntervalMs = 60_000;

/**
 * Makes a channel. A webhook without a secret gets one. Throws `invalid_input`, `payment_required`, and
 * `forbidden` for one too many.
 */
export async function createChannel(
  { store, clock, allowTargets, mailAllow, vault }: App,
  principal: Principal,
  input: ChannelInput,
): Promise<MadeChannel> {
  const { workspaceId } = principal;
  const now = clock.now();
  const channel = defineChannel(input, { id: newId(now), workspaceId, now });
  checkConfig(channel.type, input.config, allowTargets);
  requireMailAllowed(input.config, mailAllow);
  const secret = secretFor(channel, input.config);
  const config = secret === null ? input.config : { ...input.config, secret };
  await store.write(async (tx) => {
    await requirePaid(tx, principal, clock.now());
    await requireRoom(tx, workspaceId);
    await requireSubjects(tx, channel, null);
    const sealed = sealConfig(channel, config, vault, await activeMasterKeyId(tx));
    await channels.insertChannel(tx, channel, sealed);
  });
  return { channel: { ...channel, lastDelivery: null }, secret };
}

/** A page of the workspace's channels, newest first. */
export async function listChannels(
  { store }: App,
  { workspaceId }: Principal,
  { limit, cursor }: PageRequest,
): Promise<Page<ShownChannel>> {
  const before = cursor === null ? null : parseIdCursor('channels', cursor);
  const found = await channels.listChannels(store.db, workspaceId, { limit: limit + 1, before });
  return pageOf(found, limit, ({ id }) => idCursor('channels', id));
}

/** A channel of the workspace. Throws `not_found`. */
export async function getChannel(
  { store }: App,
  principal: Principal,
  id: string,
): Promise<ShownChannel> {
  return await requireChannel(store.db, principal, id);
}

/**
 * Changes a channel: only what is given. Disabling it gives up what is pending. Throws `not_found`,
 * `invalid_input`, `payment_required`.
 */
export async function updateChannel(
  { store, clock, allowTargets, mailAllow, vault }: App,
  principal: Principal,
  id: string,
  update: ChannelUpdate,
): Promise<MadeChannel> {
  return await store.write(async (tx) => {
    const before = await requireChannel(tx, principal, id);
    await requirePaid(tx, principal, clock.now());
    const channel = changeChannel(before, update);
    await requireSubjects(tx, channel, before);
    const config = update.config && (await wholeConfig(tx, before, update.config));
    if (config !== undefined) {
      checkConfig(channel.type, config, allowTargets);
      requireMailAllowed(config, mailAllow);
    }
    const sealed = config && sealConfig(channel, config, vault, await activeMasterKeyId(tx));
    await channels.updateChannel(tx, channel, sealed ?? null);
    if (sealed !== undefined) await endBackOff(tx, id);
    if (before.enabled && !channel.enabled) {
      await deliveries.endDeliveries(tx, id, 'the channel was disabled');
    }
    return { channel: await requireChannel(tx, principal, id), secret: null };
  });

  /** A webhook keeps its secret where no other is given. */
  async function wholeConfig(
    tx: Db,
    channel: Channel,
    given: ChannelConfig,
  ): Promise<ChannelConfig> {
    if (channel.type !== 'webhook' || given['secret'] !== undefined) return given;
    const { secret = '' } = openConfig(channel, await channels.findSealedConfig(tx, id), vault);
    return { ...given, secret };
  }
}

/**
 * Deletes a channel. It is gone at once, its deliveries are removed in small steps behind it; what is under way
 * may arrive. Throws `not_found`.
 */
export async function deleteChannel(
  { store, clock }: App,
  principal: Principal,
  id: string,
): Promise<void> {
  await store.write(async (tx) => {
    await requireChannel(tx, principal, id);
    await channels.markChannelDeleted(tx, id, clock.now());
  });
}

/**
 * Queues a test, also of a channel that is disabled. Throws `not_found`, `payment_required`, and `rate_limited`
 * within a minute of the test before.
 */
export async function testChannel(
  { store, clock, wakeNotifier }: App,
  principal: Principal,
  id: string,
): Promise<Delivery> {
  const delivery = await store.write(async (tx) => {
    const { name } = await requireChannel(tx, principal, id);
    const { workspaceId } = principal;
    const workspaceName = (await findWorkspaceName(tx, workspaceId)) ?? '';
    const now = clock.now();
    await requirePaid(tx, principal, now);
    if (await deliveries.hasTestIn(tx, id, now - testIntervalMs, now)) throw tooSoon();
    const deliveryId = newId(now);
    const workspace = { id: workspaceId, name: workspaceName };
    const data = { workspace, channel: { id, name } };
    const alert: Alert = { type: 'test', timestamp: isoTime(now), data };
    const payload = JSON.stringify(alert);
    const test = { id: deliveryId, channelId: id, event: 'test', subjectId: deliveryId } as const;
    // Before all others.
    await deliveries.insertDeliveries(tx, [{ ...test, payload, createdAt: now, dueAt: 0 }]);
    await endBackOff(tx, id);
    return await deliveries.findDelivery(tx, id, deliveryId);
  });
  if (delivery === undefined) throw new Error('the delivery is gone');
  wakeNotifier();
  return delivery;
}

function tooSoon(): JobdError {
  return new JobdError('rate_limited', 'a channel can be tested once a minute', {
    retryAfterSeconds: 60,
  });
}

/** A page of a channel's deliveries, newest first. Throws `not_found`. */
export async function listDeliveries(
  { store }: App,
  principal: Principal,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Delivery>> {
  await requireChannel(store.db, principal, id);
  const before = cursor === null ? null : parseIdCursor(id, cursor);
  const found = await deliveries.listDeliveries(store.db, id, { limit: limit + 1, before });
  return pageOf(found, limit, (delivery) => idCursor(id, delivery.id));
}

/** A delivery of a channel with its attempts. Throws `not_found`. */
export async function getDelivery(
  { store }: App,
  principal: Principal,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<TriedDelivery> {
  await requireChannel(store.db, principal, id);
  const delivery = isId(deliveryId)
    ? await deliveries.findDelivery(store.db, id, deliveryId)
    : undefined;
  if (delivery !== undefined) {
    return { delivery, attempts: await deliveries.listAttempts(store.db, deliveryId) };
  }
  throw new JobdError('not_found', `there is no delivery with id ${deliveryId}`);
}

async function requireChannel(
  db: Db,
  { workspaceId }: Principal,
  id: string,
): Promise<ShownChannel> {
  const channel = isId(id) ? await channels.findChannel(db, workspaceId, id) : undefined;
  if (channel !== undefined) return channel;
  throw new JobdError('not_found', `there is no channel with id ${id}`);
}

/** Only a channel of mail has an address. */
function requireMailAllowed({ to }: ChannelConfig, rules: readonly MailRule[]): void {
  if (to === undefined || isMailAllowed(to, rules)) return;
  throw invalidInput(`config.to: ${notAllowed}`);
}

async function requireRoom(tx: Db, workspaceId: string): Promise<void> {
  if ((await channels.countChannels(tx, workspaceId)) < channelLimits.count) return;
  throw new JobdError('forbidden', `a workspace may have ${channelLimits.count} channels`);
}

/** What a channel is to serve must be there; what it served before may be gone since. */
async function requireSubjects(
  tx: Db,
  { workspaceId, jobIds }: Channel,
  before: Channel | null,
): Promise<void> {
  const known = new Set(before?.jobIds);
  const added = (jobIds ?? []).filter((id) => !known.has(id));
  const [unknown] = await channels.findUnknownSubjects(tx, workspaceId, added);
  if (unknown === undefined) return;
  throw invalidInput(`jobIds must be ids of jobs or monitors of the workspace, ${got(unknown)}`);
}

/** The secret of a webhook that was given none; null for every other channel. */
function secretFor({ type }: Channel, { secret }: ChannelConfig): string | null {
  if (type !== 'webhook' || secret !== undefined) return null;
  return `whsec_${randomBytes(32).toString('base64')}`;
}
