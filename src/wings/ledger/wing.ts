/** Whether every due time is accounted for. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const ledger: Wing = {
  commands: filesOf('jobs', {
    ledger: async () => (await import('./command.ts')).addLedgerCommands,
  }),
  operations: async () => (await import('./routes.ts')).ledgerRoutes,
  daemon: async () => (await import('./check.ts')).checkDaily,
};
