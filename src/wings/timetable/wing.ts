/** When everything runs: all due times on one axis. */

import type { Wing } from '../../serve/house.ts';

export const timetable: Wing = {
  operations: async () => (await import('./routes.ts')).timetableRoutes,
};
