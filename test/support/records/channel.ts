/** Channels in a store, and their deliveries. */

import { createChannel } from '../../../src/app/alerts/channels.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineChannel, type ChannelInput } from '../../../src/domain/alerts/channel.ts';
import type { Channel } from '../../../src/domain/alerts/channel.ts';
import type { Delivery } from '../../../src/domain/alerts/delivery.ts';
import { sealConfig } from '../../../src/domain/secrets/sealed-config.ts';
import { createExpander } from '../../../src/engine/alerts/expand.ts';
import { insertChannel } from '../../../src/store/alerts/channels.ts';
import { listDeliveries } from '../../../src/store/alerts/deliveries.ts';
import { openTestLocal } from '../running/local.ts';
import { quietApp } from '../running/app.ts';
import { writerIn } from './principal.ts';
import type { TestStore } from '../running/store.ts';
import { fakeClock } from '../fakes/clock.ts';
import { testMasterKeyId, testVault } from '../fakes/vault.ts';

/** A secret of Standard Webhooks: 32 bytes. */
export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Stores a channel, by default a webhook to `url`. */
export async function addChannel(
  { store, workspaceId }: TestStore,
  url: string,
  input: Partial<ChannelInput> = {},
): Promise<Channel> {
  const config = { url, ...(input.type === undefined && { secret: webhookSecret }) };
  const given = { name: 'channel', type: 'webhook', config, ...input } as const;
  const channel = defineChannel(given, { id: newId(0), workspaceId, now: 0 });
  const sealed = sealConfig(channel, given.config, testVault, testMasterKeyId);
  await insertChannel(store.db, channel, sealed);
  return channel;
}

/** Expands the whole outbox into deliveries. Returns the number of transactions. */
export async function expandAll({ store }: Pick<TestStore, 'store'>, now: number): Promise<number> {
  const expander = createExpander(store, fakeClock(now));
  let steps = 0;
  while ((await expander.expand([])) > 0) steps += 1;
  return steps;
}

/** All deliveries of a channel, the oldest first. */
export async function deliveriesOf({ store }: TestStore, channel: Channel): Promise<Delivery[]> {
  const all = { limit: 1_000, before: null, subjectId: null, idPrefix: null };
  return (await listDeliveries(store.db, channel.id, all)).toReversed();
}

/** Adds an email channel that is off, as a jobd with a mail server makes it. Returns its id. */
export async function addEmailChannel(dataDir: string): Promise<string> {
  await using local = await openTestLocal(dataDir);
  const app = quietApp({ ...local, vault: await local.openVault() });
  const workspaces = local.store.db.selectFrom('workspaces').select('id');
  const { id } = await workspaces.executeTakeFirstOrThrow();
  const input = { name: 'mail', type: 'email', config: { to: 'ops@example.com' } } as const;
  const { channel } = await createChannel(app, writerIn(id), { ...input, enabled: false });
  return channel.id;
}
