/** Times in which nobody is alerted. */

import { filesOf, type Wing } from '../../serve/house.ts';

/** What it adds. */
export const windows: Wing = {
  commands: filesOf('jobs', {
    windows: async () => (await import('./command.ts')).addWindowCommands,
  }),
  operations: async () => (await import('./routes.ts')).windowRoutes,
};
