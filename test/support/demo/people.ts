/** What people did in a demo: keys, sessions, and edits that the audit trail shows. */

import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { checkKey, startSession } from '../../../src/app/accounts/sign-in.ts';
import { newSecret, sha256Of } from '../../../src/app/accounts/secrets.ts';
import { createJob, deleteJob, updateJob } from '../../../src/app/jobs/jobs.ts';
import type { JobUpdate } from '../../../src/domain/jobs/job-input.ts';
import { newId } from '../../../src/domain/id.ts';
import { termOf } from '../../../src/domain/accounts/session.ts';
import type { Permission } from '../../../src/domain/accounts/key.ts';
import { recordKeyUses } from '../../../src/store/accounts/keys.ts';
import { insertSession, recordSessionUses } from '../../../src/store/accounts/sessions.ts';
import { dayMs, hourMs, minuteMs } from './world.ts';
import type { Moment, World } from './world.ts';

/** How many keys and sessions there are in the end, the ones that a test adds not counted. */
export const peopleCounts = { keys: 5, sessions: 3 };

/** What people did, as moments; `idOf` returns the id of a job once it exists. */
export function peopleOf(
  world: World,
  idOf: (job: 'nightlyBackup' | 'search' | 'inventory') => string,
): Moment[] {
  const { app, local, nowMs: now, laptop, owner } = world;
  const made = new Map<string, { id: string; secret: string }>();

  const add = (name: string, permission: Permission, expiresAt?: number) => async () => {
    const key = { workspace: 'default', name, permission };
    const { key: added, secret } = await createKey(
      local,
      expiresAt === undefined ? key : { ...key, expiresAt },
    );
    made.set(name, { id: added.id, secret });
  };
  const edit = (job: Parameters<typeof idOf>[0], update: JobUpdate) => () =>
    updateJob(app, laptop, idOf(job), update);
  const tryOut = async (): Promise<void> => {
    const job = await createJob(app, owner, {
      name: 'Test, please ignore',
      url: 'https://example.com/test',
      paused: true,
    });
    world.clock.advance(4 * minuteMs);
    await deleteJob(app, owner, job.id);
  };
  const signIn = async (): Promise<void> => {
    const grant = await checkKey(app, made.get('dashboard on the wall')?.secret ?? '');
    const sender = { address: '10.0.0.31', forwardedFor: null };
    const { session } = await startSession(app, grant, sender);
    await recordSessionUses(local.store.db, [{ id: session.id, at: now - 2 * minuteMs }]);
  };
  const noteUses = async (): Promise<void> => {
    await recordKeyUses(local.store.db, [
      { id: laptop.actor.id, at: now - 9 * minuteMs },
      { id: made.get('dashboard on the wall')?.id ?? '', at: now - 2 * minuteMs },
      { id: made.get('old build server')?.id ?? '', at: now - 20.5 * dayMs },
      { id: made.get('contractor')?.id ?? '', at: now - 6 * dayMs },
    ]);
  };
  return [
    { at: now - 89 * dayMs, happen: add('old build server', 'write') },
    { at: now - 35 * dayMs, happen: add('contractor', 'read', now - 5 * dayMs) },
    { at: now - 21 * dayMs, happen: add('deploy', 'write', now + 200 * dayMs) },
    {
      at: now - 20 * dayMs,
      happen: async () => revokeKey(local, made.get('old build server')?.id ?? ''),
    },
    { at: now - 12.5 * dayMs, happen: add('dashboard on the wall', 'read') },
    {
      at: now - 8 * dayMs,
      happen: edit('search', {
        notes: 'Slow on purpose: it walks the whole catalogue, which takes about 50 s.',
      }),
    },
    { at: now - 6 * dayMs, happen: edit('nightlyBackup', { retries: 1, body: '{"keep":21}' }) },
    { at: now - 5 * dayMs, happen: tryOut },
    { at: now - 1.1 * dayMs, happen: edit('inventory', { action: 'pause' }) },
    { at: now - dayMs, happen: edit('inventory', { action: 'resume' }) },
    { at: now - 3 * dayMs, happen: signIn },
    { at: now - 20 * hourMs, happen: () => ownersSession(world, 20 * hourMs - 40 * minuteMs) },
    { at: now - 3 * hourMs, happen: () => ownersSession(world, 3 * hourMs - 5 * minuteMs) },
    { at: now - minuteMs, happen: noteUses },
  ];
}

/** A session of the owner that was last used `usedForMs` after its start. */
async function ownersSession(
  { local: { store }, clock, workspaceId }: World,
  usedForMs: number,
): Promise<void> {
  const createdAt = clock.now();
  const isOwner = true;
  await insertSession(
    store.db,
    {
      id: newId(createdAt),
      workspaceId,
      name: 'jobd open',
      permission: 'write',
      isOwner,
      keyId: null,
      createdAt,
      lastSeenAt: createdAt + usedForMs,
      expiresAt: createdAt + termOf({ isOwner }).lifeMs,
    },
    sha256Of(newSecret(32)),
  );
}
