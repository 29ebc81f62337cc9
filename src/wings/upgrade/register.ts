/** A newer executable in place of this one, and the way back. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'operate',
    names: ['upgrade'],
    load: async () => (await import('./command.ts')).addUpgradeCommand,
  });
}
