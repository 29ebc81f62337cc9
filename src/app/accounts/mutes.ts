/** Whose alerts windows mute now, as the API says it (docs/behavior.md#mute-4). */

import { isoTime } from '../../domain/clock.ts';
import { findMuted } from '../../store/accounts/windows.ts';
import type { Ground, Principal } from '../app.ts';

/** Adds until when their alerts are muted to jobs or monitors as people see them; nothing to those that are not muted. */
export async function withMutes<Shown extends { id: string }>(
  { store, clock }: Ground,
  { workspaceId }: Principal,
  shown: readonly Shown[],
): Promise<(Shown & { mutedUntil?: string })[]> {
  const subjects = shown.map(({ id }) => ({ id, workspaceId }));
  const muted = await findMuted(store.db, subjects, clock.now());
  return shown.map((one) => {
    const until = muted.get(one.id);
    return until === undefined ? one : { ...one, mutedUntil: isoTime(until) };
  });
}

/** The same for one of them. */
export async function withMute<Shown extends { id: string }>(
  app: Ground,
  principal: Principal,
  shown: Shown,
): Promise<Shown & { mutedUntil?: string }> {
  const [one = shown] = await withMutes(app, principal, [shown]);
  return one;
}
