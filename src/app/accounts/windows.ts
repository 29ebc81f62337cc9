/** What windows do now to jobs and monitors that people look at (docs/behavior.md#mute-4). */

import { isoTime } from '../../domain/clock.ts';
import type { Labels } from '../../domain/labels.ts';
import { coveredAt, holdsAmong, type Covered, type Window } from '../../domain/windows.ts';
import { findShown } from '../../store/accounts/windows.ts';
import type { Db } from '../../store/database/store.ts';
import type { Ground, Principal } from '../app.ts';

/** What people are shown of that. */
export interface CoveredShape {
  mutedUntil?: string;
  heldUntil?: string;
}

/** In ISO 8601. */
export function coveredShape({ mutedUntil, heldUntil }: Covered): CoveredShape {
  return {
    ...(mutedUntil !== undefined && { mutedUntil: isoTime(mutedUntil) }),
    ...(heldUntil !== undefined && { heldUntil: isoTime(heldUntil) }),
  };
}

interface Labelled {
  id: string;
  labels?: Labels | null;
}

/** The windows about these that hold at any time or mute at `now`, by id. Nothing is asked in a workspace without windows. */
export async function windowsAround(
  db: Db,
  { workspaceId, hasWindows }: Principal,
  shown: readonly Labelled[],
  now: number,
): Promise<ReadonlyMap<string, readonly Window[]>> {
  if (!hasWindows) return new Map();
  const subjects = shown.map(({ id, labels = null }) => ({ id, labels, workspaceId }));
  return await findShown(db, subjects, now);
}

/** Adds until when windows mute or hold them to monitors as people see them; nothing to the others. */
export async function withWindows<Shown extends Labelled>(
  { store, clock }: Ground,
  principal: Principal,
  shown: readonly Shown[],
): Promise<(Shown & CoveredShape)[]> {
  const now = clock.now();
  const windows = await windowsAround(store.db, principal, shown, now);
  return shown.map((one) => {
    const its = windows.get(one.id);
    return its === undefined
      ? one
      : { ...one, ...coveredShape(coveredAt(its, holdsAmong(its), now)) };
  });
}
