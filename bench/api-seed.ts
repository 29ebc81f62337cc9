/** The store that both servers begin with: jobs, and keys enough to stay within the limit of each. */

import { createHash, randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { systemClock } from '../src/domain/clock.ts';
import { newId } from '../src/domain/id.ts';
import type { Key } from '../src/domain/key.ts';
import { insertKey } from '../src/store/keys.ts';
import { openStore } from '../src/store/open.ts';
import type { Store } from '../src/store/open.ts';
import { defaultWorkspace, findWorkspace } from '../src/store/workspaces.ts';
import { keepJobs } from './seed.ts';

/** In the whole life of a server. A key may ask 120 times a minute (spec section 8). */
const requestsPerKey = 100;

export interface Seed {
  dataDir: string;
  /** Keys of the default workspace that may write. */
  keys: string[];
  jobIds: string[];
}

/** Fills a fresh data directory: `jobs` jobs that are due tomorrow and call `ORIGIN/job/N`. */
export async function seedStore(
  dataDir: string,
  { origin, jobs, requests }: { origin: string; jobs: number; requests: number },
): Promise<Seed> {
  await keepJobs(dataDir, origin, [{ prefix: 'job', count: jobs }]);
  await using store = await openStore(dataDir);
  const keys: string[] = [];
  for (let left = requests; left > 0; left -= requestsPerKey) keys.push(await keepKey(store));
  const rows = await store.db.selectFrom('jobs').select('id').execute();
  return { dataDir, keys, jobIds: rows.map(({ id }) => id) };
}

/** An account may hold 20 keys: a bench needs more, and keeps them past that rule. */
async function keepKey({ db }: Store): Promise<string> {
  const workspace = await findWorkspace(db, defaultWorkspace);
  const now = systemClock.now();
  const secret = `cp_${randomBytes(32).toString('hex')}`;
  const given = { id: newId(now), workspaceId: workspace?.id ?? '', name: 'bench', createdAt: now };
  const key = { ...given, permission: 'write', lastUsedAt: null, expiresAt: null, revokedAt: null };
  await insertKey(db, key as Key, createHash('sha256').update(secret).digest('hex'));
  return secret;
}

/** A copy of a seeded data directory that nobody has open. */
export function copyStore(dataDir: string, to: string): string {
  cpSync(dataDir, to, { recursive: true });
  return to;
}
