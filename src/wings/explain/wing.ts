/** Why a job ran, did not run or ran late. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const explain: Wing = {
  commands: filesOf('jobs', {
    explain: async () => (await import('./command.ts')).addExplainCommand,
  }),
  operations: async () => (await import('./routes.ts')).explanationRoutes,
};
