/** What became of the calls of a month, for those who pay for them. */

import { filesOf, type Wing } from '../../serve/house.ts';

/** What it adds. */
export const report: Wing = {
  commands: filesOf('proof', {
    report: async () => (await import('./command.ts')).addReportCommand,
  }),
  operations: async () => (await import('./routes.ts')).reportRoutes,
};
