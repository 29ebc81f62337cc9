/** Pictures of a state, which anybody with their address may look at. */

import { filesOf, type Wing } from '../../serve/house.ts';

/** What it adds. */
export const badge: Wing = {
  commands: filesOf('jobs', {
    badges: async () => (await import('./command.ts')).addBadgeCommands,
  }),
  operations: async () => (await import('./routes.ts')).badgeRoutes,
  open: async () => (await import('./open-routes.ts')).openBadgeRoutes,
};
