/** Jobs and keys in a database on a server, the target of the jobs, and how nodes are started with them. */

import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { startWitness, type Witness } from '../../support/fakes/witness.ts';
import { startServe, type Process } from '../../support/running/executable.ts';
import { databaseOf, testSecretKey, useServer } from '../../support/running/local.ts';
import { prepareStore } from '../../support/running/prepare.ts';

export interface Prepared {
  witness: Witness;
  /** The URL of the database itself. */
  database: string;
  /** Ids of the jobs. */
  jobs: readonly string[];
  keys: readonly string[];
  /** Starts `jobd serve`, by default with the database itself, and resolves once it listens. */
  readonly start: (how?: {
    database?: string;
    options?: readonly string[];
    env?: Readonly<Record<string, string>>;
  }) => Promise<Process>;
}

export interface PreparedJob {
  name: string;
  periodSeconds: number;
  /** Its due times count from here, in epoch milliseconds. Default: now. */
  createdAt?: number;
  timeoutSeconds?: number;
}

/** Prepares a database on a server. */
export async function prepareJobs(
  t: TestContext,
  server: string,
  {
    jobs,
    keyCount,
    alertsTo,
    answer,
  }: {
    jobs: readonly PreparedJob[];
    keyCount: number;
    /** The URL that gets the alerts of all jobs. */
    alertsTo?: string;
    answer: Parameters<typeof startWitness>[1];
  },
): Promise<Prepared> {
  const witness = await startWitness(t, answer);
  const directory = temporaryDirectory(t);
  await useServer(directory, server);
  const database = databaseOf(directory) ?? '';
  const prepared = await prepareStore(directory, async ({ addJob, addKeys, addWebhook }) => {
    if (alertsTo !== undefined) await addWebhook(alertsTo);
    const ids: string[] = [];
    for (const { createdAt = Date.now(), ...job } of jobs) {
      const input = { ...job, scheduleType: 'period', url: `${witness.url}/${job.name}` } as const;
      ids.push((await addJob(input, createdAt)).id);
    }
    return { jobs: ids, keys: await addKeys(keyCount) };
  });
  const { port } = new URL(witness.url);
  return {
    witness,
    database,
    ...prepared,
    async start({ database: through = database, options = [], env = {} } = {}) {
      const node = startServe(t, ['--allow-target', `127.0.0.1/32:${port}`, ...options], {
        cwd: directory,
        env: { JOBD_DATABASE_URL: through, JOBD_SECRET_KEY: testSecretKey, ...env },
      });
      await node.listening;
      return node;
    },
  };
}
