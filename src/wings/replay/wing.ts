/** Calls again for the due time of an earlier run. */

import type { Wing } from '../../serve/house.ts';

export const replay: Wing = {
  commands: [
    {
      heading: 'jobs',
      names: ['runs'],
      load: async () => (await import('./command.ts')).addReplayCommand,
    },
  ],
  operations: async () => (await import('./routes.ts')).replayRoutes,
};
