/** Takes the place of `src/domain/id.ts` in simulations: ids as those, each node with its own counter, and all from the seed. */

import { current, world } from './world.ts';

export { firstIdAt, isId, newSpanId, timeOfId } from '../../src/domain/id.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** The last id that a node made. */
export interface IdState {
  lastMs: number;
  count: number;
}

/** As `newId` of the real file. */
export function newId(now: number): string {
  const state = current()?.ids ?? world().ids;
  if (now > state.lastMs) Object.assign(state, { lastMs: now, count: 0 });
  else state.count += 1;
  const time = hex(Math.floor(state.lastMs), 12);
  const random = hex(world().dice('ids').int(0x1_0000_0000), 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(state.count & 0xfff, 3)}-8000-${random}`;
}
