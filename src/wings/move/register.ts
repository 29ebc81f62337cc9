/** A store copied from SQLite to PostgreSQL, or back. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'operate',
    names: ['migrate-store'],
    load: async () => (await import('./command.ts')).addMigrateStoreCommand,
  });
}
