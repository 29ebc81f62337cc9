/** Whether every due time is accounted for. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'jobs',
    names: ['ledger'],
    load: async () => (await import('./command.ts')).addLedgerCommands,
  });
  house.operations(async () => (await import('./routes.ts')).ledgerRoutes);
  house.daemon(async () => (await import('./check.ts')).checkDaily);
}
