/** Prepares a store while no daemon runs: keys, and jobs that are due at chosen moments. */

import { createChannel } from '../../../src/app/alerts/channels.ts';
import { createJob } from '../../../src/app/jobs/jobs.ts';
import type { App } from '../../../src/app/app.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { openTestLocal } from './local.ts';
import type { ChannelInput } from '../../../src/domain/alerts/channel.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { webhookSecret } from '../records/channel.ts';
import { writerIn } from '../records/principal.ts';
import { quietApp } from './app.ts';
import { fakeClock } from '../fakes/clock.ts';
import { loopback } from './store.ts';

export interface Preparation {
  /** Creates a key of the default workspace with write permission. */
  readonly addKey: () => Promise<string>;
  /** Creates so many, one after the other: they would wait for each other. */
  readonly addKeys: (count: number) => Promise<string[]>;
  /** Creates a webhook that gets the alerts of all jobs, unless more is said. */
  readonly addWebhook: (url: string, more?: Partial<ChannelInput>) => Promise<void>;
  /** Stores a job as if it had been created at `createdAt`, epoch milliseconds. */
  readonly addJob: (input: JobInput, createdAt: number) => Promise<Job>;
}

/** Makes an empty store, as the first `jobd serve` does; commands make none. */
export async function makeStore(dataDir: string): Promise<void> {
  await using _ = await openTestLocal(dataDir);
}

/** Makes a store with a key: a backup of it is not refused as empty. */
export async function makeStoreWithKey(dataDir: string): Promise<void> {
  await prepareStore(dataDir, ({ addKey }) => addKey());
}

/** Opens the store of a data directory, prepares it, and closes it. */
export async function prepareStore<T>(
  dataDir: string,
  prepare: (preparation: Preparation) => Promise<T>,
): Promise<T> {
  await using local = await openTestLocal(dataDir);
  const { store } = local;
  const vault = await local.openVault();
  const workspace = await store.db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const principal = writerIn(workspace.id);
  const appAt = (now: number): App => {
    return quietApp({ store, vault, clock: fakeClock(now), allowTargets: loopback });
  };
  const addKey: Preparation['addKey'] = async () => {
    const input = { workspace: 'default', permission: 'write', name: '' } as const;
    return (await createKey(local, input)).secret;
  };
  return await prepare({
    addKey,
    async addKeys(count) {
      const keys: string[] = [];
      while (keys.length < count) keys.push(await addKey());
      return keys;
    },
    async addWebhook(url, more) {
      const config = { url, secret: webhookSecret };
      const input = { name: 'webhook', type: 'webhook', config, ...more } as const;
      await createChannel(appAt(Date.now()), principal, input);
    },
    addJob: (input, createdAt) => createJob(appAt(createdAt), principal, input),
  });
}
