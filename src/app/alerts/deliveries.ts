/** Deliveries of one channel or of all: tests, and what came of each. */

import type { Alert } from '../../domain/alerts/alert.ts';
import type { Delivery, NamedDelivery, TriedDelivery } from '../../domain/alerts/delivery.ts';
import { channelKinds } from '../../domain/alerts/kinds/registry.ts';
import { recipientsIn } from '../../domain/alerts/kinds/email.ts';
import { mailRule } from '../../domain/alerts/mail-limit.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError, tooSoon } from '../../domain/errors.ts';
import { isId, newId } from '../../domain/id.ts';
import { openConfig } from '../../domain/secrets/sealed-config.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';
import { listAttempts } from '../../store/alerts/attempts.ts';
import * as deliveries from '../../store/alerts/deliveries.ts';
import type { DeliveryPage } from '../../store/alerts/deliveries.ts';
import { endBackOff, insertDeliveries } from '../../store/alerts/delivery-queue.ts';
import { requirePaid } from '../accounts/account-limits.ts';
import type { ChannelsApp, Ground, Principal } from '../app.ts';
import { changeBy } from '../change.ts';
import { idPage, type Page, type PageRequest } from '../page.ts';
import { requireChannel, requireMailServer } from './channels.ts';

/** A channel takes one test in this time. */
const testIntervalMs = 60_000;

/**
 * Queues a test before all other deliveries, also of a disabled channel. Throws `not_found`, `payment_required`,
 * `conflict` for mail without a mail server, and `rate_limited` within a minute of the last test, or while the account has no
 * mails left.
 */
export async function testChannel(
  app: ChannelsApp,
  principal: Principal,
  channelId: string,
): Promise<Delivery> {
  const { clock, wake } = app;
  await requireMails(app, principal, channelId);
  const delivery = await changeBy(app, principal, async (tx, note) => {
    const channel = await requireChannel(tx, principal, channelId);
    requireMailServer(app, channel);
    const { name } = channel;
    const now = clock.now();
    await requirePaid(tx, principal, now);
    const last = await deliveries.findTestIn(tx, channelId, now - testIntervalMs, now);
    if (last !== undefined) {
      throw tooSoon('a channel can be tested once a minute', testIntervalMs, now - last);
    }
    const id = newId(now);
    const { workspaceId } = principal;
    const workspace = { id: workspaceId, name: (await findWorkspaceName(tx, workspaceId)) ?? '' };
    const data = { workspace, channel: { id: channelId, name } };
    const alert: Alert = { type: 'test', timestamp: isoTime(now), data };
    const about = { id, channelId, event: alert.type, subject: null, subjectId: id };
    const queued = { payload: JSON.stringify(alert), createdAt: now, dueAt: 0 };
    await insertDeliveries(tx, [{ ...about, ...queued }]);
    await endBackOff(tx, channelId);
    note({ action: 'channel.test', subject: { id: channelId, name } });
    return await deliveries.findDelivery(tx, channelId, id);
  });
  if (delivery === undefined) throw new Error('the delivery is gone');
  wake('notify');
  return delivery;
}

/** Throws `rate_limited` if the account may not send a test to all recipients of a mail channel now. */
async function requireMails(
  app: ChannelsApp,
  principal: Principal,
  channelId: string,
): Promise<void> {
  const { type, ...channel } = await requireChannel(app.store.db, principal, channelId);
  if (!channelKinds[type].needsMailServer) return;
  const mails = recipientsIn(openConfig(channel, channel.sealed, app.vault));
  const waitMs = await app.mailWaitMs(principal.workspaceId, mails);
  if (waitMs > 0) throw tooSoon(mailRule, waitMs);
}

export type DeliveryRequest = PageRequest & Pick<DeliveryPage, 'subjectId' | 'idPrefix'>;

/** A page of a channel's deliveries, newest first. Throws `not_found`. */
export async function listDeliveries(
  { store }: Ground,
  principal: Principal,
  channelId: string,
  request: DeliveryRequest,
): Promise<Page<Delivery>> {
  await requireChannel(store.db, principal, channelId);
  return await idPage(channelId, request, (page) =>
    deliveries.listDeliveries(store.db, channelId, page),
  );
}

/** A page of the deliveries of all channels, newest first. */
export async function listAllDeliveries(
  { store }: Ground,
  { workspaceId }: Principal,
  request: DeliveryRequest,
): Promise<Page<NamedDelivery>> {
  return await idPage('deliveries', request, (page) =>
    deliveries.listDeliveriesOfWorkspace(store.db, workspaceId, page),
  );
}

/** A delivery of a channel with its attempts. Throws `not_found`. */
export async function getDelivery(
  { store }: Ground,
  principal: Principal,
  { id: channelId, deliveryId: id }: { id: string; deliveryId: string },
): Promise<TriedDelivery> {
  await requireChannel(store.db, principal, channelId);
  const delivery = isId(id) ? await deliveries.findDelivery(store.db, channelId, id) : undefined;
  if (delivery !== undefined) return { delivery, attempts: await listAttempts(store.db, id) };
  throw new JobdError('not_found', `there is no delivery with id ${id}`);
}
