/** Channels that definitions manage. Their secrets are compared here, and only the names of differing fields leave. */

import { checkPaid } from '../../../domain/accounts/account.ts';
import type { ChannelInput, KeptChannel, ShownChannel } from '../../../domain/alerts/channel.ts';
import { checkConfig, keepGenerated } from '../../../domain/alerts/config.ts';
import type { ChannelConfig } from '../../../domain/alerts/kinds/kind.ts';
import { channelFields } from '../../../domain/alerts/fields.ts';
import { definedChannel, servedBy } from '../../../domain/alerts/managed-channel.ts';
import type { ChannelDefinition } from '../../../domain/alerts/managed-channel.ts';
import { changedFields, changedNames } from '../../../domain/definition.ts';
import { got, invalidInput, JobdError } from '../../../domain/errors.ts';
import { openConfig } from '../../../domain/secrets/sealed-config.ts';
import { findChannel, findUnknownSubjects } from '../../../store/alerts/channels.ts';
import { findManagedIds } from '../../../store/database/managed-keys.ts';
import type { Db } from '../../../store/database/store.ts';
import { requireAccount } from '../../../app/accounts/account-limits.ts';
import {
  changeChannelIn,
  deleteChannelIn,
  keepNewChannel,
  newChannel,
  requireChannel,
  shownChannel,
} from '../../../app/alerts/channels.ts';
import { guessesIn, neverBusy } from './managed.ts';
import type { ManagedKind, Scene } from './managed.ts';

/** A channel, and the names of the fields that its config has. */
export interface ManagedChannel {
  channel: ShownChannel;
  /** Empty if no key can open the config. */
  configFields: string[];
}

/** Channels: a webhook keeps a signing secret that its definition leaves out. */
export const managedChannels: ManagedKind<ChannelDefinition, KeptChannel, ManagedChannel> = {
  table: 'channels',
  noun: 'channel',
  find: findChannel,
  show: async ({ app }, channel) => shown(app, channel),
  async create(scene, definition) {
    const { app, principal } = scene;
    const drafted = newChannel(app, principal, await inputOf(scene, definition));
    await checkAllowed(scene);
    const { channel } = drafted;
    return {
      id: channel.id,
      async perform(tx, note) {
        await keepNewChannel(app, principal, tx, drafted, note);
        return shown(app, await requireChannel(tx, principal, channel.id));
      },
    };
  },
  async compare(scene, before, definition) {
    const { app, principal, db } = scene;
    checkType(before, definition);
    const input = await inputOf(scene, definition);
    const after = definedChannel(input);
    const served = await servedIds(db, before);
    const settings = changedFields(channelFields, { ...before, ...served }, after);
    const kept = configOf(app, before);
    // A config that cannot be opened is not as defined, and is replaced.
    const config = await keepGenerated(before.type, input.config, async () => kept ?? {});
    checkConfig(before.type, config, app);
    const hidden = changedNames(kept ?? {}, config);
    scene.countGuesses(guessesIn(definition.config, kept ?? {}));
    const fields = [...settings, ...(hidden.length > 0 ? ['config'] : [])];
    if (fields.length > 0) await checkAllowed(scene);
    const update = {
      ...Object.fromEntries(
        Object.entries(after).filter(([name]) => settings.some((other) => other === name)),
      ),
      ...(hidden.length > 0 && { config }),
    };
    return {
      fields,
      hidden,
      async perform(tx, note) {
        await changeChannelIn(app, principal, tx, before.id, update, note);
        return shown(app, await requireChannel(tx, principal, before.id));
      },
    };
  },
  remove:
    ({ app }, channel) =>
    (tx, note) =>
      deleteChannelIn(app, tx, channel, note),
  ...neverBusy,
};

async function checkAllowed({ app, principal, db, isDryRun }: Scene): Promise<void> {
  if (!isDryRun) checkPaid(await requireAccount(db, principal), app.clock.now());
}

function checkType({ type }: KeptChannel, definition: ChannelDefinition): void {
  if (definition.type === type) return;
  throw new JobdError(
    'conflict',
    `type cannot be changed from ${type} to ${definition.type}: give the new channel another key`,
  );
}

/** The config of a channel; null if no key can open it. */
function configOf({ vault }: Scene['app'], channel: KeptChannel): ChannelConfig | null {
  try {
    return openConfig(channel, channel.sealed, vault);
  } catch (error) {
    if (error instanceof JobdError && error.code === 'unavailable') return null;
    throw error;
  }
}

function shown(app: Scene['app'], channel: KeptChannel): ManagedChannel {
  const configFields = Object.keys(configOf(app, channel) ?? {}).toSorted();
  return { channel: shownChannel(app, channel), configFields };
}

/** The jobs and monitors that a channel serves, without deleted ones; null for all. */
async function servedIds(
  db: Db,
  { workspaceId, jobIds, monitorIds }: KeptChannel,
): Promise<Pick<KeptChannel, 'jobIds' | 'monitorIds'>> {
  const left = async (table: 'jobs' | 'monitors', ids: readonly string[] | null) => {
    if (ids === null) return null;
    const gone = new Set(await findUnknownSubjects(db, table, { workspaceId, ids }));
    return ids.filter((id) => !gone.has(id));
  };
  return { jobIds: await left('jobs', jobIds), monitorIds: await left('monitors', monitorIds) };
}

/** A definition with ids for its keys. Throws `invalid_input` for an unknown key; in a dry run it stands for itself. */
async function inputOf(
  { db, principal: { workspaceId }, isDryRun }: Scene,
  { jobs, monitors, ...input }: ChannelDefinition,
): Promise<ChannelInput> {
  const served = servedBy({ jobs: jobs ?? null, monitors: monitors ?? null });
  const idsOf = async (table: 'jobs' | 'monitors'): Promise<string[] | null> => {
    const keys = served[table];
    if (keys === null) return null;
    const ids = await findManagedIds(db, table, { workspaceId, keys });
    const unknown = keys.find((key) => !ids.has(key));
    if (unknown !== undefined && !isDryRun) {
      throw invalidInput(`${table} must be keys of managed ${table}, ${got(unknown)}`);
    }
    return keys.map((key) => ids.get(key) ?? key);
  };
  return { ...input, jobIds: await idsOf('jobs'), monitorIds: await idsOf('monitors') };
}
