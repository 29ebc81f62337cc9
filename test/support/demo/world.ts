/** What a demo is made in: a real store, the use cases on it, and a clock that goes through the past. */

import { sql } from 'kysely';
import type { App, Principal } from '../../../src/app/app.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { msPerDay } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { parseAllowTargets } from '../../../src/domain/targets/target.ts';
import { openTestLocal } from '../running/local.ts';
import type { Local } from '../../../src/serve/local-store.ts';
import { defaultWorkspace, findWorkspace } from '../../../src/store/accounts/workspaces.ts';
import { fakeClock } from '../fakes/clock.ts';
import type { FakeClock } from '../fakes/clock.ts';
import { seededRandom } from '../dice.ts';
import { quietApp } from '../running/app.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = msPerDay;

/** A demo begins this long ago. */
const beginningMs = 91 * dayMs;

export interface World extends AsyncDisposable {
  local: Local & { caller: { id: string; name: string } };
  app: App;
  clock: FakeClock;
  workspaceId: string;
  /** When the history ends, in epoch milliseconds. */
  nowMs: number;
  /** A target on loopback, as `http://127.0.0.1:PORT`. */
  targetUrl: string;
  random: () => number;
  /** A key with write permission, and itself as text. */
  laptop: Principal;
  secret: string;
  /** A session of the owner. */
  owner: Principal;
}

/** Something that happens at a time, in epoch milliseconds. */
export interface Moment {
  at: number;
  readonly happen: () => Promise<unknown>;
}

/** Opens the store of a new data directory, some months ago. */
export async function openWorld(
  dataDir: string,
  { nowMs, targetUrl }: Pick<World, 'nowMs' | 'targetUrl'>,
): Promise<World> {
  const clock = fakeClock(nowMs - beginningMs);
  const opened = await openTestLocal(dataDir, clock);
  const { store } = opened;
  // Nothing is lost if this process ends: the demo is then made again.
  await sql`pragma synchronous = off`.execute(store.db);
  const local = { ...opened, caller: { id: 'ann', name: 'ann' } };
  const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
  const allowTargets = parseAllowTargets(['127.0.0.1/32:*']);
  const app = quietApp({ store, clock, vault: await local.openVault(), allowTargets });
  const permission = 'write';
  await createWorkspace(local, { name: 'staging', account: 'default' });
  const made = await createKey(local, { workspace: 'default', permission, name: 'laptop' });
  const person = { keyId: null, workspaceId, permission, accountExpiresAt: null } as const;
  return {
    local,
    app,
    clock,
    workspaceId,
    nowMs,
    targetUrl,
    random: seededRandom(21),
    laptop: {
      ...person,
      actor: { type: 'key', id: made.key.id, name: made.key.name },
      sender: { address: '10.0.0.5', forwardedFor: '198.51.100.7' },
      isOwner: false,
    },
    secret: made.secret,
    owner: {
      ...person,
      actor: { type: 'session', id: newId(clock.now()), name: 'jobd open' },
      sender: { address: '127.0.0.1', forwardedFor: null },
      isOwner: true,
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
