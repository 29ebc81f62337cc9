/** How often the runs of a job succeeded, and how long they took. */

import { filesOf, type Wing } from '../../serve/house.ts';

/** What it adds. */
export const figures: Wing = {
  commands: filesOf('jobs', {
    figures: async () => (await import('./command.ts')).addFiguresCommand,
  }),
  operations: async () => (await import('./routes.ts')).figuresRoutes,
};
