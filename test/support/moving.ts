/** Moves of a store in one process, with pages so small that a demo has many. */

import { moveStore, type Moved, type MoveParts } from '../../src/wings/move/move-store.ts';
import { fakeClock } from './fakes/clock.ts';

/** Moves a store from one place to another. What `onProgress` throws ends it there. */
export async function move(
  from: string,
  to: string,
  { pageRows = 200, onProgress = () => {} }: Partial<MoveParts> = {},
): Promise<Moved> {
  const parts = { clock: fakeClock('2026-03-02T10:00:00Z'), onProgress, pageRows };
  return await moveStore({ place: from, name: from }, { place: to, name: to }, parts);
}
