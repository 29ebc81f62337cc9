/** Channels that definitions manage. Their secrets are compared here, and only the names of differing fields leave. */

import { requireAccount } from '../../../app/accounts/account-limits.ts';
import {
  changeChannelIn,
  deleteChannelIn,
  keepNewChannel,
  newChannel,
} from '../../../app/alerts/channels.ts';
import { checkPaid } from '../../../domain/accounts/account.ts';
import type { ChannelInput, KeptChannel } from '../../../domain/alerts/channel.ts';
import { checkConfig, keepGenerated } from '../../../domain/alerts/config.ts';
import type { ChannelConfig } from '../../../domain/alerts/kinds/kind.ts';
import { definedChannel, listsOf, servedBy } from '../../../domain/alerts/managed-channel.ts';
import type { ChannelDefinition, Served } from '../../../domain/alerts/managed-channel.ts';
import { channelFields } from '../../../domain/alerts/fields.ts';
import { changedFields, changedNames } from '../../../domain/definition.ts';
import { defaultsOf, valuesIn } from '../../../domain/fields.ts';
import { invalidInput, JobdError, unlessRefused } from '../../../domain/errors.ts';
import { openConfig } from '../../../domain/secrets/sealed-config.ts';
import { findChannel } from '../../../store/alerts/channels.ts';
import { findManagedKeys } from '../../../store/database/managed-keys.ts';
import { comparable, managed, type Scene } from './managed.ts';

/** What definitions call the fields that hold ids. */
const ownNames: Readonly<Record<string, string>> = { jobIds: 'jobs', monitorIds: 'monitors' };

/** Channels: a webhook keeps a signing secret that its definition leaves out. */
export const managedChannels = managed<ChannelDefinition, KeptChannel>({
  table: 'channels',
  noun: 'channel',
  find: findChannel,
  async fieldsOf(scene, channel) {
    const { jobIds: _, monitorIds: __, ...settings } = valuesIn(channelFields, channel);
    const served = await servedOf(scene, channel);
    const keysOf = (table: keyof Served) =>
      served[table] && Array.from(served[table], ([id, key]) => key ?? id).toSorted();
    const config = Object.keys(configOf(scene, channel) ?? {}).toSorted();
    return {
      ...settings,
      type: channel.type,
      config: Object.fromEntries(config.map((field) => [field, null])),
      ...listsOf({ jobs: keysOf('jobs'), monitors: keysOf('monitors') }),
    };
  },
  defaults: () => defaultsOf(channelFields),
  together: { jobs: ['jobs', 'monitors'], monitors: ['jobs', 'monitors'] },
  async create(scene, definition) {
    const { app, principal } = scene;
    const drafted = newChannel(app, principal, inputOf(scene, definition));
    await checkAllowed(scene);
    return {
      id: drafted.channel.id,
      perform: (tx, note) => keepNewChannel(app, principal, tx, drafted, note),
    };
  },
  async compare(scene, before, definition) {
    const { app, principal } = scene;
    checkType(before, definition);
    const input = inputOf(scene, definition);
    const after = definedChannel(input);
    const { jobs, monitors } = await servedOf(scene, before);
    const served = {
      jobIds: jobs && [...jobs.keys()],
      monitorIds: monitors && [...monitors.keys()],
    };
    const settings = changedFields(channelFields, { ...before, ...served }, after);
    // A config that cannot be opened is not as defined, and is replaced.
    const kept = configOf(scene, before) ?? {};
    const given = comparable(scene, input.config, kept);
    const config = await keepGenerated(before.type, given, async () => kept);
    checkConfig(before.type, config, app);
    const hidden = changedNames(kept, config);
    const changed: string[] = hidden.length > 0 ? [...settings, 'config'] : settings;
    if (changed.length > 0) await checkAllowed(scene);
    const update = {
      ...Object.fromEntries(Object.entries(after).filter(([name]) => changed.includes(name))),
      ...(hidden.length > 0 && { config }),
    };
    return {
      fields: changed.map((name) => ownNames[name] ?? name),
      hidden,
      async perform(tx, note) {
        await changeChannelIn(app, principal, tx, before.id, update, note);
      },
    };
  },
  remove:
    ({ app }, channel) =>
    (tx, note) =>
      deleteChannelIn(app, tx, channel, note),
});

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

/** The config of a channel; undefined if no key can open it. */
function configOf({ app: { vault } }: Scene, channel: KeptChannel): ChannelConfig | undefined {
  return unlessRefused(() => openConfig(channel, channel.sealed, vault));
}

/** The keys of the jobs and monitors that a channel serves, by id, without deleted ones; null for all. */
async function servedOf({ db }: Scene, { workspaceId, jobIds, monitorIds }: KeptChannel) {
  const keysOf = async (table: keyof Served, ids: readonly string[] | null) =>
    ids && (await findManagedKeys(db, table, { workspaceId, ids }));
  return { jobs: await keysOf('jobs', jobIds), monitors: await keysOf('monitors', monitorIds) };
}

/** A definition with ids for its keys. Throws `invalid_input` for an unknown key. */
function inputOf(
  { known, hint }: Scene,
  { jobs, monitors, ...input }: ChannelDefinition,
): ChannelInput {
  const served = servedBy({ jobs: jobs ?? null, monitors: monitors ?? null });
  const idsOf = (table: keyof Served): string[] | null => {
    const ids = known[table];
    const idOf = (key: string): string => {
      const id = ids.get(key);
      if (id !== undefined) return id;
      const what = `${table} names ${key.slice(0, 63)}, which is not defined`;
      throw invalidInput(`${what}, ${hint(key, () => [...ids.keys()], table)}`);
    };
    return served[table] && served[table].map(idOf);
  };
  return { ...input, jobIds: idsOf('jobs'), monitorIds: idsOf('monitors') };
}
