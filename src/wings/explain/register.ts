/** Why a job ran, did not run or ran late. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'jobs',
    names: ['explain'],
    load: async () => (await import('./command.ts')).addExplainCommand,
  });
  house.operations(async () => (await import('./routes.ts')).explanationRoutes);
}
