/** A store copied from SQLite to PostgreSQL, or back. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const move: Wing = {
  commands: filesOf('operate', {
    'migrate-store': async () => (await import('./command.ts')).addMigrateStoreCommand,
  }),
};
