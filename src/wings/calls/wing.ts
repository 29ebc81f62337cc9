/** Many one-time jobs in a request. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const calls: Wing = {
  commands: filesOf('jobs', { calls: async () => (await import('./command.ts')).addCallCommands }),
  operations: async () => (await import('./routes.ts')).callRoutes,
};
