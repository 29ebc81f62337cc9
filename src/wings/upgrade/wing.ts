/** A newer executable in place of this one, and the way back. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const upgrade: Wing = {
  commands: filesOf('operate', {
    upgrade: async () => (await import('./command.ts')).addUpgradeCommand,
  }),
};
